import Foundation
import GRDB
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

  /// Gives the space of what was deleted back to the disk.
  /// - Throws: where another program writes all the while.
  func compact() throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    let database = try DatabaseQueue(path: path, configuration: configuration)
    try database.vacuum()
    // Without it the file shrinks some time later.
    try database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try database.close()
  }
}
