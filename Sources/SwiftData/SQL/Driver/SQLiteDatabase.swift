import CSwiftDataSQLite
import Foundation

/// How a connection is opened.
package struct SQLiteOptions: Sendable {
  package var isReadOnly = false
  /// How many seconds a statement waits for the locks of other connections.
  package var lockTimeout: Double = 0
  /// Called with each new connection before it reads the file.
  package var setUp: @Sendable (SQLiteDatabase) throws -> Void = { _ in }

  package init() {}
}

/// One connection to SQLite. The only other code that calls SQLite's C functions binds and steps on the hot paths
/// (``SQLiteConnection``), computes SQL functions, and reads the bytes of files.
///
/// One thread uses it at a time; SQLite's own lock of a connection is off.
package final class SQLiteDatabase {
  package let handle: OpaquePointer
  package let isReadOnly: Bool
  /// The statements that the connection keeps prepared, by their texts.
  private var kept: [String: OpaquePointer] = [:]
  private var isClosed = false
  /// Whether the body of ``transaction(beginning:_:)`` runs.
  private var isInTransactionBody = false

  /// Opens a connection as SQLite makes it, without options.
  /// - Parameters:
  ///   - path: a path, `:memory:`, or a URI that begins with `file:`.
  ///   - flags: `SQLITE_OPEN_READONLY`, or `SQLITE_OPEN_READWRITE` with or without `SQLITE_OPEN_CREATE`.
  package init(_ path: String, flags: Int32) throws {
    var opened: OpaquePointer?
    // Older versions do not know the flag for extended result codes.
    let extendedCodes: Int32 = sqlite3_libversion_number() >= 3_037_000 ? 0x0200_0000 : 0
    let code = sqlite3_open_v2(path, &opened, flags | extendedCodes | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) }
      sqlite3_close(opened)
      throw SQLiteError(code, message)
    }
    (handle, isReadOnly) = (opened, flags & SQLITE_OPEN_READONLY != 0)
    if extendedCodes == 0 { sqlite3_extended_result_codes(opened, 1) }
  }

  /// Opens a connection that enforces foreign keys, and reads the file.
  /// - Throws: ``SQLiteError`` where the file is missing and read only, or is not a database.
  package convenience init(_ path: String, _ options: SQLiteOptions = SQLiteOptions()) throws {
    try self.init(path, flags: options.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    sqlite3_busy_timeout(handle, Int32(options.lockTimeout * 1000))
    swiftdata_sqlite_be_strict(handle)
    try options.setUp(self)
    // SQLite opens any file, and says at the first statement that it is not a database.
    try execute("SELECT * FROM sqlite_master LIMIT 1")
  }

  /// Opens an empty database in memory.
  package static func inMemory(_ options: SQLiteOptions = SQLiteOptions()) throws -> SQLiteDatabase {
    try SQLiteDatabase(":memory:", options)
  }

  // A statement that is still in use keeps the connection open until it ends.
  deinit {
    forgetStatements()
    if !isClosed { sqlite3_close_v2(handle) }
  }

  /// Closes the connection. Later statements throw.
  /// - Throws: ``SQLiteError`` if a statement is in use. The connection then stays open.
  package func close() throws {
    guard !isClosed else { return }
    forgetStatements()
    guard sqlite3_close(handle) == SQLITE_OK else { throw error(nil) }
    isClosed = true
  }

  /// The error of the function of SQLite that failed last.
  package func error(_ sql: String?) -> SQLiteError {
    SQLiteError(sqlite3_extended_errcode(handle), String(cString: sqlite3_errmsg(handle)), sql: sql)
  }

  // MARK: - Preparing

  /// Prepares one statement.
  /// - Throws: ``SQLiteError`` also for a text with no statement or with several.
  private func prepare(_ sql: String, _ flags: Int32) throws -> OpaquePointer {
    guard !isClosed else { throw SQLiteError(SQLITE_MISUSE, "the connection is closed", sql: sql) }
    var statement: OpaquePointer?
    let hasMore = try sql.withCString { text in
      var rest: UnsafePointer<CChar>?
      guard sqlite3_prepare_v3(handle, text, -1, UInt32(flags), &statement, &rest) == SQLITE_OK else {
        throw error(sql)
      }
      return rest.map { $0.pointee != 0 && hasStatement($0) } ?? false
    }
    guard let statement, !hasMore else {
      sqlite3_finalize(statement)
      throw SQLiteError(SQLITE_MISUSE, "the text has \(hasMore ? "several statements" : "no statement")", sql: sql)
    }
    return statement
  }

  /// Whether a text has more than spaces and comments.
  private func hasStatement(_ text: UnsafePointer<CChar>) -> Bool {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    return sqlite3_prepare_v3(handle, text, -1, 0, &statement, nil) != SQLITE_OK || statement != nil
  }

  /// Prepares a statement that the caller keeps.
  package func statement(_ sql: String) throws -> SQLiteStatement {
    SQLiteStatement(try prepare(sql, 0), sql: sql, self)
  }

  /// The prepared statement of a text. It stays prepared until ``forgetStatements()``.
  func keptStatement(_ sql: String) throws -> OpaquePointer {
    if let known = kept[sql] { return known }
    let statement = try prepare(sql, SQLITE_PREPARE_PERSISTENT)
    kept[sql] = statement
    return statement
  }

  /// The number of statements that the connection keeps.
  package var keptCount: Int { kept.count }

  /// Ends the statements that the connection keeps. None of them may be in use.
  package func forgetStatements() {
    for statement in kept.values { sqlite3_finalize(statement) }
    kept = [:]
  }

  // MARK: - Running

  /// Runs all statements of a text.
  package func execute(_ sql: String) throws {
    try checkUsable(sql)
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error(sql) }
  }

  /// Runs one statement.
  /// - Returns: the number of rows that it changed.
  @discardableResult
  package func run(_ sql: String, _ arguments: [SQLValue]) throws -> Int {
    try withStatement(sql, arguments) { statement in
      while try step(statement, sql) {}
      return Int(sqlite3_changes(handle))
    }
  }

  /// Calls `body` for each row of a statement. The connection keeps the statement.
  package func step(_ sql: String, _ body: (SQLiteCells) throws -> Void) throws {
    try withStatement(sql, [], isKept: true) { statement in
      while try step(statement, sql) { try body(SQLiteCells(statement)) }
    }
  }

  /// The results of `body` for all rows of a statement.
  package func rows<T>(
    _ sql: String, _ arguments: [SQLValue] = [], _ body: (SQLiteCells) throws -> T
  ) throws -> [T] {
    try withStatement(sql, arguments) { statement in
      var result = [T]()
      while try step(statement, sql) { result.append(try body(SQLiteCells(statement))) }
      return result
    }
  }

  /// The result of `body` for the first row of a statement, or nil if it has none.
  package func first<T>(
    _ sql: String, _ arguments: [SQLValue] = [], _ body: (SQLiteCells) throws -> T
  ) throws -> T? {
    try withStatement(sql, arguments) { statement in
      try step(statement, sql) ? try body(SQLiteCells(statement)) : nil
    }
  }

  /// The integer of the first cell of a statement, or nil if it has no row or NULL.
  package func integer(_ sql: String, _ arguments: [SQLValue] = []) throws -> Int64? {
    try first(sql, arguments) { $0.isNull(0) ? nil : $0.integer(0) } ?? nil
  }

  /// Calls `body` with a statement whose parameters are bound.
  /// - Parameter isKept: whether the connection keeps the statement for its next use.
  package func withStatement<T>(
    _ sql: String, _ arguments: [SQLValue], isKept: Bool = false, _ body: (OpaquePointer) throws -> T
  ) throws -> T {
    try checkUsable(sql)
    var statement = try isKept ? keptStatement(sql) : prepare(sql, 0)
    var isOwn = !isKept
    // A caller further up may be stepping the same statement.
    if isKept, sqlite3_stmt_busy(statement) != 0 { (statement, isOwn) = (try prepare(sql, 0), true) }
    defer {
      if isOwn {
        sqlite3_finalize(statement)
      } else {
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
      }
    }
    for (index, argument) in arguments.enumerated() {
      guard argument.bind(to: statement, at: Int32(index + 1)) == SQLITE_OK else { throw error(sql) }
    }
    return try body(statement)
  }

  /// - Returns: whether there is a row.
  @inline(__always)
  package func step(_ statement: OpaquePointer, _ sql: String) throws -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw error(sql)
    }
  }

  // MARK: - Transactions

  /// Whether no transaction is open. SQLite ends one itself after some errors, such as a full disk.
  package var isOutsideTransaction: Bool { sqlite3_get_autocommit(handle) != 0 }

  /// A number that changes with each commit to the file, of this connection or another. Within a transaction, it is of the state that
  /// the transaction reads. No statement runs for it.
  package var dataVersion: UInt32 {
    var version: UInt32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  private func checkUsable(_ sql: String) throws {
    guard !isClosed else { throw SQLiteError(SQLITE_MISUSE, "the connection is closed", sql: sql) }
    // Without this, the rest of a transaction that SQLite ended would be committed statement by statement.
    if isInTransactionBody, isOutsideTransaction {
      throw SQLiteError(SQLITE_ABORT, "the transaction was aborted", sql: sql)
    }
  }

  /// Runs `body` in a transaction. If it throws, nothing of it stays.
  package func transaction<T>(beginning begin: String = "BEGIN IMMEDIATE", _ body: () throws -> T) throws -> T {
    try inBody(begin, end: "COMMIT", body) {
      if !isOutsideTransaction { try? execute("ROLLBACK") }
    }
  }

  /// Runs `body` in a savepoint of an open transaction. If it throws, nothing of it stays.
  package func savepoint<T>(_ body: () throws -> T) throws -> T {
    try inBody("SAVEPOINT swiftdata", end: "RELEASE swiftdata", body) {
      if !isOutsideTransaction { try? execute("ROLLBACK TO swiftdata; RELEASE swiftdata") }
    }
  }

  private func inBody<T>(_ begin: String, end: String, _ body: () throws -> T, rollBack: () -> Void) throws -> T {
    try execute(begin)
    let wasInBody = isInTransactionBody
    isInTransactionBody = true
    defer { isInTransactionBody = wasInBody }
    do {
      let result = try body()
      try execute(end)
      return result
    } catch {
      rollBack()
      throw error
    }
  }
}
