import CSwiftDataSQLite
import Foundation
import SwiftData

extension FileConnection {
  /// Opens a store for reading while other programs save to it.
  ///
  /// It takes SQLite's locks, so that a transaction sees one state whatever other programs do. It needs the log and its index,
  /// which a program that has the store open has made.
  package convenience init(reading path: String, place: String) throws {
    try self.init(uri: FileAccess.uri(path, "mode=ro"), place: place, lockTimeout: 5)
    try expectOwnStore()
  }

  /// Prepares the connection for a file of OpenSwiftData.
  ///
  /// Indices over members of structs call SQLite's JSON functions. SQLite 3.40 allows these in a trusted schema only, and calls any other schema
  /// malformed. Trust does no harm here: a schema can only call functions of values, because the connection has no others.
  package func expectOwnStore() throws {
    try SwiftFunctions.register(on: handle)
    try execute("PRAGMA trusted_schema = ON")
  }

  /// Calls `body` in a transaction that sees one state of the file.
  package func atOneMoment<T>(_ body: () throws -> T) throws -> T {
    try execute("BEGIN")
    defer { if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") } }
    return try body()
  }

  /// Copies the database, page by page, as the running transaction sees it.
  /// - Parameter path: the new file. Only its owner may read it.
  /// - Throws: `SwiftDataError`. The new file may then be incomplete.
  package func copy(to path: String) throws {
    try DurableFiles.write(Data(), to: path, isSynced: false)
    let copy = try FileConnection(uri: FileAccess.uri(path, "mode=rw"), place: path, lockTimeout: 5)
    guard let backup = sqlite3_backup_init(copy.handle, "main", handle, "main") else { throw copy.failure() }
    // One step has all pages, so that the copy is of one state.
    let code = sqlite3_backup_step(backup, -1)
    let finished = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, finished == SQLITE_OK else {
      if code & 0xFF == SQLITE_FULL {
        throw SwiftDataError(.storeFull, message: "the disk of \"\(path)\" is full; free some space and try again")
      }
      throw FileErrors.error(
        code: finished == SQLITE_OK ? code : finished, message: String(cString: sqlite3_errmsg(copy.handle)), sql: nil,
        place: path)
    }
  }

  /// A column of a statement's result.
  package struct ResultColumn: Sendable {
    package let name: String
    /// The table and the column that the values come from. Nil for an expression.
    package let origin: (table: String, column: String)?
  }

  /// Why SQLite refuses a statement that a person wrote.
  package struct RefusedStatement: Error {
    package let reason: String
  }

  /// Runs one statement that a person wrote and that changes nothing.
  /// - Parameter columns: called once, before the rows.
  /// - Throws: ``RefusedStatement``, and what the closures throw.
  package func query(
    _ sql: String, columns: ([ResultColumn]) throws -> Void, _ row: ([SQLValue]) throws -> Void
  ) throws {
    // A statement could attach another file and write to it, although this one is open for reading only.
    let former = sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
    // An import may use the connection later.
    defer { sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, former) }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let isSingle = try sql.withCString { text in
      var rest: UnsafePointer<CChar>?
      guard sqlite3_prepare_v2(handle, text, -1, &statement, &rest) == SQLITE_OK else { throw refused() }
      return rest.map { String(cString: $0).allSatisfy { $0.isWhitespace || $0 == ";" } } ?? true
    }
    guard let statement else { throw RefusedStatement(reason: "it is empty") }
    guard isSingle else { throw RefusedStatement(reason: "it has more after the first semicolon") }
    guard sqlite3_stmt_readonly(statement) != 0, sqlite3_column_count(statement) > 0 else {
      throw RefusedStatement(reason: "it does not only read")
    }
    try columns(
      (0..<sqlite3_column_count(statement)).map { index in
        let table = sqlite3_column_table_name(statement, index).map { String(cString: $0) }
        let column = sqlite3_column_origin_name(statement, index).map { String(cString: $0) }
        return ResultColumn(
          name: String(cString: sqlite3_column_name(statement, index)),
          origin: table.flatMap { table in column.map { (table, $0) } })
      })
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: try row(SQLiteCells(statement).values)
      case SQLITE_DONE: return
      default: throw refused()
      }
    }
  }

  private func refused() -> any Error {
    switch sqlite3_errcode(handle) {
    case SQLITE_ERROR, SQLITE_RANGE, SQLITE_MISMATCH, SQLITE_TOOBIG, SQLITE_AUTH:
      RefusedStatement(reason: String(cString: sqlite3_errmsg(handle)))
    default: failure()
    }
  }
}
