import CSwiftDataSQLite

extension SwiftFunctions {
  static let search = [
    SwiftFunction("swift_search_text", 1) { call in
      // A save may temporarily replace a unique text by a blob.
      guard sqlite3_value_type(call.values[0]) == SQLITE_TEXT else { return call.returns("") }
      if call.utf8(0).allSatisfy({ $0 >= 0x20 && $0 < 0x80 }) {
        call.returnsArgument(0)
      } else {
        call.returns(SearchText.indexed(call.text(0)))
      }
    }
  ]
}
