import SwiftData

extension LayoutChange {
  /// Sets the default value of a property's declaration in the rows of its class that have none.
  /// - Returns: false if the declaration has no default.
  @discardableResult
  func setDefault(_ column: LayoutRecord.Column, _ property: __Property?, in table: LayoutRecord.Table) throws -> Bool {
    guard let property, property.isAttribute,
      let owner = tables.first(where: { $0.name == table.name && $0.entity.name == property.entityName }),
      let value = DefaultCell.value(of: property, in: owner.entity).flatMap(ScalarType.unwrapped)
    else { return false }
    let name = column.name.quotedIdentifier
    // Rows of other classes of the hierarchy do not have the property.
    let isOfClass =
      owner.entity.superentity == nil
      ? "" : " AND _entity IN (\(owner.family.map(\.name.quotedLiteral).joined(separator: ", ")))"
    if try DefaultCell.varies(property, in: owner.entity) {
      try setEach(column, table, "\(name) IS NULL\(isOfClass)") {
        try ServerCell(of: DefaultCell.value(of: property, in: owner.entity), property).value
      }
    } else {
      _ = try connection.run(
        "UPDATE \(table.name.quotedIdentifier) SET \(name) = ($1::\(column.serverType.name)[])[1]"
          + " WHERE \(name) IS NULL\(isOfClass)",
        [.array([try ServerCell(of: value, property).value], column.serverType)])
    }
    // A table with pending checks cannot be altered.
    try connection.settleConstraints()
    return true
  }

  /// Sets a value of its own in each row, because a default such as `UUID()` differs each time.
  private func setEach(
    _ column: LayoutRecord.Column, _ table: LayoutRecord.Table, _ condition: String, _ value: () throws -> SQLValue
  ) throws {
    let (table, name) = (table.name.quotedIdentifier, column.name.quotedIdentifier)
    var last = Int64.min
    while true {
      let rows = try connection.run(
        "SELECT _pk FROM \(table) WHERE \(condition) AND _pk > $1::bigint ORDER BY _pk LIMIT 5000", [.integer(last)])
      if rows.count == 0 { return }
      let keys = (0..<rows.count).map { rows.integer($0, 0) }
      last = keys[keys.count - 1]
      _ = try connection.run(
        "UPDATE \(table) AS t SET \(name) = v.value"
          + " FROM unnest($1::bigint[], $2::\(column.serverType.name)[]) AS v (_pk, value) WHERE t._pk = v._pk",
        [
          .array(keys.map { .integer($0) }, .bigint),
          .array(try keys.map { _ in try value() }, column.serverType),
        ])
    }
  }
}
