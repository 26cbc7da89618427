import Foundation
import SwiftData
import Synchronization

/// The connections to a file. They leave a file that is only read unchanged.
///
/// A connection that only reads takes no locks and makes no files. Otherwise SQLite would make a `-wal` and a `-shm` next to
/// a file in write-ahead mode and remove them again. If the log has rows, SQLite keeps the log's index in memory. Without
/// locks SQLite does not notice writers, so each read compares the file's size, date and inode number before and after.
// @unchecked Sendable because the mutex guards what changes.
package final class FileAccess: @unchecked Sendable {
  let url: URL
  let isWritable: Bool
  private let lockTimeout: Double
  private let setUp: @Sendable (FileConnection) throws -> Void
  private let state = Mutex(State())
  private let writing = NSRecursiveLock()

  private struct State {
    var idle: [FileConnection] = []
    var stamp: [FileStamp?] = []
    /// A copy of a file whose last writer left a rollback journal.
    var copy: PrivateCopy?
    var generation = 0
  }

  /// - Parameter setUp: called with each new connection.
  package init(
    _ url: URL, isWritable: Bool, lockTimeout: Double = 5,
    setUp: @escaping @Sendable (FileConnection) throws -> Void
  ) {
    // SQLite keeps a log next to the file that a symbolic link leads to.
    self.url = URL(fileURLWithPath: FileKind.real(url.path))
    (self.isWritable, self.lockTimeout, self.setUp) = (isWritable, lockTimeout, setUp)
  }

  /// Counts the changes by other programs that were noticed.
  var generation: Int { state.withLock { $0.generation } }

  /// Closes the idle connections. The next read makes new ones.
  func reset() { state.withLock { $0.idle = [] } }

  // MARK: - Reading

  /// Reads from one consistent state.
  /// - Throws: `SwiftDataError/storeLocked` if another program changed the file meanwhile.
  package func read<T>(_ body: (FileConnection) throws -> T) throws -> T {
    try readChecked { connection, check in
      try connection.transaction(beginning: "BEGIN") {
        let result = try body(connection)
        try check()
        return result
      }
    }
  }

  /// Reads outside a transaction, for a body that begins its own.
  /// - Parameter body: calls its second argument before it makes its result final, which throws if another program changed
  ///   the file since the start.
  func readChecked<T>(_ body: (FileConnection, () throws -> Void) throws -> T) throws -> T {
    let stamp = Self.stamp(url)
    let connection = try take(stamp)
    let result: T
    do {
      result = try body(connection) { if !isWritable, Self.stamp(url) != stamp { throw changed() } }
    } catch {
      if !isWritable, Self.stamp(url) != stamp { throw changed() }
      give(connection, stamp)
      throw error
    }
    give(connection, stamp)
    return result
  }

  private func changed() -> SwiftDataError {
    SwiftDataError(
      .storeLocked, message: "\"\(url.path)\" changed during the fetch; fetch again")
  }

  /// Runs `body` in one transaction.
  package func write<T>(_ body: (FileConnection) throws -> T) throws -> T {
    guard isWritable else {
      throw SwiftDataError(
        .storeReadOnly,
        message: "\"\(url.path)\" was opened with allowsSave: false; AppleStoreConfiguration(url:allowsSave: true) lets"
          + " contexts save to it")
    }
    writing.lock()
    defer { writing.unlock() }
    let connection = try take(Self.stamp(url))
    defer { give(connection, Self.stamp(url)) }
    return try connection.transaction(beginning: "BEGIN IMMEDIATE") { try body(connection) }
  }

  private func take(_ stamp: [FileStamp?]) throws -> FileConnection {
    let idle = state.withLock { state -> FileConnection? in
      if !isWritable, state.stamp != stamp {
        if !state.stamp.isEmpty { state.generation += 1 }
        (state.idle, state.stamp, state.copy) = ([], stamp, nil)
      }
      return state.idle.popLast()
    }
    if let idle { return idle }
    let connection = try open()
    try setUp(connection)
    return connection
  }

  private func give(_ connection: FileConnection, _ stamp: [FileStamp?]) {
    state.withLock { state in
      if isWritable || state.stamp == stamp, state.idle.count < 5 { state.idle.append(connection) }
    }
  }

  // MARK: - Opening

  private func open() throws -> FileConnection {
    let path = url.path
    var isFolder = ObjCBool(false)
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
      throw SwiftDataError(.io, message: "\"\(path)\" is not a file; name a store that SwiftData or Core Data made")
    }
    if isWritable {
      return try FileConnection(
        uri: Self.uri(path, "mode=rw"), place: path, lockTimeout: lockTimeout)
    }
    let log = Self.size(path + "-wal")
    if log == 0, Self.size(path + "-journal") > 0 { return try openCopy() }
    guard log > 0 else {
      return try FileConnection(
        uri: Self.uri(path, "mode=ro&immutable=1"), place: path, lockTimeout: lockTimeout)
    }
    return try FileConnection(
      uri: Self.uri(path, "mode=ro"), place: path, lockTimeout: lockTimeout, takesLocks: false)
  }

  /// Opens a copy of the file. A rollback journal must be played back, which would change the file.
  private func openCopy() throws -> FileConnection {
    let copy = try state.withLock { state -> PrivateCopy in
      if let copy = state.copy { return copy }
      let copy = try PrivateCopy(of: url)
      state.copy = copy
      return copy
    }
    return try FileConnection(
      uri: Self.uri(copy.file.path, "mode=rw"), place: url.path, lockTimeout: lockTimeout)
  }

  package static func uri(_ path: String, _ parameters: String) -> String { FileKind.uri(path, parameters) }

  private static func size(_ path: String) -> Int64 {
    var information = stat()
    return stat(path, &information) == 0 ? Int64(information.st_size) : 0
  }

  private static func stamp(_ url: URL) -> [FileStamp?] { ["", "-wal", "-journal"].map { FileStamp(url.path + $0) } }
}

/// The metadata of a file that change when its content changes.
struct FileStamp: Equatable, Sendable {
  private let number: UInt64
  private let size: Int64
  private let seconds: Int
  private let nanoseconds: Int

  /// Nil if there is no file.
  init?(_ path: String) {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    (number, size) = (UInt64(information.st_ino), Int64(information.st_size))
    #if canImport(Darwin)
      (seconds, nanoseconds) = (information.st_mtimespec.tv_sec, information.st_mtimespec.tv_nsec)
    #else
      (seconds, nanoseconds) = (information.st_mtim.tv_sec, information.st_mtim.tv_nsec)
    #endif
  }
}

/// A copy of a store in a folder of its own. Both are removed with this object.
final class PrivateCopy: Sendable {
  let file: URL
  private let folder: URL

  init(of url: URL) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("apple-store-\(UUID().uuidString)")
    file = folder.appendingPathComponent("store")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try DatabaseFile(url.path).copy(to: file)
    for suffix in ["-wal", "-journal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
      try FileManager.default.copyItem(atPath: url.path + suffix, toPath: file.path + suffix)
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
