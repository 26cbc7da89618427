import Foundation
import SwiftData

/// Gives rows without a value the default of a property.
struct DefaultFilling {
  let writing: ColumnWriting
  /// The condition for the rows, or nil for all rows.
  let condition: String?

  /// - Throws: `SwiftDataError.loadIssueModelContainer` if rows need a value and the property has no default.
  func fill(_ property: __Property, _ entity: __Entity) throws {
    let cell = writing.column.name.quotedIdentifier
    let gaps = "\(cell) IS NULL" + (condition.map { " AND \($0)" } ?? "")
    let value = try DefaultCell.cell(of: property, in: entity) ?? .null
    // An expression such as `UUID()` has another value each time, and each row gets its own. A codec makes another cell each time.
    if try DefaultCell.varies(property, in: entity) || writing.codec != nil && value != .null {
      try writing.write(from: cell, where: gaps) { _ in try DefaultCell.cell(of: property, in: entity) ?? .null }
    } else if value != .null {
      try writing.writeAll(value, where: gaps)
    } else {
      guard !property.isOptional,
        try writing.connection.run("SELECT 1 FROM \(writing.table) WHERE \(gaps) LIMIT 1").count > 0
      else { return }
      throw SwiftDataError(
        .loadIssueModelContainer, entity: entity.name, property: property.name,
        message: "stored objects have no value for it; give the property a default value or make it optional")
    }
    // A table with pending checks cannot be altered.
    try writing.connection.settleConstraints()
  }
}
