import CSwiftDataSQLite
import Testing

@testable import SwiftData

@Suite struct RowCellsTests {
  @Test(
    "Cells are found where SQLite has them, and none outside the row",
    arguments: [
      "SELECT x, y, z FROM t ORDER BY z DESC", "SELECT x FROM t", "SELECT y, 'constant' FROM t",
      "SELECT x, y, z FROM t UNION ALL SELECT 1, z, 'other' FROM t WHERE x > 3",
      "VALUES (1, 'two', 3.0), (x'04', NULL, 6)",
      "SELECT z, count(*), group_concat(y), max(x) FROM t GROUP BY z",
      "SELECT a.x, b.y, a.z, b.x, a.y, b.z, a.x + 1, a.y || b.y, NULL, 1.5 FROM t AS a JOIN t AS b ON a.x < b.x",
    ])
  func places(sql: String) throws {
    let database = try SQLiteDatabase.inMemory()
    try database.execute("CREATE TABLE t (x INTEGER PRIMARY KEY, y TEXT, z)")
    for number in 0..<9 {
      try database.run(
        "INSERT INTO t (y, z) VALUES (?, ?)",
        [
          .text(String(repeating: "long ", count: number * 400)),
          number.isMultiple(of: 2) ? .null : .integer(Int64(number)),
        ])
    }
    try database.withStatement(sql, []) { statement in
      var cells = RowCells()
      var rows = 0
      while try database.step(statement, sql) {
        cells.find(in: statement)
        // If another SQLite keeps its cells elsewhere, everything works, but slowly.
        #expect(cells.first != nil)
        for column in -1...sqlite3_column_count(statement) {
          #expect(cells.cell(column, of: statement) == sqlite3_column_value(statement, column))
        }
        rows += 1
      }
      #expect(rows > 1)
    }
  }
}
