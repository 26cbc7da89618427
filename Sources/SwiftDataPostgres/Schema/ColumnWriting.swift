import Foundation
import SwiftData

/// Writes the cells of a column that Swift computes row by row, one batch of rows with each statement.
struct ColumnWriting {
  let connection: PostgresConnection
  /// The table, quoted.
  let table: String
  let column: LayoutRecord.Column
  /// Whether only empty cells are written. Another program may fill them at the same time.
  var fillsOnly = false

  /// The number of rows of a batch.
  static let batch = 1_000

  /// - Parameters:
  ///   - source: the expression with the value that a cell is computed from.
  ///   - condition: the condition for the rows. They may still fulfil it afterwards.
  ///   - cell: computes the cell of a row.
  func write(from source: String, where condition: String, _ cell: (SQLValue) throws -> ServerCell) throws {
    var last = Int64.min
    while true {
      // The key finds the next rows without those that are done.
      let rows = try connection.run(
        "SELECT _pk, \(source) FROM \(table) WHERE (\(condition)) AND _pk > $1::bigint ORDER BY _pk LIMIT \(Self.batch)",
        [.integer(last)])
      guard rows.count > 0 else { return }
      let keys = (0..<rows.count).map { rows.integer($0, 0) }
      try write(try (0..<rows.count).map { try cell(rows.value($0, 1)) }, to: keys)
      last = keys[keys.count - 1]
    }
  }

  private func write(_ cells: [ServerCell], to keys: [Int64]) throws {
    let type = column.serverType
    var parameters: [PostgresParameter] = [.keys(keys), .array(cells.map(\.value), type)]
    var (given, arrays, names) = ("", "$1::bigint[], $2::\(type.name)[]", "key, cell")
    if cells.contains(where: { $0.given != nil }) {
      let texts: [SQLValue] = cells.map { cell in
        cell.given.map { ServerCell.encode(given: [column.name: $0]) } ?? .null
      }
      parameters.append(.array(texts, .jsonb))
      arrays += ", $3::jsonb[]"
      names += ", given"
      given = ", _given = CASE WHEN v.given IS NULL THEN t._given ELSE coalesce(t._given, '{}') || v.given END"
    }
    _ = try connection.run(
      "UPDATE \(table) AS t SET \(column.name.quotedIdentifier) = v.cell\(given)"
        + " FROM unnest(\(arrays)) AS v (\(names)) WHERE t._pk = v.key AND t._pk = ANY($1::bigint[])"
        + (fillsOnly ? " AND t.\(column.name.quotedIdentifier) IS NULL" : ""), parameters)
  }
}
