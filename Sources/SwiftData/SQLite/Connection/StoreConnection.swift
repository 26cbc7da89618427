import GRDB
import GRDBSQLite

/// One connection to a store, with the statements that it ran last.
// @unchecked Sendable because one thread uses it at a time: a reader is taken from the idle ones, and the statements of
// the writer are used on its queue only.
final class StoreConnection: @unchecked Sendable {
  let queue: DatabaseQueue
  private let statements: KeptStatements

  init(_ queue: DatabaseQueue) { (self.queue, statements) = (queue, KeptStatements(queue)) }

  // The statements end before the database closes, which refuses to close while there are some.
  deinit { statements.removeAll() }

  func close() throws {
    // On the queue, after whatever still uses them.
    queue.unsafeReentrantRead { _ in statements.removeAll() }
    try queue.close()
  }

  /// Runs `body` in a transaction. The caller is on the queue, or took the connection from the idle readers.
  func inTransaction<T>(beginning begin: String, _ body: (KeptStatements) throws -> T) throws -> T {
    try run(begin)
    do {
      let result = try body(statements)
      try run("COMMIT")
      return result
    } catch {
      // SQLite may have ended the transaction itself.
      if sqlite3_get_autocommit(statements.handle) == 0 { try? run("ROLLBACK") }
      throw error
    }
  }

  private func run(_ sql: String) throws {
    let statement = try statements.statement(sql)
    let code = sqlite3_step(statement)
    sqlite3_reset(statement)
    guard code == SQLITE_DONE else {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(statements.handle)), sql: sql)
    }
  }
}

/// The statements that a connection ran last.
///
/// GRDB keeps all statements by their texts. To hash a text takes as long as to read a row, each transaction runs the same
/// few statements, and a save runs one of them thousands of times.
///
/// A thread that has taken a reader runs its statements without GRDB's queue, whose generic functions take a quarter of the
/// time that SQLite takes to find a row. GRDB's own functions, such as preparing a statement, run on the queue.
final class KeptStatements {
  private struct Kept {
    let count: Int
    let sql: String
    let statement: Statement
  }

  /// A fetch runs four statements, a save of one class seven.
  private static let capacity = 8
  /// SQLite's connection.
  let handle: OpaquePointer
  private let database: Database
  /// The queue that GRDB's functions need, or nil if the user of the statements is on it.
  private let queue: DatabaseQueue?
  // Unchecked, because looking for one or replacing one runs nothing else.
  @exclusivity(unchecked) private var kept: [Kept] = []
  /// The place of the one that ran last.
  @exclusivity(unchecked) private var recent = 0
  /// The place of the next one once all are taken.
  @exclusivity(unchecked) private var next = 0

  init(_ queue: DatabaseQueue) {
    self.queue = queue
    // GRDB's functions trap outside the queue, so `onQueue` alone passes the database on.
    database = queue.unsafeReentrantRead { $0 }
    handle = database.sqliteConnection!
  }

  /// The caller and all users of the statements are on the database's queue.
  init(_ database: Database) { (queue, self.database, handle) = (nil, database, database.sqliteConnection!) }

  /// Runs `body` on GRDB's queue.
  func onQueue<T>(_ body: (Database) throws -> T) throws -> T {
    guard let queue else { return try body(database) }
    return try queue.unsafeReentrantRead(body)
  }

  /// The prepared statement of a text. It stays prepared at least until the next call.
  /// - Throws: GRDB's error if SQLite refuses the text.
  @inline(__always)
  func statement(_ sql: String) throws -> OpaquePointer {
    let count = sql.utf8.count
    if recent < kept.count, kept[recent].count == count, kept[recent].sql == sql {
      return kept[recent].statement.sqliteStatement
    }
    return try find(sql, count)
  }

  @inline(never)
  private func find(_ sql: String, _ count: Int) throws -> OpaquePointer {
    if let place = kept.firstIndex(where: { $0.count == count && $0.sql == sql }) {
      recent = place
      return kept[place].statement.sqliteStatement
    }
    let new = Kept(count: count, sql: sql, statement: try onQueue { try $0.cachedStatement(sql: sql) })
    if kept.count < Self.capacity {
      recent = kept.count
      kept.append(new)
    } else {
      recent = next
      kept[next] = new
      next = (next + 1) % Self.capacity
    }
    return new.statement.sqliteStatement
  }

  func removeAll() { (kept, recent, next) = ([], 0, 0) }
}
