import GRDB
import GRDBSQLite

extension Database {
  /// Runs a statement without parameters and calls `body` for each row.
  ///
  /// GRDB's functions for this are generic. Their first use in a process searches the conformances of the whole program
  /// several times, which takes longer than the rest of opening a store.
  func step(_ sql: String, _ body: (SQLiteConnection.Cells) throws -> Void) throws {
    let statement = try cachedStatement(sql: sql).sqliteStatement
    defer { sqlite3_reset(statement) }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: try body(SQLiteConnection.Cells(statement: statement))
      case SQLITE_DONE: return
      default:
        throw DatabaseError(
          resultCode: ResultCode(rawValue: sqlite3_extended_errcode(sqliteConnection)),
          message: String(cString: sqlite3_errmsg(sqliteConnection)), sql: sql)
      }
    }
  }
}
