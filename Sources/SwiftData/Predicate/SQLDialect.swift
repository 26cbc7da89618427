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

  /// What is greater than every number and equal to a stored NaN.
  var notANumber: String { "'nan'" }
}
