import Foundation
import SwiftData

extension AppleStore {
  package func run(_ save: RowSave, _ others: OtherSaves) throws {
    var files: ExternalFiles?
    var isCommitting = false
    do {
      try file.access.write { connection in
        let writer = AppleRowWriter(self, connection)
        files = writer.files
        try save.write(by: writer)
        try writer.finish()
        try others.run()
        try files?.willCommit()
        isCommitting = true
      }
    } catch {
      // A crash may leave a failed commit in the log, which then needs its files.
      if !isCommitting { files?.rollBack() }
      throw error
    }
    files?.commit(of: file.url)
  }
}

/// The files of external data that a transaction writes, and those that it does not need any more.
///
/// A file and its name are on the disk before the commit of the row that names it. A file is removed after the commit that dropped
/// its row is on the disk. A power cut can leave a file without a row, never a row without a file.
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
      try DurableFiles.createFolder(folder.path)
      written.append(name)
      try DurableFiles.write(data, to: folder.appendingPathComponent(name).path)
    } catch {
      throw SwiftDataError(
        .io, message: "external data cannot be written to \(folder.path); check its permissions", underlying: error)
    }
    return name
  }

  func remove(_ name: String) { obsolete.append(name) }
  func rollBack() { delete(written) }

  /// Syncs the names of the new files to the disk, as the last step before the commit.
  func willCommit() throws {
    if !written.isEmpty { try DurableFiles.sync(folder: folder.path) }
  }

  /// Removes what the committed transaction dropped, once it is on the disk.
  func commit(of database: URL) {
    guard !obsolete.isEmpty else { return }
    let path = database.resolvingSymlinksInPath().path
    do {
      for file in [path, path + "-wal"] { try DurableFiles.sync(file: file) }
    } catch {
      // Files without a row take space, and nothing else.
      return
    }
    delete(obsolete)
  }

  private func delete(_ names: [String]) {
    for name in names where ExternalName(name) != nil {
      try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
  }
}
