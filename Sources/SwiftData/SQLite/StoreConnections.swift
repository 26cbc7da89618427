import Dispatch
import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// The connections to a store file: one writer and a few readers.
///
/// A fetch of one row is so short that its overhead counts. GRDB's own pool finds a reader through two dispatch queues
/// and runs transactions through its observers, which takes longer than the fetch.
// @unchecked Sendable because GRDB's Configuration, which is not Sendable, is only read.
final class StoreConnections: @unchecked Sendable {
  /// The maximum number of concurrent readers. Another thread waits.
  private static let readerCount = 5

  let writer: DatabaseQueue
  /// Nil if only the writer can read, because another connection would not see an in-memory database.
  private let file: (path: String, options: Configuration)?
  /// The identity of the file at opening.
  private let identity: FileIdentity?
  private let permits = DispatchSemaphore(value: StoreConnections.readerCount)
  /// What a reading connection runs before it is used.
  private let readerSetup = Mutex<[String]>([])
  /// The idle readers, or nil after closing.
  private let idle = Mutex<[DatabaseQueue]?>([])

  /// Opens an in-memory database.
  init(inMemory options: Configuration) throws {
    self.writer = try DatabaseQueue(configuration: options)
    (self.file, self.identity) = (nil, nil)
  }

  /// A file, whose writes go to a log beside it (WAL), so that a write does not wait for reads.
  /// - Parameter log: false for a database in memory, which has none.
  init(
    path: String, options: Configuration, durability: ModelConfiguration.Durability = .normal, log: Bool = true
  ) throws {
    var options = options
    if !options.readonly, log { options.journalMode = .wal }
    self.writer = try DatabaseQueue(path: path, configuration: options)
    // After opening, because GRDB sets NORMAL when it enables WAL.
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
    // Readers close first. The last connection checkpoints the log into the file, which a reader cannot do.
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

  /// Runs `body` in one immediate transaction.
  /// - Parameter didCommit: called after the commit and before any other write.
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
    let reader = try DatabaseQueue(path: path, configuration: options)
    for statement in readerSetup.withLock({ $0 }) { try reader.inDatabase { try $0.execute(sql: statement) } }
    return reader
  }

  /// Runs statements on each reading connection before its next use. No read runs meanwhile.
  func setUp(_ statements: [String]) {
    readerSetup.withLock { $0 = statements }
    idle.withLock { $0 = [] }
  }

  /// Checks that the path still leads to the open file. SQLite would continue writing to an unlinked file, and the
  /// saves would be lost.
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

  /// Closes all connections. Waits for the readers.
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

  /// Keeps SQLite from removing another database's log. The last connection removes the log by name; if the database
  /// was replaced, that log belongs to the new one.
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
      // SQLite may have ended the transaction itself.
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

/// The identity of a file, independent of its name.
private struct FileIdentity: Equatable {
  private let device: UInt64
  private let number: UInt64

  /// Returns nil if there is no file.
  init?(_ path: String) {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    (device, number) = (UInt64(information.st_dev), UInt64(information.st_ino))
  }
}
