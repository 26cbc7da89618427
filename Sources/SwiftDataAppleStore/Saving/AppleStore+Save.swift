import Foundation
import SwiftData

extension AppleStore {
  package func run(_ save: RowSave, _ others: OtherSaves) throws {
    var files: ExternalFiles?
    do {
      try file.access.write { connection in
        let writer = AppleRowWriter(self, connection)
        files = writer.files
        try save.write(by: writer)
        try writer.finish()
        try others.run()
      }
    } catch {
      files?.rollBack()
      throw error
    }
    files?.commit()
  }
}

/// The files of external data that a transaction writes, and those that it does not need any more.
final class ExternalFiles {
  /// Data up to this size stays in the row. Apple's limit is not documented.
  static let threshold = 100_000

  private let folder: URL
  private var written: [String] = []
  private var obsolete: [String] = []

  init(_ folder: URL) { self.folder = folder }

  /// - Returns: the name of the file.
  func write(_ data: Data) throws -> String {
    let name = UUID().uuidString
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      written.append(name)
      try data.write(to: folder.appendingPathComponent(name))
    } catch {
      throw SwiftDataError(
        .io, message: "external data cannot be written to \(folder.path); check its permissions", underlying: error)
    }
    return name
  }

  func remove(_ name: String) { obsolete.append(name) }
  func rollBack() { delete(written) }
  func commit() { delete(obsolete) }

  private func delete(_ names: [String]) {
    for name in names where UUID(uuidString: name) != nil {
      try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
  }
}
