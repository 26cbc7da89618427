import GRDB
import GRDBSQLite
import Testing

@testable import SwiftData

@Suite struct KeptStatementsTests {
  @Test("Among more statements than are kept, with texts of one length, each text finds its own")
  func texts() throws {
    try DatabaseQueue().inDatabase { database in
      let kept = KeptStatements(database)
      for step in 0..<200 {
        let sql = "SELECT \(10 + step * step % 31 % 13)"
        let statement = try kept.statement(sql)
        #expect(sqlite3_sql(statement).map { String(cString: $0) } == sql)
      }
    }
  }

  @Test("A statement that is kept returns the rows of a table that changed, also where GRDB has let go of it")
  func changedTable() throws {
    try DatabaseQueue().inDatabase { database in
      let kept = KeptStatements(database)
      try database.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (1)")
      func columns() throws -> Int32 {
        let statement = try kept.statement("SELECT * FROM t")
        defer { sqlite3_reset(statement) }
        #expect(sqlite3_step(statement) == SQLITE_ROW)
        return sqlite3_column_count(statement)
      }
      #expect(try columns() == 1)
      try database.execute(sql: "ALTER TABLE t ADD COLUMN y")
      database.clearSchemaCache()
      #expect(try columns() == 2)
    }
  }

  @Test("A text that SQLite refuses throws, and leaves the others")
  func refusals() throws {
    try DatabaseQueue().inDatabase { database in
      let kept = KeptStatements(database)
      let statement = try kept.statement("SELECT 1")
      #expect(throws: DatabaseError.self) { try kept.statement("no SQL") }
      #expect(try kept.statement("SELECT 1") == statement)
    }
  }
}
