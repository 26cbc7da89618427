import CSwiftDataSQLite
import Foundation
import Testing

@testable import SwiftData

@Suite struct SQLiteDatabaseTests {
  @Test("Values come back as they were bound, whatever bytes they have")
  func values() throws {
    let database = try SQLiteDatabase.inMemory()
    try database.execute("CREATE TABLE t (x)")
    let values: [SQLValue] = [
      .null, .integer(.min), .integer(.max), .real(-0.5), .text(""), .text("a\0b"), .text("caf\u{e9} \u{1F4DA}"),
      .blob(Data()),
      .blob(Data([0, 1, 0])),
    ]
    for value in values { try database.run("INSERT INTO t VALUES (?)", [value]) }
    #expect(try database.rows("SELECT x FROM t ORDER BY rowid") { $0.value(0) } == values)
    try database.register("same", argumentCount: 1) { $0[0] }
    #expect(try database.rows("SELECT same(x) FROM t ORDER BY rowid") { $0.value(0) } == values)
  }

  @Test("An error of an SQL function has the text of the error")
  func functions() throws {
    let database = try SQLiteDatabase.inMemory()
    try database.register("fails", argumentCount: 0) { _ in throw SQLiteError(SQLITE_ERROR, "no such luck") }
    let error = #expect(throws: SQLiteError.self) { try database.integer("SELECT fails()") }
    #expect(error?.message == "no such luck" && error?.sql == "SELECT fails()")
  }

  @Test(
    "A text with several statements or none is refused, and nothing of it runs",
    arguments: ["INSERT INTO t VALUES (1); DELETE FROM t", "INSERT INTO t VALUES (1); no SQL", "", " -- nothing"])
  func oneStatement(sql: String) throws {
    let database = try SQLiteDatabase.inMemory()
    try database.execute("CREATE TABLE t (x)")
    #expect(throws: SQLiteError.self) { try database.run(sql, []) }
    #expect(try database.integer("SELECT count(*) FROM t") == 0)
    try database.run("INSERT INTO t VALUES (1); -- the end", [])
    #expect(try database.integer("SELECT count(*) FROM t") == 1)
  }

  @Test("Foreign keys hold, and a name in double quotes is never a text")
  func strictness() throws {
    let database = try SQLiteDatabase.inMemory()
    try database.execute("CREATE TABLE a (x INTEGER PRIMARY KEY); CREATE TABLE b (y REFERENCES a (x))")
    let error = #expect(throws: SQLiteError.self) { try database.execute("INSERT INTO b VALUES (1)") }
    #expect(error?.primaryCode == SQLITE_CONSTRAINT && error?.code != SQLITE_CONSTRAINT)
    #expect(throws: SQLiteError.self) { try database.integer("SELECT \"nothing\"") }
  }

  @Test("What throws leaves nothing of a savepoint or a transaction")
  func rollback() throws {
    let database = try SQLiteDatabase.inMemory()
    try database.execute("CREATE TABLE t (x)")
    try database.transaction {
      try database.execute("INSERT INTO t VALUES (1)")
      #expect(throws: CancellationError.self) {
        try database.savepoint {
          try database.execute("INSERT INTO t VALUES (2)")
          throw CancellationError()
        }
      }
      try database.savepoint { try database.execute("INSERT INTO t VALUES (3)") }
    }
    #expect(throws: CancellationError.self) {
      try database.transaction {
        try database.execute("INSERT INTO t VALUES (4)")
        throw CancellationError()
      }
    }
    #expect(database.isOutsideTransaction)
    #expect(try database.rows("SELECT x FROM t ORDER BY x") { $0.integer(0) } == [1, 3])
  }

  @Test("After SQLite ended a transaction itself, the rest of its body changes nothing, and it throws")
  func aborted() throws {
    let database = try SQLiteDatabase.inMemory()
    try database.execute("CREATE TABLE t (x UNIQUE)")
    func body() throws {
      try database.execute("INSERT INTO t VALUES (1)")
      // As a full disk does.
      #expect(throws: SQLiteError.self) { try database.execute("INSERT OR ROLLBACK INTO t VALUES (1)") }
      #expect(throws: SQLiteError.self) { try database.execute("INSERT INTO t VALUES (2)") }
      #expect(throws: SQLiteError.self) { try database.savepoint {} }
    }
    let error = #expect(throws: SQLiteError.self) { try database.transaction(body) }
    #expect(error?.code == SQLITE_ABORT)
    #expect(try database.integer("SELECT count(*) FROM t") == 0)
  }

  @Test("The rows of a kept statement can be read while the same text runs again")
  func nested() throws {
    let database = try SQLiteDatabase.inMemory()
    try database.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3)")
    var pairs = [[Int64]]()
    try database.step("SELECT x FROM t") { outer in
      try database.step("SELECT x FROM t") { pairs.append([outer.integer(0), $0.integer(0)]) }
    }
    #expect(pairs == (1...3).flatMap { left in (1...3).map { [left, $0] } })
  }

  @Test("A closed connection refuses each statement")
  func closed() throws {
    let database = try SQLiteDatabase.inMemory()
    try database.step("SELECT 1") { _ in }
    try database.close()
    try database.close()
    #expect(throws: SQLiteError.self) { try database.execute("SELECT 1") }
    #expect(throws: SQLiteError.self) { try database.step("SELECT 1") { _ in } }
    #expect(throws: SQLiteError.self) { try database.statement("SELECT 1") }
  }

  @Test("A file that is no database, or is missing, is refused at opening")
  func refusedFiles() throws {
    let files = try TemporaryStore()
    try Data("This is a text, and it is long enough for the head of a database file of SQLite, or is it? Yes.".utf8)
      .write(to: files.url)
    #expect(throws: SQLiteError.self) { try SQLiteDatabase(files.url.path) }
    var options = SQLiteOptions()
    options.isReadOnly = true
    #expect(throws: SQLiteError.self) { try SQLiteDatabase(files.url.path + "-missing", options) }
    #expect(!FileManager.default.fileExists(atPath: files.url.path + "-missing"))
  }
}
