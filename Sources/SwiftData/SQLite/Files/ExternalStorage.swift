import Foundation

/// Stores large `Data` of `.externalStorage` properties in files next to the store, one file per value.
///
/// A file and its name are on the disk before the commit of the row that names it. A file is removed after the commit
/// that dropped its last row is on the disk. An interruption can therefore leave a file without a row, never a row
/// without a file. ``PendingFiles`` maintains that order, and ``sweep(_:)`` removes leftovers.
package struct ExternalStorage: Sendable {
  /// Data up to this size, in bytes, stays in the row.
  static let threshold = 128 * 1024
  /// The name prefix of marks. A mark says that a transaction may leave files behind.
  private static let markPrefix = "unfinished-"

  package let directory: URL
  let isTemporary: Bool
  private let database: URL
  /// The pending file operations of an enclosing transaction.
  var pending: PendingFiles?

  package init(_ configuration: ModelConfiguration) {
    isTemporary = configuration.isStoredInMemoryOnly
    directory =
      isTemporary
      ? FileManager.default.temporaryDirectory.appendingPathComponent("SwiftData-\(UUID().uuidString)")
      : configuration.url.deletingLastPathComponent().appendingPathComponent(
        ".\(configuration.url.lastPathComponent)_external")
    database = configuration.url
  }

  package func path(_ name: ExternalName) -> String { path(ofFile: name.text) }

  private func path(ofFile name: String) -> String { directory.appendingPathComponent(name).path }

  package func read(_ name: ExternalName) throws -> Data {
    do {
      return try Data(contentsOf: URL(fileURLWithPath: path(name)))
    } catch {
      throw SwiftDataError(
        .io, message: "the external data \(name.text) is missing from \(directory.path) or cannot be read",
        underlying: error)
    }
  }

  /// Writes a new file. No reader sees it before its row is committed, so a temporary name is unnecessary.
  /// - Throws: ``SwiftDataError/storeFull`` or ``SwiftDataError/io``. There is no such file then.
  package func write(_ data: Data, as name: ExternalName) throws { try write(data, to: path(name), isSynced: true) }

  private func write(_ data: Data, to path: String, isSynced: Bool) throws {
    try explained {
      try DurableFiles.createFolder(directory.path)
      try DurableFiles.write(data, to: path, isSynced: isSynced && !isTemporary)
    }
  }

  /// - Returns: the files that could not be removed.
  fileprivate func remove(_ names: [ExternalName]) -> [ExternalName] { names.filter { !unlinked(path($0)) } }

  /// - Returns: whether no file has the path any more.
  @discardableResult
  private func unlinked(_ path: String) -> Bool { unlink(path) == 0 || errno == ENOENT }

  /// Removes every file. No other process may use the store.
  package func removeAll() { try? FileManager.default.removeItem(at: directory) }

  /// The names of the files, or none without a folder. Files of other programs have none.
  func names() -> [ExternalName] { entries().compactMap(ExternalName.init) }

  private func entries() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? [] }

  /// Moves the data of a column into its cells. A cell whose file cannot be read stays as it is.
  func takeIn(_ table: String, _ column: String, _ database: SQLiteDatabase) throws {
    let (table, cell) = (table.quotedIdentifier, column.quotedIdentifier)
    // Among cells for data, only a name is text.
    let found = try database.rows("SELECT _pk, \(cell) FROM \(table) WHERE typeof(\(cell)) = 'text'") {
      ($0.value(0), $0.string(1))
    }
    for (key, text) in found {
      guard let name = ExternalName(text), let data = try? read(name) else { continue }
      try database.run("UPDATE \(table) SET \(cell) = ? WHERE _pk = ?", [.blob(data), key])
      try pending?.remove([name])
    }
  }

  // MARK: - What a transaction may leave

  /// Marks that a transaction is about to write or remove files.
  /// - Returns: its path.
  fileprivate func mark() throws -> String {
    let path = path(ofFile: Self.markPrefix + UUID().uuidString)
    // Only its name matters, which willCommit() syncs.
    try write(Data(), to: path, isSynced: false)
    return path
  }

  fileprivate func unmark(_ path: String) { unlinked(path) }

  /// Whether a transaction was interrupted or is running elsewhere.
  var isUnfinished: Bool {
    // Most stores have no folder, and reading one that is missing makes an error first.
    guard FileManager.default.fileExists(atPath: directory.path),
      let all = try? FileManager.default.contentsOfDirectory(atPath: directory.path)
    else { return false }
    return all.contains { $0.hasPrefix(Self.markPrefix) }
  }

  /// Removes files that no row names. No other process may write to the store meanwhile.
  func sweep(_ namesInRows: () throws -> Set<ExternalName>) rethrows {
    let all = entries()
    let kept = try namesInRows()
    let orphans = all.compactMap(ExternalName.init).filter { !kept.contains($0) }
    // A power cut may take the commit back that dropped their rows. If it cannot be synced, the next opening tries again.
    if !orphans.isEmpty, (try? syncLog()) == nil { return }
    guard remove(orphans).isEmpty else { return }
    for mark in all where mark.hasPrefix(Self.markPrefix) { unmark(path(ofFile: mark)) }
  }

  /// Syncs the names of files to the disk.
  package func syncNames() throws {
    if !isTemporary { try explained { try DurableFiles.sync(folder: directory.path) } }
  }

  /// Syncs the committed transactions to the disk.
  fileprivate func syncLog() throws {
    guard !isTemporary else { return }
    // SQLite puts the log next to the target of a symbolic link.
    let database = database.resolvingSymlinksInPath()
    try DurableFiles.sync(file: database.path + "-wal")
    try DurableFiles.sync(folder: database.deletingLastPathComponent().path)
  }

  private func explained<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as POSIXError {
      if error.code == .ENOSPC || error.code == .EDQUOT || error.code == .EFBIG {
        throw SwiftDataError(
          .storeFull,
          message: "the disk of \(directory.path) is full; nothing was saved and the context keeps its changes."
            + " Free space and save again",
          underlying: error)
      }
      throw SwiftDataError(
        .io,
        message:
          "external data cannot be written to \(directory.path) (\(String(cString: strerror(error.code.rawValue))))",
        underlying: error)
    }
  }
}

/// The files that a transaction wrote, and those to remove once it is committed.
final class PendingFiles: Sendable {
  private struct Names {
    /// The path of the mark.
    var mark: String?
    var written: [ExternalName] = []
    var removed: [ExternalName] = []
    /// Files that are obsolete and could not be removed.
    var left: [ExternalName] = []
  }
  private let storage: ExternalStorage
  private let names = Lock(Names())

  init(_ storage: ExternalStorage) {
    self.storage = storage
  }

  /// Writes a file.
  /// - Returns: its name.
  func write(_ data: Data) throws -> ExternalName {
    try names.withLock { names in
      try prepare(&names)
      let name = ExternalName()
      // Recorded first, because a partially written file may not be removable at once.
      names.written.append(name)
      try storage.write(data, as: name)
      return name
    }
  }

  /// Schedules files for removal after the commit.
  func remove(_ more: [ExternalName]) throws {
    if more.isEmpty { return }
    try names.withLock { names in
      try prepare(&names)
      names.removed += more
    }
  }

  private func prepare(_ names: inout Names) throws {
    if names.mark == nil { names.mark = try storage.mark() }
  }

  /// The current position in the transaction, for a rollback.
  var savepoint: Savepoint { names.withLock { Savepoint(written: $0.written.count, removed: $0.removed.count) } }
  struct Savepoint {
    static let start = Savepoint(written: 0, removed: 0)
    fileprivate let written: Int
    fileprivate let removed: Int
  }

  /// Discards the operations since a savepoint. The transaction continues.
  func rollBack(to savepoint: Savepoint) {
    names.withLock { names in
      names.left += storage.remove(Array(names.written[savepoint.written...]))
      names.written.removeSubrange(savepoint.written...)
      names.removed.removeSubrange(savepoint.removed...)
    }
  }

  /// Runs as the last step before the commit.
  func willCommit() throws {
    // This includes the mark. Without it, no opening would look for files that a power cut leaves.
    if names.withLock({ $0.mark != nil }) { try storage.syncNames() }
  }

  /// - Parameter isCertain: whether the commit was not attempted. A crash may leave a failed commit in the log, which
  ///   then needs its files. The mark makes the next opening decide.
  func rolledBack(isCertain: Bool) {
    names.withLock { names in
      if isCertain { remove(names.written + names.left, names) }
      names = Names()
    }
  }

  func committed() {
    names.withLock { names in
      defer { names = Names() }
      // If this fails, the mark stays, and the next opening cleans up.
      guard names.mark != nil, (try? storage.syncLog()) != nil else { return }
      remove(names.removed + names.left, names)
    }
  }

  /// Removes files, and then the mark if none is left. Otherwise the next opening has to look for them.
  private func remove(_ files: [ExternalName], _ names: Names) {
    if storage.remove(files).isEmpty, let mark = names.mark { storage.unmark(mark) }
  }
}
