import CSwiftDataSQLite
import Testing

@testable import SwiftData

@Suite struct KeptStatementsTests {
  @Test("Among more statements than are kept, with texts of one length, each text finds its own")
  func texts() throws {
    let kept = KeptStatements(try SQLiteDatabase.inMemory())
    for step in 0..<200 {
      let sql = "SELECT \(10 + step * step % 31 % 13)"
      let statement = try kept.statement(sql)
      #expect(sqlite3_sql(statement).map { String(cString: $0) } == sql)
    }
  }

  @Test("A statement that is kept returns the rows of a table that changed")
  func changedTable() throws {
    let database = try SQLiteDatabase.inMemory()
    let kept = KeptStatements(database)
    try database.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    func columns() throws -> Int32 {
      let statement = try kept.statement("SELECT * FROM t")
      defer { sqlite3_reset(statement) }
      #expect(sqlite3_step(statement) == SQLITE_ROW)
      return sqlite3_column_count(statement)
    }
    #expect(try columns() == 1)
    try database.execute("ALTER TABLE t ADD COLUMN y")
    #expect(try columns() == 2)
  }

  @Test("A text that SQLite refuses throws, and leaves the others")
  func refusals() throws {
    let kept = KeptStatements(try SQLiteDatabase.inMemory())
    let statement = try kept.statement("SELECT 1")
    #expect(throws: SQLiteError.self) { try kept.statement("no SQL") }
    #expect(try kept.statement("SELECT 1") == statement)
  }

  @Test("A connection ends its statements between transactions once there are many, and prepares them again")
  func many() throws {
    let database = try SQLiteDatabase.inMemory()
    let connection = StoreConnection(database, isShared: true)
    for _ in 0..<2 {
      try connection.inTransaction(beginning: "BEGIN") { kept in
        for number in 0..<1_200 {
          let statement = try kept.statement("SELECT \(number)")
          #expect(sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) == Int32(number))
          sqlite3_reset(statement)
        }
        #expect(database.keptCount == 1_201)
      }
    }
    try connection.inTransaction(beginning: "BEGIN") { _ in #expect(database.keptCount == 1) }
  }
}
