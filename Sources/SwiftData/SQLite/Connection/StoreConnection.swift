import CSwiftDataSQLite

/// One connection to a store, with the statements that it ran last.
// @unchecked Sendable is safe because only one thread uses a connection at a time: a thread takes a reader out of the idle ones, and
// threads that write wait for each other in `exclusively`.
final class StoreConnection: @unchecked Sendable {
  let database: SQLiteDatabase
  private let statements: KeptStatements
  /// The turns of the threads that share the writer.
  private let turns: Turns?

  /// A writer keeps this number of statements between transactions at most.
  private static let maximumStatements = 1_000

  /// - Parameter isShared: whether several threads have the connection, and take turns with ``exclusively(_:)``.
  init(_ database: SQLiteDatabase, isShared: Bool) {
    self.database = database
    statements = KeptStatements(database)
    turns = isShared ? Turns() : nil
  }

  /// A thread waited too long for the connection.
  struct TookTooLong: Error {}

  /// Runs `body` while no other thread uses the connection. It must not be called by `body` again.
  /// - Parameter seconds: the longest wait, or nil for one without an end.
  /// - Throws: ``TookTooLong``, and the error of `body`.
  func exclusively<T>(within seconds: Double? = nil, _ body: () throws -> T) throws -> T {
    guard let turns else { return try body() }
    guard turns.begin(within: seconds) else { throw TookTooLong() }
    defer { turns.end() }
    return try body()
  }

  /// Closes the connection after whatever still uses it.
  /// - Parameters:
  ///   - seconds: the longest wait, or nil for one without an end.
  ///   - prepare: called before the end with the connection.
  /// - Throws: ``TookTooLong``, and the error of SQLite.
  func close(within seconds: Double? = nil, _ prepare: (SQLiteDatabase) -> Void = { _ in }) throws {
    try exclusively(within: seconds) {
      statements.removeAll()
      prepare(database)
      try database.close()
    }
  }

  /// Runs `body` in a transaction. The caller has the connection for itself.
  func inTransaction<T>(beginning begin: String, _ body: (KeptStatements) throws -> T) throws -> T {
    // No statement is in use now.
    if database.keptCount > Self.maximumStatements { statements.forget() }
    try run(begin)
    do {
      let result = try body(statements)
      try run("COMMIT")
      return result
    } catch {
      // SQLite may have ended the transaction itself.
      if !database.isOutsideTransaction { try? run("ROLLBACK") }
      throw error
    }
  }

  private func run(_ sql: String) throws {
    let statement = try statements.statement(sql)
    let code = sqlite3_step(statement)
    sqlite3_reset(statement)
    guard code == SQLITE_DONE else { throw database.error(sql) }
  }
}

/// The statements that a connection ran last.
///
/// The connection keeps all statements by their texts. To hash a text takes as long as to read a row, each transaction runs the
/// same few statements, and a save runs one of them thousands of times.
final class KeptStatements {
  private struct Kept {
    let count: Int
    let sql: String
    let statement: OpaquePointer
  }

  /// A fetch runs four statements, a save of one class seven.
  private static let capacity = 8
  let database: SQLiteDatabase
  /// SQLite's connection.
  let handle: OpaquePointer
  // Unchecked, because looking for one or replacing one runs nothing else.
  @exclusivity(unchecked) private var kept: [Kept] = []
  /// The place of the one that ran last.
  @exclusivity(unchecked) private var recent = 0
  /// The place of the next one once all are taken.
  @exclusivity(unchecked) private var next = 0

  init(_ database: SQLiteDatabase) { (self.database, handle) = (database, database.handle) }

  /// The prepared statement of a text. It stays prepared until the connection forgets its statements, between transactions.
  /// - Throws: ``SQLiteError`` if SQLite refuses the text.
  @inline(__always)
  func statement(_ sql: String) throws -> OpaquePointer {
    let count = sql.utf8.count
    if recent < kept.count, kept[recent].count == count, kept[recent].sql == sql { return kept[recent].statement }
    return try find(sql, count)
  }

  @inline(never)
  private func find(_ sql: String, _ count: Int) throws -> OpaquePointer {
    if let place = kept.firstIndex(where: { $0.count == count && $0.sql == sql }) {
      recent = place
      return kept[place].statement
    }
    let new = Kept(count: count, sql: sql, statement: try database.keptStatement(sql))
    if kept.count < Self.capacity {
      recent = kept.count
      kept.append(new)
    } else {
      recent = next
      kept[next] = new
      next = (next + 1) % Self.capacity
    }
    return new.statement
  }

  func removeAll() { (kept, recent, next) = ([], 0, 0) }

  /// Ends all statements of the connection. None of them may be in use.
  func forget() {
    removeAll()
    database.forgetStatements()
  }
}
