import Foundation
import SwiftData

/// The file of a store in SQLite.
struct StoreFile {
  private let path: String

  /// Nil where the store is no file.
  init?(_ container: ModelContainer) {
    guard let configuration = container.configurations.first,
      !configuration.isStoredInMemoryOnly
    else { return nil }
    path = configuration.url.path
  }

  /// In bytes, with what is not yet part of the file itself.
  var size: Int64 {
    [path, path + "-wal"].map { path in
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }.reduce(0, +)
  }
}
