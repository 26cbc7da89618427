import Foundation

/// A term of an index: the column of a property, or a member of its composite value.
///
/// The SQL of a member equals the SQL that a predicate on it lowers to, so SQLite recognizes the index.
package struct IndexTerm {
  package let property: __Property
  /// The key path without `\.`: `city`, `address.city`.
  package let name: String
  /// The JSON path of the member and its form, or nil for the property itself.
  let member: (path: String, type: ScalarType)?

  init(_ property: __Property) { self.init(property, property.name, nil) }

  private init(_ property: __Property, _ name: String, _ member: (path: String, type: ScalarType)?) {
    self.property = property
    self.name = name
    self.member = member
  }

  /// Returns nil if the key path reads neither a persisted property of the class nor an indexable member of a composite
  /// one. Nested structs, collections, and members that only Swift knows are not indexable.
  init?(_ keyPath: AnyKeyPath, in entity: __Entity) {
    guard case .property(let toOnes, let property, let rest) = KeyPathResolver.reading(of: keyPath, in: entity),
      toOnes.isEmpty
    else { return nil }
    if rest.isEmpty {
      self.init(property)
      return
    }
    guard ScalarType(of: property).form == .json,
      let type = ScalarType(of: Swift.type(of: keyPath).valueType), type.form != .json, type.form != .opaque,
      let member = CompositeMembers.path(of: rest, in: property.bareType)
    else { return nil }
    self.init(property, "\(property.name).\(member.name)", (member.path, type))
  }

  /// The form of the values.
  package var type: ScalarType { member?.type ?? ScalarType(of: property) }

  package var isMember: Bool { member != nil }

  /// The name of a column, followed by the name of the member.
  package func column(in column: String) -> String {
    isMember ? TableNames.member(String(name.dropFirst(property.name.count + 1)), of: column) : column
  }
}

extension IndexTerm {
  /// Whether the SQL order of the cells is the order of the numbers or dates.
  var isNumeric: Bool { (type.form == .integer || type.form == .real) && type.isPlain }

  /// - Throws: ``SwiftDataError/unsupportedKeyPath`` if an R*Tree does not support the terms.
  static func validateRTree(_ terms: [IndexTerm], in entity: __Entity) throws {
    let names = terms.map { "\\.\($0.name)" }.joined(separator: ", ")
    guard (1...5).contains(terms.count) else {
      throw SwiftDataError(
        .unsupportedKeyPath, entity: entity.name,
        message: ".rtree([\(names)]) has \(terms.count) key paths, but an R*Tree has one to five")
    }
    if let wrong = terms.first(where: { !$0.isNumeric }) {
      throw SwiftDataError(
        .unsupportedKeyPath, entity: entity.name, property: wrong.name,
        message: ".rtree([\(names)]) supports numbers and dates only, but \(wrong.name) is a \(wrong.type.swiftName);"
          + " use .binary")
    }
  }
}
