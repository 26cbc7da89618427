import GRDB
import GRDBSQLite

/// One connection to a store, with the statements that it ran last.
// @unchecked Sendable because one thread uses it at a time: a reader is taken from the idle ones, and the statements of
// the writer are used on its queue only.
final class StoreConnection: @unchecked Sendable {
  let queue: DatabaseQueue
  private let statements = KeptStatements()

  init(_ queue: DatabaseQueue) { self.queue = queue }

  // The statements end before the database closes, which refuses to close while there are some.
  deinit { statements.removeAll() }

  func close() throws {
    // On the queue, after whatever still uses them.
    queue.unsafeReentrantRead { _ in statements.removeAll() }
    try queue.close()
  }

  /// Reads from one consistent state.
  func read<T>(_ body: (Database, KeptStatements) throws -> T) throws -> T {
    try queue.unsafeRead { try inTransaction($0, beginning: "BEGIN", body) }
  }

  /// Runs `body` in a transaction. The caller is on the queue.
  func inTransaction<T>(
    _ database: Database, beginning begin: String, _ body: (Database, KeptStatements) throws -> T
  ) throws -> T {
    try run(begin, in: database)
    do {
      let result = try body(database, statements)
      try run("COMMIT", in: database)
      return result
    } catch {
      // SQLite may have ended the transaction itself.
      if sqlite3_get_autocommit(database.sqliteConnection) == 0 { try? run("ROLLBACK", in: database) }
      throw error
    }
  }

  private func run(_ sql: String, in database: Database) throws {
    let statement = try statements.statement(sql, in: database)
    let code = sqlite3_step(statement)
    sqlite3_reset(statement)
    guard code == SQLITE_DONE else {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(database.sqliteConnection)),
        sql: sql)
    }
  }
}

/// The statements that a connection ran last.
///
/// GRDB keeps all statements by their texts. To hash a text takes as long as to read a row, each transaction runs the same
/// few statements, and a save runs one of them thousands of times.
final class KeptStatements {
  private struct Kept {
    let count: Int
    let sql: String
    let statement: Statement
  }

  /// A fetch runs four statements, a save of one class seven.
  private static let capacity = 8
  // Unchecked, because looking for one or replacing one runs nothing else.
  @exclusivity(unchecked) private var kept: [Kept] = []
  /// The place of the one that ran last.
  @exclusivity(unchecked) private var recent = 0
  /// The place of the next one once all are taken.
  @exclusivity(unchecked) private var next = 0

  /// The prepared statement of a text. It stays prepared at least until the next call.
  /// - Throws: GRDB's error if SQLite refuses the text.
  @inline(__always)
  func statement(_ sql: String, in database: Database) throws -> OpaquePointer {
    let count = sql.utf8.count
    if recent < kept.count, kept[recent].count == count, kept[recent].sql == sql {
      return kept[recent].statement.sqliteStatement
    }
    return try find(sql, count, in: database)
  }

  @inline(never)
  private func find(_ sql: String, _ count: Int, in database: Database) throws -> OpaquePointer {
    if let place = kept.firstIndex(where: { $0.count == count && $0.sql == sql }) {
      recent = place
      return kept[place].statement.sqliteStatement
    }
    let new = Kept(count: count, sql: sql, statement: try database.cachedStatement(sql: sql))
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
