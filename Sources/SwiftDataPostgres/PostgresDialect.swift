import Foundation
import SwiftData

/// PostgreSQL's SQL dialect. A function that the server lacks is an error there, and the engine computes in memory
/// (``ServerFunctions``).
struct PostgresDialect: SQLDialect {
  var mayDefer: Bool { true }
  var system: String { "postgresql" }
  var isOnServer: Bool { true }
  /// The server cannot call the program.
  func mayCompute(_ condition: SQLFragment) -> Bool { !condition.sql.contains("swift_value(") }
  var same: String { "IS NOT DISTINCT FROM" }
  var different: String { "IS DISTINCT FROM" }
  var notANumber: String { "'NaN'::float8" }

  func isTruth(_ truth: Scalar, _ flag: Bool) -> SQLFragment {
    if truth.isCondition { return truth.operand + SQLFragment(flag ? " IS TRUE" : " IS FALSE") }
    return truth.operand + SQLFragment(" \(same) \(flag ? 1 : 0)")
  }

  func isAmong(_ expression: String, _ keys: [Int64]) -> SQLFragment {
    // In the server's binary format. A cast from text would not be constant: a scan would parse the list for each row.
    SQLFragment("\(expression) = ANY(?::bigint[])", [.blob(Data(PostgresParameter.keys(keys).bytes ?? []))])
  }

  // MARK: - Lists

  var hasEmptyLists: Bool { false }

  /// PostgreSQL does not support NUL, so the store writes U+0001 twice.
  func isListed(_ byte: UInt8) -> Bool { byte > 1 }

  func rows(ofList list: SQLValue, decode: String?, form: ScalarType.Form) -> SQLFragment {
    SQLFragment("SELECT \(Self.item(form)) FROM jsonb_array_elements_text(?::jsonb) AS value", [list])
  }

  func elements(of json: SQLFragment, alias: String) -> SQLFragment {
    SQLFragment("swift_elements(") + json + SQLFragment(") AS \(alias)")
  }

  func characters(of text: SQLFragment, alias: String) -> SQLFragment {
    SQLFragment("swift_characters(") + text + SQLFragment(") AS \(alias)")
  }

  func member(of json: SQLFragment, path: String, type: ScalarType) -> SQLFragment {
    // JSON has the shortest digits of a Float, whose nearest Double is another number.
    let rounding = type.isSinglePrecision ? "::real::float8" : ""
    // A collation inside a function does not leave it.
    let collation = Self.name(type.form) == "text" ? " COLLATE \"C\"" : ""
    return SQLFragment("swift_member_\(Self.name(type.form))(") + json
      + SQLFragment(", \(path.quotedLiteral))\(rounding)\(collation)")
  }

  /// The SQL that converts a list's item, which is text.
  private static func item(_ form: ScalarType.Form) -> String {
    switch form {
    case .bool, .integer, .unsigned, .key: "value::bigint"
    case .real: "value::float8"
    case .uuid: "encode(decode(value, 'base64'), 'hex')::uuid"
    case .blob: "decode(value, 'base64')"
    case .decimal, .text, .url, .json, .opaque: "value COLLATE \"C\""
    }
  }

  private static func name(_ form: ScalarType.Form) -> String {
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

  // MARK: - Order and bounds

  func decimalKey(_ cell: SQLFragment, of type: ScalarType) -> SQLFragment {
    SQLFragment("swift_decimal_key(") + cell + SQLFragment(")")
  }

  func lock(_ aliases: [String]) -> String { " FOR UPDATE OF " + aliases.joined(separator: ", ") }

  func pairAge(_ alias: String) -> String { "\(alias)._pk" }

  func ordered(_ term: OrderTerm) -> SQLFragment {
    term.expression + SQLFragment(term.isDescending ? " DESC NULLS LAST" : " NULLS FIRST")
  }

  func bounds(limit: Int?, offset: Int?) -> SQLFragment {
    // As parameters, so that all pages are one prepared statement.
    var bounds = SQLFragment("")
    if let limit { bounds.append(SQLFragment(" LIMIT ?", [.integer(Int64(limit))])) }
    if let offset, offset > 0 { bounds.append(SQLFragment(" OFFSET ?", [.integer(Int64(offset))])) }
    return bounds
  }

  // MARK: - Aggregates

  /// PostgreSQL's sums have a wider type.
  func integerSums(_ name: String, isUnsigned: Bool) -> [String] {
    let high = isUnsigned ? "(\(name) >> 32) & 4294967295" : "\(name) >> 32"
    return ["sum(\(high))::bigint", "sum(\(name) & 4294967295)::bigint"]
  }

  func realSums(_ name: String) -> [String] { ["sum(\(name))::float8", "0::bigint"] }

  func decimalSum(_ name: String, of type: ScalarType) -> String {
    "CASE WHEN bool_or(\(name) = 'NaN') THEN 'NaN' ELSE sum(\(name)::numeric)::text END"
  }

  func realExtreme(_ function: String, _ name: String) -> (all: String, withoutNaN: String?) {
    guard function == "max" else { return ("min(\(name))", nil) }
    return ("coalesce(max(nullif(\(name), 'NaN'::float8)), max(\(name)))", nil)
  }

  func count(where condition: String) -> String { "count(CASE WHEN \(condition) THEN 1 END)" }

  func canGroup(by form: ScalarType.Form) -> Bool {
    switch form {
    case .integer, .unsigned, .bool, .real, .text, .uuid, .key: true
    default: false
    }
  }
}
