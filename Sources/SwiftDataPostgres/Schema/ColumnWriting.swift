import Foundation
import SwiftData

/// Writes the cells of a column that Swift computes row by row, one batch of rows with each statement.
struct ColumnWriting {
  let connection: PostgresConnection
  /// The table, quoted.
  let table: String
  let column: LayoutRecord.Column
  var codec: ColumnCodec?
  /// Whether only empty cells are written. Another program may fill them at the same time.
  var fillsOnly = false

  /// The number of rows of a batch.
  static let batch = 1_000

  /// Where a text of the source has its original form: in `_given`.
  struct Original {
    let name: String
    let isJSON: Bool
  }

  /// - Parameters:
  ///   - source: the expression with the value that a new one is computed from.
  ///   - original: where the original form of a text is. Nil if the source has no texts, or a codec.
  ///   - condition: the condition for the rows. They may still fulfil it afterwards.
  ///   - value: computes the value of a row.
  func write(
    from source: String, original: Original? = nil, where condition: String, _ value: (SQLValue) throws -> SQLValue
  ) throws {
    var last = Int64.min
    let given = original == nil ? "" : ", _given"
    while true {
      // The key finds the next rows without those that are done.
      let rows = try connection.run(
        "SELECT _pk, \(source)\(given) FROM \(table) WHERE (\(condition)) AND _pk > $1::bigint ORDER BY _pk LIMIT \(Self.batch)",
        [.integer(last)])
      guard rows.count > 0 else { return }
      let keys = (0..<rows.count).map { rows.integer($0, 0) }
      let cells = try (0..<rows.count).map { row in
        let known = Self.source(rows.value(row, 1), original) { rows.value(row, 2) }
        return try ServerCell(try value(known), column.family, codec)
      }
      try write(cells, to: keys)
      last = keys[keys.count - 1]
    }
  }

  /// Writes all values again.
  /// - Parameter known: the codec of the cells so far.
  func writeAgain(from known: ColumnCodec) throws {
    let cell = column.name.quotedIdentifier
    try write(from: cell, where: "\(cell) IS NOT NULL") { try known.decode($0) }
  }

  /// Writes a value to all rows that fulfil a condition.
  func writeAll(_ value: SQLValue, where condition: String) throws {
    let value = try ServerCell(value, column.family, codec)
    var parameters: [PostgresParameter] = [.array([value.value], column.serverType)]
    var given = ""
    if let text = value.given {
      parameters.append(.array([ServerCell.encode(given: [column.name: text])], .jsonb))
      given = ", _given = coalesce(_given, '{}') || ($2::jsonb[])[1]"
    }
    _ = try connection.run(
      "UPDATE \(table) SET \(column.name.quotedIdentifier) = ($1::\(column.serverType.name)[])[1]\(given)"
        + " WHERE \(condition)", parameters)
  }

  /// The value of a source, with a text in its original form.
  private static func source(_ cell: SQLValue, _ original: Original?, _ given: () -> SQLValue) -> SQLValue {
    guard let original, case .text(let stored) = cell else { return cell }
    if let text = ServerCell.decode(given: given())[original.name],
      ServerCell.isOriginal(text, of: cell, isJSON: original.isJSON)
    {
      return .text(text)
    }
    return original.isJSON ? cell : .text(StoredText.text(ofStored: stored))
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
