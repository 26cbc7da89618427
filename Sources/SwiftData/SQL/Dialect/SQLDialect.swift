/// The differences between databases in the engine's SQL.
///
/// ``SQLiteDialect`` is SQLite's. A module for another database has its own.
package protocol SQLDialect: Sendable {
  /// Whether the database may lack a function that Swift's semantics need. The engine then computes the result in
  /// memory instead of throwing.
  var mayDefer: Bool { get }
  /// The database, as the semantic conventions of OpenTelemetry name it.
  var system: String { get }
  /// Whether the database is another process.
  var isOnServer: Bool { get }

  /// Whether the database has the functions of a condition, as far as that is known before it is asked.
  func mayCompute(_ condition: SQLFragment) -> Bool

  // MARK: - Conditions

  /// The operators for equality with NULL equal to NULL.
  var same: String { get }
  var different: String { get }
  /// The condition that a truth value, which may be NULL, equals a flag.
  func isTruth(_ truth: Scalar, _ flag: Bool) -> SQLFragment
  /// The condition that an expression is one of several keys.
  func isAmong(_ expression: String, _ keys: [Int64]) -> SQLFragment
  /// A value greater than every number and equal to a stored NaN.
  var notANumber: String { get }

  // MARK: - Lists

  /// Whether the database accepts `IN ()`.
  var hasEmptyLists: Bool { get }
  /// Whether a list may contain a text with this byte.
  func isListed(_ byte: UInt8) -> Bool
  /// A list of values as the rows of a subselect. `decode` names the function that turns an item into a cell.
  func rows(ofList list: SQLValue, decode: String?, form: ScalarType.Form) -> SQLFragment
  /// The elements of a JSON array as a table. Its column `value` has the element's JSON text.
  func elements(of json: SQLFragment, alias: String) -> SQLFragment
  /// The characters of a text as a table of the same form.
  func characters(of text: SQLFragment, alias: String) -> SQLFragment
  /// The cell at a path in JSON.
  func member(of json: SQLFragment, path: String, type: ScalarType) -> SQLFragment

  // MARK: - Order and bounds

  /// A value that orders like a decimal number of a type.
  func decimalKey(_ cell: SQLFragment, of type: ScalarType) -> SQLFragment

  /// The column that orders the rows of a join table by insertion.
  func pairAge(_ alias: String) -> String
  /// The term of ORDER BY. Nil is first in Swift's order and last in reverse.
  func ordered(_ term: OrderTerm) -> SQLFragment
  /// Whether reading a descending order backwards avoids a sort of rows with equal values (``TiedRuns``).
  var readsBackwards: Bool { get }
  /// The end of a SELECT that keeps other saves from changing its rows of some tables, with a leading space. Empty if only one transaction
  /// writes at a time.
  func lock(_ aliases: [String]) -> String
  /// `LIMIT` and `OFFSET` with a leading space.
  func bounds(limit: Int?, offset: Int?) -> SQLFragment

  // MARK: - Aggregates

  /// The sum of integers in two halves, because a 64-bit sum can overflow.
  func integerSums(_ name: String, isUnsigned: Bool) -> [String]
  /// The sum of floating-point numbers without stored NaNs, and the number of those.
  func realSums(_ name: String) -> [String]
  /// The sum of decimal numbers of a type as text.
  func decimalSum(_ name: String, of type: ScalarType) -> String
  /// The minimum or maximum of floating-point numbers with Swift's treatment of NaN, and an expression for the case
  /// that NaN hides the maximum, or nil if it cannot.
  func realExtreme(_ function: String, _ name: String) -> (all: String, withoutNaN: String?)
  /// The number of rows that satisfy a condition.
  func count(where condition: String) -> String
  /// Whether equal values of a form have equal cells, so that the database can group by them.
  func canGroup(by form: ScalarType.Form) -> Bool
}

extension SQLDialect {
  package func decimalKey(_ cell: SQLFragment, of type: ScalarType) -> SQLFragment {
    SQLFragment("swift_decimal_key(") + cell + SQLFragment("\(type.place))")
  }

  package func lock(_ aliases: [String]) -> String { "" }

  package var mayDefer: Bool { false }
  package var system: String { "sqlite" }
  package var isOnServer: Bool { false }
  package func mayCompute(_ condition: SQLFragment) -> Bool { true }
  package var readsBackwards: Bool { false }
  package func canGroup(by form: ScalarType.Form) -> Bool { true }
}

/// A term of ORDER BY.
package struct OrderTerm: Hashable, Sendable {
  package var expression: SQLFragment
  package var isDescending: Bool

  package init(_ expression: SQLFragment, isDescending: Bool = false) {
    (self.expression, self.isDescending) = (expression, isDescending)
  }

  /// The expression as an operand.
  var operand: SQLFragment {
    let isAtomic = !expression.sql.contains(" ")
    return isAtomic ? expression : SQLFragment("(") + expression + SQLFragment(")")
  }

  func isEqual(to value: SQLValue) -> SQLFragment {
    value == .null ? operand + SQLFragment(" IS NULL") : operand + SQLFragment(" = ?", [value])
  }
}

extension [Int64] {
  /// The range of many keys that ascend without a gap, as the keys of rows that were saved together do.
  package var range: ClosedRange<Int64>? {
    guard count > 16, let first, let last, last &- first == Int64(count - 1), first < last else { return nil }
    return zip(self, dropFirst()).allSatisfy { $0 < $1 } ? first...last : nil
  }
}

/// SQLite's SQL.
package struct SQLiteDialect: SQLDialect {
  package init() {}

  package var same: String { "IS" }
  package var different: String { "IS NOT" }
  package var notANumber: String { "'nan'" }
  package var readsBackwards: Bool { true }

  package func isTruth(_ truth: Scalar, _ flag: Bool) -> SQLFragment {
    truth.operand + SQLFragment(" IS \(flag ? 1 : 0)")
  }

  package func isAmong(_ expression: String, _ keys: [Int64]) -> SQLFragment {
    if let range = keys.range {
      return SQLFragment(
        "\(expression) BETWEEN ? AND ?", [.integer(range.lowerBound), .integer(range.upperBound)])
    }
    return SQLFragment("\(expression) IN (SELECT value FROM json_each(?))", [SQLValue.list(keys)])
  }

  // MARK: - Lists

  package var hasEmptyLists: Bool { true }

  package func isListed(_ byte: UInt8) -> Bool { byte != 0 }

  package func rows(ofList list: SQLValue, decode: String?, form: ScalarType.Form) -> SQLFragment {
    let item = decode.map { "\($0)(value)" } ?? "value"
    return SQLFragment("SELECT \(item) FROM json_each(?)", [list])
  }

  package func elements(of json: SQLFragment, alias: String) -> SQLFragment {
    SQLFragment("json_each(swift_elements(") + json + SQLFragment(")) AS \(alias)")
  }

  package func characters(of text: SQLFragment, alias: String) -> SQLFragment {
    SQLFragment("json_each(swift_characters(") + text + SQLFragment(")) AS \(alias)")
  }

  /// SQL reads integers and truth values exactly. Its reading of other types loses information.
  package func member(of json: SQLFragment, path: String, type: ScalarType) -> SQLFragment {
    let path = path.quotedLiteral
    switch type.form {
    case .bool, .integer: return SQLFragment("(") + json + SQLFragment(" ->> \(path))")
    case .json: return SQLFragment("nullif(") + json + SQLFragment(" -> \(path), 'null')")
    default: return SQLFragment("swift_json_value(") + json + SQLFragment(" -> \(path), '\(type.swiftName)')")
    }
  }

  // MARK: - Order and bounds

  package func pairAge(_ alias: String) -> String { "\(alias).rowid" }

  package func ordered(_ term: OrderTerm) -> SQLFragment {
    term.isDescending ? term.expression + SQLFragment(" DESC") : term.expression
  }

  /// SQLite requires a limit before an offset; -1 means no limit.
  package func bounds(limit: Int?, offset: Int?) -> SQLFragment {
    guard limit != nil || offset != nil else { return SQLFragment("") }
    return SQLFragment(" LIMIT ? OFFSET ?", [.integer(Int64(limit ?? -1)), .integer(Int64(offset ?? 0))])
  }

  // MARK: - Aggregates

  package func integerSums(_ name: String, isUnsigned: Bool) -> [String] {
    let high = isUnsigned ? "(\(name) >> 32) & 4294967295" : "\(name) >> 32"
    return ["sum(\(high))", "sum(\(name) & 4294967295)"]
  }

  package func realSums(_ name: String) -> [String] {
    ["sum(\(name))", "count(CASE WHEN typeof(\(name)) = 'text' THEN 1 END)"]
  }

  package func decimalSum(_ name: String, of type: ScalarType) -> String { "swift_decimal_sum(\(name)\(type.place))" }

  /// NaN is stored as text, which is greater than every number.
  package func realExtreme(_ function: String, _ name: String) -> (all: String, withoutNaN: String?) {
    ("\(function)(\(name))", function == "max" ? "coalesce(max(nullif(\(name), 'nan')), max(\(name)))" : nil)
  }

  package func count(where condition: String) -> String { "sum(\(condition))" }
}
