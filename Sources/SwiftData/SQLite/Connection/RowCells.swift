import CSwiftDataSQLite

/// The places of the cells of a statement's current row.
///
/// SQLite's function that finds a cell takes longer than reading the cell. SQLite keeps the cells of a row in one array,
/// so their places follow from the first two. The last one is compared for each row. If it is not where the array would
/// have it, each cell is asked for.
///
/// SQLite calls a cell unprotected, because its function takes no lock. The connection is exclusive while we read.
struct RowCells {
  /// The first cell, or nil if each cell is asked for.
  private(set) var first: UnsafeRawPointer?
  private var distance = 0
  private var count: UInt32 = 0

  /// Finds the cells after a step that returned a row. A row may lie elsewhere than the one before.
  @inline(__always)
  mutating func find(in statement: OpaquePointer) {
    if count == 0 { measure(statement) }
    let start = UnsafeRawPointer(sqlite3_column_value(statement, 0))
    let last = UnsafeRawPointer(sqlite3_column_value(statement, Int32(count) - 1))
    first = start.map { $0 + (Int(count) - 1) * distance } == last ? start : nil
  }

  @inline(never)
  private mutating func measure(_ statement: OpaquePointer) {
    count = UInt32(max(1, sqlite3_column_count(statement)))
    guard count > 1, let start = UnsafeRawPointer(sqlite3_column_value(statement, 0)),
      let second = UnsafeRawPointer(sqlite3_column_value(statement, 1))
    else { return }
    distance = second - start
  }

  @inline(__always)
  func cell(_ column: Int32, of statement: OpaquePointer) -> OpaquePointer? {
    if let first, UInt32(bitPattern: column) < count { return OpaquePointer(first + Int(column) * distance) }
    return sqlite3_column_value(statement, column)
  }
}
