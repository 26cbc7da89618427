/// What differs between databases in the SQL that predicates become.
package enum SQLDialect: Sendable {
  case sqlite

  /// A list of values as the rows of a subselect. `decode` names the function that turns an item into a cell.
  func rows(ofList list: SQLValue, decode: String?) -> SQLFragment {
    let item = decode.map { "\($0)(value)" } ?? "value"
    return SQLFragment("SELECT \(item) FROM json_each(?)", [list])
  }

  /// The elements of a JSON array as a table whose column `value` is each element's JSON text.
  func elements(of json: SQLFragment, alias: String) -> SQLFragment {
    SQLFragment("json_each(swift_elements(") + json + SQLFragment(")) AS \(alias)")
  }

  /// The characters of a text as a table of the same shape.
  func characters(of text: SQLFragment, alias: String) -> SQLFragment {
    SQLFragment("json_each(swift_characters(") + text + SQLFragment(")) AS \(alias)")
  }

  /// The cell of what stands at a path in JSON. A whole number or a truth value is what SQL reads; of the rest, SQL's
  /// own reading loses some.
  func member(of json: SQLFragment, path: String, type: ScalarType) -> SQLFragment {
    let path = "'" + path.replacingOccurrences(of: "'", with: "''") + "'"
    switch type.form {
    case .bool, .integer: return SQLFragment("(") + json + SQLFragment(" ->> \(path))")
    case .json: return SQLFragment("nullif(") + json + SQLFragment(" -> \(path), 'null')")
    default: return SQLFragment("swift_json_value(") + json + SQLFragment(" -> \(path), '\(type.swiftName)')")
    }
  }

  /// What is greater than every number and equal to a stored NaN.
  var notANumber: String { "'nan'" }
}
