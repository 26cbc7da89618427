import CSwiftDataSQLite

/// An error of SQLite.
package struct SQLiteError: Error, CustomStringConvertible {
  /// SQLite's extended result code.
  package let code: Int32
  package let message: String
  /// The statement that failed.
  package let sql: String?

  /// - Parameter message: SQLite's message, or nil for its description of the code.
  package init(_ code: Int32, _ message: String? = nil, sql: String? = nil) {
    self.code = code
    self.message = message ?? String(cString: sqlite3_errstr(code))
    self.sql = sql
  }

  /// The result code without its detail, such as `SQLITE_BUSY`.
  package var primaryCode: Int32 { code & 0xFF }

  package var description: String { "SQLite error \(code): \(message)" + (sql.map { " (\($0))" } ?? "") }
}
