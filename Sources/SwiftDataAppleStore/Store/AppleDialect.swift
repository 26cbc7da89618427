import SwiftData

/// SQLite's SQL over the views of an Apple store.
struct AppleDialect: SQLDialect {
  private let sqlite = SQLiteDialect()

  /// Batch updates change objects in memory.
  var mayDefer: Bool { true }
  /// Views have no row numbers.
  func pairAge(_ alias: String) -> String { "\(alias)._age" }

  var same: String { sqlite.same }
  var different: String { sqlite.different }
  var notANumber: String { sqlite.notANumber }
  var hasEmptyLists: Bool { sqlite.hasEmptyLists }

  func isTruth(_ truth: Scalar, _ flag: Bool) -> SQLFragment { sqlite.isTruth(truth, flag) }
  func isAmong(_ expression: String, _ keys: [Int64]) -> SQLFragment { sqlite.isAmong(expression, keys) }
  func isListed(_ byte: UInt8) -> Bool { sqlite.isListed(byte) }
  func rows(ofList list: SQLValue, decode: String?, form: ScalarType.Form) -> SQLFragment {
    sqlite.rows(ofList: list, decode: decode, form: form)
  }
  func elements(of json: SQLFragment, alias: String) -> SQLFragment { sqlite.elements(of: json, alias: alias) }
  func characters(of text: SQLFragment, alias: String) -> SQLFragment { sqlite.characters(of: text, alias: alias) }
  func member(of json: SQLFragment, path: String, type: ScalarType) -> SQLFragment {
    sqlite.member(of: json, path: path, type: type)
  }
  func ordered(_ term: OrderTerm) -> SQLFragment { sqlite.ordered(term) }
  func bounds(limit: Int?, offset: Int?) -> SQLFragment { sqlite.bounds(limit: limit, offset: offset) }
  func integerSums(_ name: String, isUnsigned: Bool) -> [String] {
    sqlite.integerSums(name, isUnsigned: isUnsigned)
  }
  func realSums(_ name: String) -> [String] { sqlite.realSums(name) }
  func decimalSum(_ name: String, of type: ScalarType) -> String { sqlite.decimalSum(name, of: type) }
  func realExtreme(_ function: String, _ name: String) -> (all: String, withoutNaN: String?) {
    sqlite.realExtreme(function, name)
  }
  func count(where condition: String) -> String { sqlite.count(where: condition) }
}
