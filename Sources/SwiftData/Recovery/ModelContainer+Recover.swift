public import Foundation
import GRDB

extension ModelContainer {
  /// Copies everything that can still be read of a damaged store into a new one, and says what is lost.
  ///
  /// The damaged store is only read, page by page and without SQLite, which refuses a file at its first damaged page.
  /// Objects keep their identifiers. The history begins anew: tokens from before expire. What the disk has changed
  /// within a value cannot be noticed as long as it is a value still. (Our own decision; not Apple's.)
  ///
  /// - Parameters:
  ///   - damaged: The file of the store; its log is read, and its external files are copied. Nobody may write to it
  ///     meanwhile. Of a store whose file is gone, the log alone is read.
  ///   - new: Where the new store goes; there must be no file yet.
  ///   - schema: The models, for a store that does not say any more what it has. They should be of the version that
  ///     wrote it.
  /// - Returns: what is in the new store and what is lost, by class.
  /// - Throws: ``SwiftDataError/io`` where the files cannot be read or written, or `new` is there already;
  ///   ``SwiftDataError/notADatabase`` where nothing in the file is of a store.
  /// - Complexity: proportional to the size of the file; the keys of all objects are in memory.
  @discardableResult
  public static func recover(from damaged: URL, to new: URL, for schema: Schema) throws -> ModelContainer.RecoveryReport
  {
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: new.path + suffix) {
      throw SwiftDataError(
        .io, message: "\"\(new.path)\(suffix)\" is there already; name a new file for what can be recovered")
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
