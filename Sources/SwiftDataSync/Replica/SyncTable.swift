#if Sync
import Foundation
import SwiftData

/// A table of a replica's bookkeeping.
struct SyncTable {
  enum Kind { case integer, real, text, bytes }
  let name: String
  let columns: [(name: String, kind: Kind)]
  /// How many of the first columns are the primary key.
  let keyLength: Int
  /// The columns that have an index.
  let indices: [String]

  init(
    _ name: String, _ columns: [(String, Kind)], isKeyed: Bool = true, keyLength: Int = 1, indices: [String] = []
  ) {
    (self.name, self.columns, self.indices) = (name, columns, indices)
    self.keyLength = isKeyed ? keyLength : 0
  }

  /// The names of the columns that are the primary key.
  var key: [String] { columns.prefix(keyLength).map(\.name.quotedIdentifier) }

  /// Bytes of large values, on their way to the server or from it.
  static let assets = SyncTable("assets", [("sha256", .text), ("bytes", .bytes)])
  /// The values that lost conflicts.
  static let conflicts = SyncTable(
    "conflicts",
    [
      ("date", .real), ("record", .text), ("entity", .text), ("property", .text), ("lost", .bytes), ("kept", .bytes),
    ], isKeyed: false, indices: ["date"])
  /// What a replica knows of itself, as JSON: one row.
  static let replica = SyncTable("replica", [("id", .integer), ("state", .bytes)])
}

/// The tables of one replica.
struct SyncTables {
  let database: SyncDatabase
  private let prefix: String
  private let all: [SyncTable]

  init(_ database: SyncDatabase, _ prefix: String, _ all: [SyncTable]) {
    (self.database, self.prefix, self.all) = (database, prefix, all)
  }

  private func name(_ table: SyncTable) -> String { prefix + table.name }

  /// Makes the tables that are not there.
  func make() throws {
    let types = database.types
    for table in all {
      var columns = table.columns.enumerated().map { index, column in
        let type =
          switch column.kind {
          case .integer: types.integer
          case .real: types.real
          // See ``SyncDatabase/cell(_:)``.
          case .text: database.isSQLite ? types.text : types.bytes
          case .bytes: types.bytes
          }
        return "\(column.name.quotedIdentifier) \(type)" + (index == 0 && table.keyLength == 1 ? " PRIMARY KEY" : "")
      }
      if table.keyLength > 1 { columns.append("PRIMARY KEY (\(table.key.joined(separator: ", ")))") }
      // Otherwise SQLite keeps each row twice.
      let end = table.keyLength > 1 && database.isSQLite ? " WITHOUT ROWID" : ""
      try database.execute("CREATE TABLE IF NOT EXISTS \(name(table)) (\(columns.joined(separator: ", ")))\(end)")
      for column in table.indices {
        try database.execute(
          "CREATE INDEX IF NOT EXISTS \(name(table))_\(column) ON \(name(table)) (\(column.quotedIdentifier))")
      }
    }
  }

  // MARK: - Rows

  /// - Parameters:
  ///   - columns: the columns to read, as SQL; nil is all.
  ///   - rest: what follows the name of the table, as SQL.
  func rows(
    _ table: SyncTable, _ columns: String? = nil, _ rest: String = "", _ arguments: [SQLValue] = []
  ) throws -> [[SQLValue]] {
    let columns = columns ?? table.columns.map(\.name.quotedIdentifier).joined(separator: ", ")
    return try database.rows("SELECT \(columns) FROM \(name(table)) \(rest)", arguments)
  }

  /// The rows whose column has one of some values.
  func rows(
    _ table: SyncTable, _ columns: String? = nil, where column: String, in values: [SQLValue]
  ) throws -> [[SQLValue]] {
    var found: [[SQLValue]] = []
    for part in Self.parts(values) { found += try rows(table, columns, Self.among(column, part), part) }
    return found
  }

  /// Writes rows. One with the same key is replaced.
  func put(_ table: SyncTable, _ rows: [[SQLValue]]) throws {
    let names = table.columns.map(\.name.quotedIdentifier)
    let place = "(" + names.map { _ in "?" }.joined(separator: ", ") + ")"
    let assignments = names.dropFirst(table.keyLength).map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    let action = assignments.isEmpty ? "DO NOTHING" : "DO UPDATE SET \(assignments)"
    let end = table.keyLength > 0 ? " ON CONFLICT (\(table.key.joined(separator: ", "))) \(action)" : ""
    var start = 0
    while start < rows.count {
      // Few sizes, so that there are few statements to prepare.
      let count = min(64, 1 << (Int.bitWidth - 1 - (rows.count - start).leadingZeroBitCount))
      let places = Array(repeating: place, count: count).joined(separator: ", ")
      try database.execute(
        "INSERT INTO \(name(table)) (\(names.joined(separator: ", "))) VALUES \(places)\(end)",
        rows[start..<start + count].flatMap(\.self))
      start += count
    }
  }

  /// Removes the rows whose column has one of some values.
  func remove(_ table: SyncTable, where column: String, in values: [SQLValue]) throws {
    for part in Self.parts(values) {
      try database.execute("DELETE FROM \(name(table)) \(Self.among(column, part))", part)
    }
  }

  /// Removes rows by their primary keys.
  func remove(_ table: SyncTable, _ keys: [[SQLValue]]) throws {
    let condition = table.key.map { "\($0) = ?" }.joined(separator: " AND ")
    for key in keys { try remove(table, where: condition, key) }
  }

  /// For each of some values, the least and the greatest value of a column among the rows that have the value in another column. A value
  /// without rows is left out. The columns are the first ones of the primary key, so that few rows are read.
  func bounds(
    _ table: SyncTable, of column: String, where other: String, in values: [SQLValue]
  ) throws -> [[SQLValue]] {
    let (column, other) = (column.quotedIdentifier, other.quotedIdentifier)
    var found: [[SQLValue]] = []
    for part in Self.parts(values) {
      // The type of the first value is the type of all.
      let sought = ["(CAST(? AS \(database.types.bytes)))"] + part.dropFirst().map { _ in "(?)" }
      func bound(_ function: String) -> String {
        "(SELECT \(function)(\(column)) FROM \(name(table)) WHERE \(other) = sought.value)"
      }
      found += try database.rows(
        "WITH sought(value) AS (VALUES \(sought.joined(separator: ", "))) SELECT value, lowest, highest FROM "
          + "(SELECT value, \(bound("min")) AS lowest, \(bound("max")) AS highest FROM sought) AS bounds "
          + "WHERE lowest IS NOT NULL", part)
    }
    return found
  }

  /// Removes the rows of a condition.
  func remove(_ table: SyncTable, where condition: String, _ arguments: [SQLValue]) throws {
    try database.execute("DELETE FROM \(name(table)) WHERE \(condition)", arguments)
  }

  private static func among(_ column: String, _ values: [SQLValue]) -> String {
    "WHERE \(column.quotedIdentifier) IN (\(values.map { _ in "?" }.joined(separator: ", ")))"
  }

  /// Values in parts of few sizes, so that there are few statements to prepare. The last value fills a part up.
  private static func parts(_ values: [SQLValue]) -> [[SQLValue]] {
    stride(from: 0, to: values.count, by: 512).map { start in
      let part = values[start..<min(start + 512, values.count)]
      let size = [1, 8, 64, 512].first { $0 >= part.count } ?? 512
      return part + Array(repeating: part.last!, count: size - part.count)
    }
  }
}
#endif
