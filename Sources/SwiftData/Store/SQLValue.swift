import Foundation

/// A cell or a bound parameter.
package enum SQLValue: Hashable, Codable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)
}

/// A piece of SQL with its bound values, in order. Values are never part of the text.
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

extension String {
  /// The name as an SQL identifier.
  package var quotedIdentifier: String {
    // Foundation's replacement costs a microsecond also where there is nothing to replace.
    let content = utf8.contains(UInt8(ascii: "\"")) ? replacingOccurrences(of: "\"", with: "\"\"") : self
    return "\"" + content + "\""
  }

  /// The text as an SQL literal, for names where SQL takes no parameter. Values are always parameters.
  package var quotedLiteral: String { "'" + replacingOccurrences(of: "'", with: "''") + "'" }
}
