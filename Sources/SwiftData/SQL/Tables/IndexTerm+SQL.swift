import Foundation

extension IndexTerm {
  /// The SQL of the term in an index.
  package var sql: String { sql(in: TableNames.column(for: property).quotedIdentifier) }

  /// The SQL of the term for a cell: a column with an alias, or `?` for a value.
  func sql(in cell: String) -> String {
    guard let member else { return cell }
    let sql = SQLiteDialect().member(of: SQLFragment(cell), path: member.path, type: member.type).sql
    return member.type.form == .text ? "swift_nfc(\(sql))" : sql
  }

  /// The SQL by which predicates of a dialect read the term from a cell.
  package func sql(in cell: String, _ dialect: any SQLDialect) -> String {
    member.map { dialect.member(of: SQLFragment(cell), path: $0.path, type: $0.type).sql } ?? cell
  }

  var mayBeNaN: Bool { type.form == .real }

  /// The SQL of the term in a form in which equal values have equal cells.
  var canonicalSQL: String { mayHaveOtherForms ? "swift_nfc(\(sql))" : sql }

  /// Whether equal values can have other cells: text, also in JSON, outside normal form C. The SQL of a member is normalised.
  var mayHaveOtherForms: Bool { !isMember && (type.form == .text || type.form == .json) }
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
      let members = path.dropFirst(2).replacingOccurrences(of: "\"", with: "", options: .literal)
      result.append(mention(range, "\(property.name).\(members)"))
      rest = range.upperBound..<text.endIndex
    }
    return result
  }
}
