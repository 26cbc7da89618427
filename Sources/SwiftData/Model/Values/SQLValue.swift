import Foundation

/// A cell or a bound parameter.
package enum SQLValue: Hashable, Codable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)

  /// A list of keys as one parameter of SQLite's `json_each`.
  package static func list(_ keys: [Int64]) -> SQLValue {
    .text("[" + keys.map(String.init).joined(separator: ",") + "]")
  }
}

/// SQL text with its bound values, in order. Values are never part of the text.
package struct SQLFragment: Hashable, Sendable {
  package var sql: String
  package var arguments: [SQLValue]

  package init(_ sql: String, _ arguments: [SQLValue] = []) {
    self.sql = sql
    self.arguments = arguments
  }

  package static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
    SQLFragment(left.sql + right.sql, left.arguments + right.arguments)
  }

  package mutating func append(_ text: String) { sql += text }

  package mutating func append(_ other: SQLFragment) {
    sql += other.sql
    if !other.arguments.isEmpty { arguments += other.arguments }
  }
}

// MARK: - Interpolation

/// A literal binds its values: `"(\(left)) = \(bind: value)"`. `name:` quotes an identifier. Other text is SQL, so it
/// must never come from outside.
extension SQLFragment: ExpressibleByStringInterpolation {
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var fragment = SQLFragment("", [])

    package init(literalCapacity: Int, interpolationCount: Int) {
      fragment.sql.reserveCapacity(literalCapacity + interpolationCount * 16)
    }
    package mutating func appendLiteral(_ literal: String) { fragment.sql += literal }
    package mutating func appendInterpolation(_ other: SQLFragment) { fragment.append(other) }
    package mutating func appendInterpolation(_ sql: String) { fragment.sql += sql }
    package mutating func appendInterpolation(_ number: some BinaryInteger) { fragment.sql += String(number) }
    package mutating func appendInterpolation(name: String) { fragment.sql += name.quotedIdentifier }
    package mutating func appendInterpolation(bind value: SQLValue) {
      fragment.sql += "?"
      fragment.arguments.append(value)
    }
  }

  package init(stringLiteral text: String) { self.init(text, []) }
  package init(stringInterpolation: StringInterpolation) { self = stringInterpolation.fragment }
}

extension String {
  /// The name as an SQL identifier.
  package var quotedIdentifier: String {
    // Foundation's replacement costs a microsecond even without a match.
    let content =
      utf8.contains(UInt8(ascii: "\"")) ? replacingOccurrences(of: "\"", with: "\"\"", options: .literal) : self
    return "\"" + content + "\""
  }

  /// The text as an SQL literal, for names where SQL allows no parameter. Values are always parameters.
  ///
  /// The replacement compares Unicode scalars. For Swift, a quote with a combining mark is another character than a quote, and SQL
  /// ends its text there.
  package var quotedLiteral: String { "'" + replacingOccurrences(of: "'", with: "''", options: .literal) + "'" }

  /// The text that this literal quotes; nil if ``quotedLiteral`` makes no such literal.
  package var unquotedLiteral: String? {
    var scalars = unicodeScalars[...]
    guard scalars.count > 1, scalars.popFirst() == "'", scalars.popLast() == "'" else { return nil }
    var result = String.UnicodeScalarView()
    while let scalar = scalars.popFirst() {
      if scalar == "'" { guard scalars.popFirst() == "'" else { return nil } }
      result.append(scalar)
    }
    return String(result)
  }
}

extension [SQLFragment] {
  /// The fragments, separated by commas.
  var list: SQLFragment { isEmpty ? SQLFragment("") : dropFirst().reduce(self[0]) { $0 + SQLFragment(", ") + $1 } }

  /// The conjunction of the conditions.
  var conjunction: SQLFragment { dropFirst().reduce(self[0]) { $0 + SQLFragment(" AND ") + $1 } }
}
