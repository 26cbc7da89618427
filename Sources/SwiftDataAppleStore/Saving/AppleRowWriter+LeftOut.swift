import Foundation
import SwiftData

// Attributes and relationships of the file's model that a class of the program leaves out.

extension AppleRowWriter {
  /// The cells of new rows for the attributes that a class leaves out: the defaults of the file's model.
  /// - Parameter written: the columns that the class writes.
  /// - Throws: `SwiftDataError/modelValidationFailure` for a required property without a default. The app could not read the row.
  func leftOut(of member: ViewMapping.Class, written: [String]) throws -> [(column: String, cell: SQLValue)] {
    if let known = leftOutCells[member.name] { return known }
    guard let entity = file.model.entity(named: member.entity) else { return [] }
    let written = Set(written)
    var cells = [(column: String, cell: SQLValue)]()
    for attribute in entity.attributes where !attribute.isTransient {
      let columns = file.columns.storage(attribute.name, of: entity.name).columns
      guard !columns.isEmpty, written.isDisjoint(with: columns) else { continue }
      let defaults = try Self.defaults(of: attribute)
      if defaults.isEmpty, !attribute.isOptional, !CompositeShape.mayBeEmpty(attribute) {
        throw Self.missing(attribute.name, member)
      }
      cells += zip(columns, defaults).map { (column: $0, cell: $1) }
    }
    for relationship in entity.relationships
    where !relationship.isToMany && !relationship.isOptional && !relationship.isTransient {
      guard case .toOne(let column, _) = file.columns.link(relationship.name, of: entity.name),
        !written.contains(column)
      else { continue }
      throw Self.missing(relationship.name, member)
    }
    leftOutCells[member.name] = cells
    return cells
  }

  private static func missing(_ property: String, _ member: ViewMapping.Class) -> SwiftDataError {
    SwiftDataError(
      .modelValidationFailure, entity: member.name, property: property,
      message: "the file's model requires a value, and the class of the program has no such property; declare it, and"
        + " give new objects a value. `swiftdata models` prints the declaration")
  }

  /// The cells of an attribute's default in the order of its columns. Empty if it has none.
  private static func defaults(of attribute: AppleAttribute) throws -> [SQLValue] {
    let stored = attribute.rawValue ?? attribute
    guard let value = attribute.defaultValue ?? stored.defaultValue else { return [] }
    if attribute.hasCases {
      guard value.string != nil else { return [] }
      var cells = [SQLValue]()
      try CompositeShape(attribute).write(value, to: &cells)
      return cells
    }
    switch value {
    case .bool(let value): return [.integer(value ? 1 : 0)]
    case .integer(let value): return [.integer(value)]
    case .real(let value), .date(let value): return [.real(value)]
    case .decimal(let text): return [try Conversion.decimalCell(text)]
    case .string(let text) where stored.type == .uuid: return UUID(uuidString: text).map { [cell(of: $0)] } ?? []
    case .string(let text), .url(let text): return [.text(text)]
    case .uuid(let value): return [cell(of: value)]
    case .data(let data): return [.blob(attribute.isExternal ? Data([1]) + data : data)]
    case .null, .array, .dictionary, .instance: return []
    }
  }

  private static func cell(of uuid: UUID) -> SQLValue { .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) }) }
}
