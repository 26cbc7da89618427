import Foundation
import SwiftData

/// Gives rows without a value the default of a property.
struct DefaultFilling {
  let connection: PostgresConnection
  /// The table, quoted.
  let table: String
  let column: LayoutRecord.Column
  /// Encrypts the cells, or nil if the column is not encrypted.
  let cipher: ColumnCipher?
  /// The condition for the rows, or nil for all rows.
  let condition: String?

  private var cell: String { column.name.quotedIdentifier }
  private var gaps: String { "\(cell) IS NULL" + (condition.map { " AND \($0)" } ?? "") }

  /// - Throws: `SwiftDataError.loadIssueModelContainer` if rows need a value and the property has no default.
  func fill(_ property: __Property, _ entity: __Entity) throws {
    let value = try DefaultCell.cell(of: property, in: entity) ?? .null
    // An expression such as `UUID()` has another value each time, and each row gets its own. So does an encrypted cell.
    if try DefaultCell.varies(property, in: entity) || cipher != nil && value != .null {
      let writing = ColumnWriting(connection: connection, table: table, column: column, cipher: cipher)
      try writing.write(from: cell, where: gaps) { _ in try DefaultCell.cell(of: property, in: entity) ?? .null }
    } else if value != .null {
      try writeAll(ServerCell(value, column.family))
    } else {
      guard !property.isOptional,
        try connection.run("SELECT 1 FROM \(table) WHERE \(gaps) LIMIT 1").count > 0
      else { return }
      throw SwiftDataError(
        .loadIssueModelContainer, entity: entity.name, property: property.name,
        message: "stored models have no value for it; give the property a default value or make it optional")
    }
    // A table with pending checks cannot be altered.
    try connection.settleConstraints()
  }

  private func writeAll(_ value: ServerCell) throws {
    var parameters: [PostgresParameter] = [.array([value.value], column.serverType)]
    var given = ""
    if let text = value.given, case .text(let json) = ServerCell.encode(given: [column.name: text]) {
      parameters.append(.text(json))
      given = ", _given = coalesce(_given, '{}') || $2::jsonb"
    }
    _ = try connection.run(
      "UPDATE \(table) SET \(cell) = ($1::\(column.serverType.name)[])[1]\(given) WHERE \(gaps)", parameters)
  }
}
