import Foundation

/// A term of an index: the column of a property, or a member of its composite value.
///
/// The SQL of a member equals the SQL that a predicate on it lowers to, so SQLite recognizes the index.
package struct IndexTerm {
  package let property: __Property
  /// The key path without `\.`: `city`, `address.city`.
  package let name: String
  /// The JSON path of the member and its form, or nil for the property itself.
  private let member: (path: String, type: ScalarType)?

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
  var type: ScalarType { member?.type ?? ScalarType(of: property) }

  /// The SQL of the term in an index.
  package var sql: String { sql(in: TableNames.column(for: property).quotedIdentifier) }

  /// The SQL of the term for a cell: a column with an alias, or `?` for a value.
  func sql(in cell: String) -> String {
    guard let member else { return cell }
    let sql = SQLiteDialect().member(of: SQLFragment(cell), path: member.path, type: member.type).sql
    return member.type.form == .text ? "swift_nfc(\(sql))" : sql
  }

  package var isMember: Bool { member != nil }

  /// The name of a column, followed by the name of the member.
  func column(in column: String) -> String {
    isMember ? TableNames.member(String(name.dropFirst(property.name.count + 1)), of: column) : column
  }
}

// MARK: - In statements

extension IndexTerm {
  /// A term in the text of a statement.
  struct Mention {
    let sql: String
    let keyPath: String
    let column: String
    let position: String.Index
  }

  /// The terms of a property that a statement reads from an alias.
  static func mentions(in text: String, of property: __Property, alias: String) -> [Mention] {
    let column = TableNames.column(for: property)
    let cell = "\(alias).\(column.quotedIdentifier)"
    func mention(_ range: Range<String.Index>, _ keyPath: String) -> Mention {
      let sql = text[range].replacingOccurrences(of: cell, with: column.quotedIdentifier)
      return Mention(sql: sql, keyPath: keyPath, column: column, position: range.lowerBound)
    }
    guard ScalarType(of: property).form == .json else {
      return text.range(of: cell).map { [mention($0, property.name)] } ?? []
    }
    let literal = "'(?:[^']|'')*'"
    let escaped = NSRegularExpression.escapedPattern(for: cell)
    let value = "swift_json_value\\(\(escaped) -> \(literal), \(literal)\\)"
    let pattern = "swift_nfc\\(\(value)\\)|\(value)|\\(\(escaped) ->> \(literal)\\)"
    var result = [Mention]()
    var rest = text.startIndex..<text.endIndex
    while let range = text.range(of: pattern, options: .regularExpression, range: rest) {
      let path = text[range].range(of: "\\$(?:[^']|'')*", options: .regularExpression).map { text[$0] } ?? ""
      let members = path.dropFirst(2).replacingOccurrences(of: "\"", with: "")
      result.append(mention(range, "\(property.name).\(members)"))
      rest = range.upperBound..<text.endIndex
    }
    return result
  }
}
