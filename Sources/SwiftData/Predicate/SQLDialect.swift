/// What differs between databases in the SQL that predicates become.
package enum SQLDialect: Sendable {
  case sqlite
  /// Functions that a server lacks are an error there, and then the context filters: see `ServerFunctions`.
  case postgres

  /// What PostgreSQL, whose nulls come last, has to be told behind a term of ORDER BY: Swift's come first.
  package static func nullsOrder(_ term: SQLFragment) -> String {
    term.sql.hasSuffix(" DESC") ? " NULLS LAST" : " NULLS FIRST"
  }

  /// Compares where NULL equals NULL.
  var same: String { self == .sqlite ? "IS" : "IS NOT DISTINCT FROM" }
  var different: String { self == .sqlite ? "IS NOT" : "IS DISTINCT FROM" }

  /// The condition that a truth value, NULL or not, is this one.
  func isTruth(_ truth: Scalar, _ flag: Bool) -> SQLFragment {
    if self == .postgres, truth.isCondition { return truth.operand + SQLFragment(flag ? " IS TRUE" : " IS FALSE") }
    return truth.operand + SQLFragment(" \(same) \(flag ? 1 : 0)")
  }

  /// The order in which the pairs of a table were written.
  func pairAge(_ alias: String) -> String { self == .sqlite ? "\(alias).rowid" : "\(alias)._pk" }

  /// Whether `IN ()` is SQL.
  var hasEmptyLists: Bool { self == .sqlite }

  /// Whether a text with this byte can be in a list. PostgreSQL has no NUL: the store writes it as U+0001 twice.
  func isListed(_ byte: UInt8) -> Bool { byte != 0 && (self == .sqlite || byte != 1) }

  /// A list of values as the rows of a subselect. `decode` names the function that turns an item into a cell.
  func rows(ofList list: SQLValue, decode: String?, form: ScalarType.Form) -> SQLFragment {
    if self == .postgres {
      return SQLFragment("SELECT \(PostgresText.item(form)) FROM jsonb_array_elements_text(?::jsonb) AS value", [list])
    }
    let item = decode.map { "\($0)(value)" } ?? "value"
    return SQLFragment("SELECT \(item) FROM json_each(?)", [list])
  }

  /// The elements of a JSON array as a table whose column `value` is each element's JSON text.
  func elements(of json: SQLFragment, alias: String) -> SQLFragment {
    if self == .postgres { return SQLFragment("swift_elements(") + json + SQLFragment(") AS \(alias)") }
    return SQLFragment("json_each(swift_elements(") + json + SQLFragment(")) AS \(alias)")
  }

  /// The characters of a text as a table of the same shape.
  func characters(of text: SQLFragment, alias: String) -> SQLFragment {
    if self == .postgres { return SQLFragment("swift_characters(") + text + SQLFragment(") AS \(alias)") }
    return SQLFragment("json_each(swift_characters(") + text + SQLFragment(")) AS \(alias)")
  }

  /// The cell of what stands at a path in JSON. A whole number or a truth value is what SQL reads; of the rest, SQL's
  /// own reading loses some.
  func member(of json: SQLFragment, path: String, type: ScalarType) -> SQLFragment {
    let path = "'" + path.replacingOccurrences(of: "'", with: "''") + "'"
    if self == .postgres {
      return SQLFragment("swift_member_\(PostgresText.name(type.form))(") + json + SQLFragment(", \(path))")
    }
    switch type.form {
    case .bool, .integer: return SQLFragment("(") + json + SQLFragment(" ->> \(path))")
    case .json: return SQLFragment("nullif(") + json + SQLFragment(" -> \(path), 'null')")
    default: return SQLFragment("swift_json_value(") + json + SQLFragment(" -> \(path), '\(type.swiftName)')")
    }
  }

  /// What is greater than every number and equal to a stored NaN.
  var notANumber: String { self == .sqlite ? "'nan'" : "'NaN'::float8" }
}

// MARK: - Aggregates

extension SQLDialect {
  /// The sum of whole numbers in two halves, since SQLite's own ends where 64 bits do.
  func integerSums(_ name: String, isUnsigned: Bool) -> [String] {
    let high = isUnsigned ? "(\(name) >> 32) & 4294967295" : "\(name) >> 32"
    let sums = ["sum(\(high))", "sum(\(name) & 4294967295)"]
    // PostgreSQL's sums are of a type that grows.
    return self == .sqlite ? sums : sums.map { $0 + "::bigint" }
  }

  /// The sum of floating-point numbers, and how many of them are stored NaN that the sum leaves out.
  func realSums(_ name: String) -> [String] {
    self == .sqlite
      ? ["sum(\(name))", "count(CASE WHEN typeof(\(name)) = 'text' THEN 1 END)"]
      : ["sum(\(name))::float8", "0::bigint"]
  }

  /// The sum of decimal numbers as text.
  func decimalSum(_ name: String) -> String {
    if self == .sqlite { return "swift_decimal_sum(\(name))" }
    return "CASE WHEN bool_or(\(name) = 'NaN') THEN 'NaN' ELSE sum(\(name)::numeric)::text END"
  }

  /// How many rows fulfil a condition.
  func count(where condition: String) -> String {
    self == .sqlite ? "sum(\(condition))" : "count(CASE WHEN \(condition) THEN 1 END)"
  }
}

/// How PostgreSQL names the forms of values.
private enum PostgresText {
  /// What a list's item, which is text, is read as.
  static func item(_ form: ScalarType.Form) -> String {
    switch form {
    case .bool, .integer, .unsigned, .key: "value::bigint"
    case .real: "value::float8"
    case .uuid: "encode(decode(value, 'base64'), 'hex')::uuid"
    case .blob: "decode(value, 'base64')"
    case .decimal, .text, .url, .json, .opaque: "value COLLATE \"C\""
    }
  }

  static func name(_ form: ScalarType.Form) -> String {
    switch form {
    case .bool: "bool"
    case .integer: "integer"
    case .unsigned: "unsigned"
    case .real: "real"
    case .decimal: "decimal"
    case .text: "text"
    case .url: "url"
    case .uuid: "uuid"
    case .blob: "blob"
    case .key: "key"
    case .json: "json"
    case .opaque: "opaque"
    }
  }
}
