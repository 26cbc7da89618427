import Foundation

/// A `column = value` of a batch update.
package struct AssignedColumn {
  package let property: __Property
  package private(set) var value: SQLFragment
  /// The condition under which an object has no value, or nil if it always has one.
  package let failure: SQLFragment?
  /// Whether the value is text outside normal form C, or nil if only the rows can tell.
  let isNonNFC: Bool?
  /// The value if it is the same for all rows.
  package let constant: Any?
  package let isConstant: Bool

  var column: String { TableNames.column(for: property) }

  /// The same with the value as the table's column keeps it.
  func encoded(for table: EntityTable) -> AssignedColumn {
    var result = self
    result.value = SQLFragment(table.codecs.written(value.sql, to: column), value.arguments)
    return result
  }

  /// Makes an assignment of a constant.
  init<Value>(_ keyPath: AnyKeyPath, _ value: Value, _ entity: __Entity) throws {
    property = try Self.property(at: keyPath, in: entity)
    failure = nil
    (constant, isConstant) = (value, true)
    var cell: SQLValue?
    if case .attribute(_, .transformed) = property.kind {
      cell = try property.transform(value).map { .blob($0) } ?? .null
    } else {
      cell = ScalarType(of: property).cell(of: value)
    }
    guard let cell else {
      throw SwiftDataError(
        .unwritableValue, entity: entity.name, property: property.name,
        message: "the value cannot be encoded in the column's form")
    }
    self.value = SQLFragment("?", [cell])
    if case .text(let text) = cell { isNonNFC = !SwiftText.isNFC(text) } else { isNonNFC = false }
  }

  /// Makes an assignment of a lowered expression.
  init(_ keyPath: AnyKeyPath, _ lowered: LoweredValue, _ entity: __Entity) throws {
    property = try Self.property(at: keyPath, in: entity)
    let own = ScalarType(of: property)
    guard own.form == lowered.scalar.type.form, own.form != .opaque else {
      throw SwiftDataError(
        .unsupportedKeyPath, entity: entity.name, property: property.name,
        message: "the store cannot compute the column's form of the property; assign a value, or change the"
          + " fetched objects")
    }
    (constant, isConstant) = (nil, false)
    value = lowered.scalar.operand
    failure = lowered.failure
    isNonNFC = own.form == .text || own.form == .json || own.form == .url ? nil : false
  }

  private static func property(at keyPath: AnyKeyPath, in entity: __Entity) throws -> __Property {
    guard let property = KeyPathResolver.property(at: keyPath, in: entity), property.isAttribute, property.isStored
    else {
      throw SwiftDataError(
        .unsupportedKeyPath, entity: entity.name,
        message: "\(KeyPathText.describe(keyPath)) cannot be assigned in a batch, which takes persisted attributes as a"
          + " whole; change relationships, members of structs and transient properties on the fetched objects")
    }
    guard !property.isExternal else {
      throw SwiftDataError(
        .unsupportedKeyPath, entity: entity.name, property: property.name,
        message: "external data has a file for each object; change the fetched objects instead")
    }
    return property
  }
}
