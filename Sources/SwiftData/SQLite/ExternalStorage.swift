import Foundation
import Synchronization

/// Keeps large `Data` of `.externalStorage` properties in files beside the store, one a value.
///
/// A file and its name are on the disk before the row that names it is committed, and it goes after the commit that
/// dropped the last row naming it is on the disk too; what stops in between leaves a file without a row, never the
/// opposite. ``PendingFiles`` keeps that order, and ``sweep(_:)`` removes what was left.
struct ExternalStorage: Sendable {
  /// Data up to this size stays in the row.
  static let threshold = 128 * 1024
  /// What the files begin with that say that a transaction may leave something behind.
  private static let markPrefix = "unfinished-"

  let directory: URL
  let isTemporary: Bool
  private let database: URL
  /// Where a transaction of others' is under way, what it will have done to the files.
  var pending: PendingFiles?

  init(_ configuration: ModelConfiguration) {
    isTemporary = configuration.isStoredInMemoryOnly
    directory =
      isTemporary
      ? FileManager.default.temporaryDirectory.appendingPathComponent("SwiftData-\(UUID().uuidString)")
      : configuration.url.deletingLastPathComponent().appendingPathComponent(
        ".\(configuration.url.lastPathComponent)_external")
    database = configuration.url
  }

  func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

  func read(_ name: String) throws -> Data {
    do {
      return try Data(contentsOf: directory.appendingPathComponent(name))
    } catch {
      throw SwiftDataError(
        .io, message: "the external data \(name) is missing from \(directory.path) or cannot be read",
        underlying: error)
    }
  }

  fileprivate func write(_ data: Data, as name: String, isSynced: Bool = true) throws {
    try explained {
      try DurableFiles.createFolder(directory.path)
      do {
        // Nobody reads it before its row is committed, so that it needs no other name until it is whole.
        try DurableFiles.write(data, to: path(name), isSynced: isSynced && !isTemporary)
      } catch {
        remove([name])
        throw error
      }
    }
  }

  /// - Returns: those that are still there, because they could not be removed.
  @discardableResult
  fileprivate func remove(_ names: some Sequence<String>) -> [String] {
    names.filter { unlink(path($0)) != 0 && errno != ENOENT }
  }

  /// Every file, as long as nobody else uses the store.
  func removeAll() { try? FileManager.default.removeItem(at: directory) }

  /// The names of the files; none where there is no folder.
  func names() -> [String] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    return all.filter { !$0.hasPrefix(Self.markPrefix) }
  }

  // MARK: - What a transaction may leave

  /// Says that a transaction is about to write or remove files.
  fileprivate func mark() throws -> String {
    let name = Self.markPrefix + UUID().uuidString
    // What counts is its name, which willCommit() syncs.
    try write(Data(), as: name, isSynced: false)
    return name
  }

  /// Whether a transaction did not come to its end, or is under way elsewhere.
  var isUnfinished: Bool {
    guard let all = try? FileManager.default.contentsOfDirectory(atPath: directory.path) else { return false }
    return all.contains { $0.hasPrefix(Self.markPrefix) }
  }

  /// Removes the files that no row names. Nobody else may write to the store meanwhile.
  func sweep(_ namesInRows: () throws -> Set<String>) rethrows {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    let kept = try namesInRows()
    // What somebody else put there stays.
    let left = remove(all.filter { !kept.contains($0) && UUID(uuidString: $0) != nil })
    if left.isEmpty { remove(all.filter { $0.hasPrefix(Self.markPrefix) }) }
  }

  /// Brings the names of files to the disk.
  fileprivate func syncNames() throws {
    if !isTemporary { try explained { try DurableFiles.sync(folder: directory.path) } }
  }

  /// Brings what was committed to the disk.
  fileprivate func syncLog() throws {
    guard !isTemporary else { return }
    // SQLite's log is beside what a link leads to.
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
          message: "the disk is full; nothing of this save was stored. Free some space and save again",
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

/// The files that a transaction writes, and those that it does not need any more once it is committed.
final class PendingFiles: Sendable {
  private struct Names {
    var mark: String?
    var written: [String] = []
    var removed: [String] = []
    /// Written for nothing, and could not be removed.
    var left: [String] = []
  }
  private let storage: ExternalStorage
  private let names = Mutex(Names())

  init(_ storage: ExternalStorage) {
    self.storage = storage
  }

  /// Writes a file.
  /// - Returns: its name.
  func write(_ data: Data) throws -> String {
    try names.withLock { names in
      try prepare(&names)
      let name = UUID().uuidString
      // Before it is there: what stops half-way may not be removed at once.
      names.written.append(name)
      try storage.write(data, as: name)
      return name
    }
  }

  /// Removes files once the transaction is committed.
  func remove(_ more: some Sequence<String>) throws {
    let more = Array(more)
    if more.isEmpty { return }
    try names.withLock { names in
      try prepare(&names)
      names.removed += more
    }
  }

  private func prepare(_ names: inout Names) throws {
    if names.mark == nil { names.mark = try storage.mark() }
  }

  /// Where in the transaction it is, to go back to.
  var savepoint: Savepoint { names.withLock { Savepoint(written: $0.written.count, removed: $0.removed.count) } }
  struct Savepoint {
    static let start = Savepoint(written: 0, removed: 0)
    fileprivate let written: Int
    fileprivate let removed: Int
  }

  /// Forgets what was done since; the transaction goes on.
  func rollBack(to savepoint: Savepoint) {
    names.withLock { names in
      names.left += storage.remove(names.written[savepoint.written...])
      names.written.removeSubrange(savepoint.written...)
      names.removed.removeSubrange(savepoint.removed...)
    }
  }

  /// The last step before the commit.
  func willCommit() throws {
    // The mark among them, without which nobody would look for what a power cut leaves.
    if names.withLock({ $0.mark != nil }) { try storage.syncNames() }
  }

  /// - Parameter isCertain: whether the commit was not tried. One that failed may yet be found in the log by who opens
  ///   the store after a crash, and then needs its files; the mark has that decided at the next opening.
  func rolledBack(isCertain: Bool) {
    names.withLock { names in
      if isCertain { remove(names.written + names.left, names) }
      names = Names()
    }
  }

  func committed() {
    names.withLock { names in
      defer { names = Names() }
      // Without it the mark stays, and the next opening does the rest.
      guard names.mark != nil, (try? storage.syncLog()) != nil else { return }
      remove(names.removed + names.left, names)
    }
  }

  /// Removes files, and the mark with the last of them: while one is left, the next opening has to look for it.
  private func remove(_ files: [String], _ names: Names) {
    if storage.remove(files).isEmpty, let mark = names.mark { storage.remove([mark]) }
  }
}
