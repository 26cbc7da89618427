import Dispatch
import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// The connections to a store's file: one that writes, and a few that read beside it.
///
/// A fetch of one row is so short that what leads up to it counts: GRDB's own pool asks two dispatch queues for a
/// reader and runs its transactions through its observers, which takes longer than the fetch.
// @unchecked Sendable because GRDB's Configuration, which is not, is only read.
final class StoreConnections: @unchecked Sendable {
  /// As many threads read at a time; another waits.
  private static let readerCount = 5

  let writer: DatabaseQueue
  /// Nil where only the writer can read: another connection would not see a database in memory.
  private let file: (path: String, options: Configuration)?
  /// Which file the path led to when it was opened.
  private let identity: FileIdentity?
  private let permits = DispatchSemaphore(value: StoreConnections.readerCount)
  /// The readers that nobody uses now; nil after the end.
  private let idle = Mutex<[DatabaseQueue]?>([])

  /// A database in memory.
  init(inMemory options: Configuration) throws {
    self.writer = try DatabaseQueue(configuration: options)
    (self.file, self.identity) = (nil, nil)
  }

  /// A file, whose writes go to a log beside it (WAL), so that nobody waits for somebody else's reads.
  init(path: String, options: Configuration, durability: ModelConfiguration.Durability = .normal) throws {
    var options = options
    if !options.readonly { options.journalMode = .wal }
    self.writer = try DatabaseQueue(path: path, configuration: options)
    // Only now: with the log GRDB asks for NORMAL.
    if !options.readonly {
      try writer.inDatabase { try $0.execute(sql: "PRAGMA synchronous = \(durability.pragma)") }
    }
    options.readonly = true
    options.journalMode = .default
    self.file = (path, options)
    self.identity = FileIdentity(path)
  }

  deinit {
    leaveLogOfOthers()
    // Readers first: the last connection that closes brings the log into the file, which a reader cannot.
    idle.withLock { $0 = nil }
  }

  /// Reads from one consistent state.
  func read<T>(_ body: (Database) throws -> T) throws -> T {
    guard let file else { return try writer.unsafeRead { try Self.inTransaction($0, body) } }
    permits.wait()
    defer { permits.signal() }
    let reader = try take() ?? makeReader(file.path, file.options)
    defer { idle.withLock { $0?.append(reader) } }
    return try reader.unsafeRead { try Self.inTransaction($0, body) }
  }

  /// Runs `body` in one immediate transaction: all of it is committed, or none.
  /// - Parameter didCommit: called after the commit and before anybody else writes.
  func write<T>(_ body: (Database) throws -> T, didCommit: () -> Void = {}) throws -> T {
    try checkPlace()
    return try writer.writeWithoutTransaction { database in
      let result = try Self.inTransaction(database, beginning: "BEGIN IMMEDIATE", body)
      didCommit()
      return result
    }
  }

  private func makeReader(_ path: String, _ options: Configuration) throws -> DatabaseQueue {
    try checkPlace()
    return try DatabaseQueue(path: path, configuration: options)
  }

  /// SQLite goes on writing to a file that has lost its name, and nobody would find what was saved.
  private func checkPlace() throws {
    guard let file, FileIdentity(file.path) != identity else { return }
    throw SwiftDataError(
      .io,
      message: "\"\(file.path)\" was removed or replaced while the store was open; nothing of this was stored. Put the"
        + " file back, or make a new ModelContainer and insert the objects there")
  }

  private func take() throws -> DatabaseQueue? {
    try idle.withLock { idle in
      guard idle != nil else { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the store is closed") }
      return idle!.popLast()
    }
  }

  /// Ends every use of the file; waits for the readers.
  func close() throws {
    for _ in 0..<Self.readerCount { permits.wait() }
    defer { for _ in 0..<Self.readerCount { permits.signal() } }
    let readers = idle.withLock { idle in
      defer { idle = nil }
      return idle ?? []
    }
    for reader in readers { try reader.close() }
    leaveLogOfOthers()
    try writer.close()
  }

  /// The last connection that closes removes the log by its name. Where another database has taken the place of this one,
  /// that is the log of the other.
  private func leaveLogOfOthers() {
    guard let file, let current = FileIdentity(file.path), current != identity else { return }
    writer.unsafeReentrantRead { database in
      var isKept: Int32 = 1
      sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
    }
  }

  // MARK: - Transactions

  private static func inTransaction<T>(
    _ database: Database, beginning begin: String = "BEGIN", _ body: (Database) throws -> T
  ) throws -> T {
    try run(begin, in: database)
    do {
      let result = try body(database)
      try run("COMMIT", in: database)
      return result
    } catch {
      // Where SQLite has ended the transaction itself, there is none to end.
      if sqlite3_get_autocommit(database.sqliteConnection) == 0 { try? run("ROLLBACK", in: database) }
      throw error
    }
  }

  private static func run(_ sql: String, in database: Database) throws {
    let statement = try database.cachedStatement(sql: sql).sqliteStatement
    let code = sqlite3_step(statement)
    sqlite3_reset(statement)
    guard code == SQLITE_DONE else {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(database.sqliteConnection)),
        sql: sql)
    }
  }
}

/// What tells a file from another one that took its name.
private struct FileIdentity: Equatable {
  private let device: UInt64
  private let number: UInt64

  /// Nil where there is no file.
  init?(_ path: String) {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    (device, number) = (UInt64(information.st_dev), UInt64(information.st_ino))
  }
}
