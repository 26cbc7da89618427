import Foundation

/// The default value of a property's declaration, as a cell.
package struct DefaultCell {
  /// Its SQL: a parameter, or a function if each row gets its own value.
  let sql: String
  let arguments: [SQLValue]

  /// Returns nil if the declaration has no default.
  ///
  /// Defaults such as `UUID()` and `Date()` differ each time. An expression whose two evaluations differ is evaluated
  /// for each row.
  static func of(_ property: __Property, in entity: __Entity, _ database: SQLiteDatabase) throws -> DefaultCell? {
    if let constant = try constant(of: property, in: entity) {
      return constant == .null ? nil : DefaultCell(sql: "?", arguments: [constant])
    }
    let name = "swiftdata_default#\(property.tableName)#\(property.column)"
    try database.register(name, argumentCount: 0) { _ in try cell(of: property, in: entity) ?? .null }
    return DefaultCell(sql: "\(name.quotedIdentifier)()", arguments: [])
  }

  /// The default if each evaluation gives the same, or `.null` without a default. Nil if evaluations differ.
  static func constant(of property: __Property, in entity: __Entity) throws -> SQLValue? {
    let first = try cell(of: property, in: entity) ?? .null
    return try first == cell(of: property, in: entity) ?? .null ? first : nil
  }

  /// Whether each evaluation of the default gives another value.
  package static func varies(_ property: __Property, in entity: __Entity) throws -> Bool {
    try constant(of: property, in: entity) == nil
  }

  /// The default as a cell, evaluated now. Nil without a default.
  package static func cell(of property: __Property, in entity: __Entity) throws -> SQLValue? {
    try value(of: property, in: entity).map { try ValueWriter.cell(of: $0, property) }
  }

  /// Evaluates the default. The class's metadata, including defaults, are created on each access.
  package static func value(of property: __Property, in entity: __Entity) -> Any? {
    var level: __Entity? = entity
    while let current = level {
      if let metadata = current.type.schemaMetadata.first(where: { $0.name == property.name }) {
        return metadata.defaultValue
      }
      level = current.superentity
    }
    return nil
  }
}

extension ValueWriter {
  /// The cell of a value as a property stores it.
  static func cell(of value: Any, _ property: __Property) throws -> SQLValue {
    var bare = value
    if let optional = value as? any __OptionalValue {
      guard let wrapped = optional.__unwrapped else { return .null }
      bare = wrapped
    }
    guard case .attribute(_, let encoding) = property.kind else { return .null }
    let writer = ValueWriter()
    writer.current = property
    switch encoding {
    case .direct:
      if let bare = bare as? any __ColumnValue { try bare.__write(to: writer) }
    case .rawValue:
      if let bare = bare as? any RawRepresentable, let raw = bare.rawValue as? any __ColumnValue {
        try raw.__write(to: writer)
      }
    case .json:
      if let bare = bare as? any Codable { try writer.writeCodable(bare) }
    case .transformed: try writer.writeTransformable(bare)
    }
    return writer.values.first ?? .null
  }
}
