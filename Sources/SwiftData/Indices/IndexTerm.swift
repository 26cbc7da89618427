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
  /// one. Nested structs, collections, and values that the JSON does not contain unchanged are not indexable.
  init?(_ keyPath: AnyKeyPath, in entity: __Entity) {
    if let property = KeyPathResolver.property(at: keyPath, in: entity) {
      self.init(property)
      return
    }
    guard let read = Probe.path(of: keyPath, from: entity), read.toOnes.isEmpty, read.goesOn,
      ScalarType(of: read.property).form == .json,
      let type = ScalarType(of: Swift.type(of: keyPath).valueType), type.form != .json, type.form != .opaque,
      let path = Probe.jsonPath(of: keyPath, from: entity)
    else { return nil }
    self.init(read.property, read.property.name + "." + Self.memberName(keyPath, path), (path, type))
  }

  /// The part of a printed key path after the composite type, as in `\Trip.<computed (Address)>.city`.
  private static func memberName(_ keyPath: AnyKeyPath, _ path: String) -> String {
    guard let end = "\(keyPath)".range(of: ")>", options: .backwards)?.upperBound else {
      return path.dropFirst(2).replacingOccurrences(of: "\"", with: "")
    }
    return "\(keyPath)"[end...].drop { $0 == "?" || $0 == "." }.replacingOccurrences(of: "?", with: "")
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

  /// The SQL of the term in a unique index, which is NULL for NaN, because NaN equals nothing.
  var uniqueSQL: String { uniqueSQL(in: TableNames.column(for: property).quotedIdentifier) }

  func uniqueSQL(in cell: String) -> String { mayBeNaN ? "nullif(\(sql(in: cell)), 'nan')" : sql(in: cell) }

  var mayBeNaN: Bool { type.form == .real }

  /// The SQL of the term for a cell, in a form in which equal values have equal cells.
  func canonicalSQL(in cell: String) -> String {
    let sql = uniqueSQL(in: cell)
    return mayHaveOtherForms ? "swift_nfc(\(sql))" : sql
  }

  /// Whether equal values can have other cells: text, also in JSON, outside normal form C. The SQL of a member is normalised.
  var mayHaveOtherForms: Bool { !isMember && (type.form == .text || type.form == .json) }

  /// The name of the column, followed by the name of the member.
  var column: String {
    let column = TableNames.column(for: property)
    return isMember ? column + String(name.dropFirst(property.name.count)) : column
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
