public import Foundation
public import SwiftData

extension ModelContainer {
  /// Copies all readable objects of a damaged store into a new store, and reports what is lost.
  ///
  /// The recovery reads the damaged store page by page without SQLite, which rejects a file at its first damaged page.
  /// It does not change the damaged store. Objects keep their identifiers. The history starts again, so earlier tokens
  /// expire. A damaged value that is still a valid value goes unnoticed. (Our own decision; not Apple's.)
  ///
  /// - Parameters:
  ///   - damaged: the store file. Its log is read, and its external files are copied. No program may write to it
  ///     meanwhile. If the file is gone, the log alone is read.
  ///   - new: the file of the new store, which must not exist yet.
  ///   - schema: the models, for a store whose own description is lost. Use the version that wrote the store.
  /// - Returns: the recovered and lost objects by class.
  /// - Throws: `SwiftDataError.io` if the files cannot be read or written, or `new` exists.
  ///   `SwiftDataError.notADatabase` if nothing in the file belongs to a store.
  /// - Complexity: proportional to the size of the file. The keys of all objects are in memory.
  @discardableResult
  public static func recover(from damaged: URL, to new: URL, for schema: Schema) throws -> ModelContainer.RecoveryReport
  {
    if case .notAFile(let kind) = FileKind.of(damaged) {
      throw SwiftDataError(.io, message: "\"\(damaged.path)\" is \(kind); name the file of the damaged store")
    }
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: new.path + suffix) {
      throw SwiftDataError(
        .io, message: "\"\(new.path)\(suffix)\" exists already; name a new file for the recovered store")
    }
    var recovery = try Recovery(from: damaged, to: new, schema)
    do {
      return try recovery.run()
    } catch {
      for suffix in ["-wal", "-shm", ""] { try? FileManager.default.removeItem(atPath: new.path + suffix) }
      ExternalStorage(ModelConfiguration(url: new)).removeAll()
      throw error
    }
  }
}
