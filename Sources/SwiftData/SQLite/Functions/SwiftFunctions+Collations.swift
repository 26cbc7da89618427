import CSwiftDataSQLite
import Foundation

extension SwiftCollation {
  static func register(on connection: OpaquePointer) throws {
    try register(name(of: .localized), on: connection) { SwiftCollation.compare(.localized, $1, $2, $3, $4) }
    try register(name(of: .localizedStandard), on: connection) {
      SwiftCollation.compare(.localizedStandard, $1, $2, $3, $4)
    }
  }

  private static func register(
    _ name: String,
    on connection: OpaquePointer,
    _ compare:
      @convention(c) (
        UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?
      ) -> Int32
  ) throws {
    let code = sqlite3_create_collation_v2(connection, name, SQLITE_UTF8, nil, compare, nil)
    guard code == SQLITE_OK else {
      throw SwiftDataError(
        .io,
        message: "\(name) cannot be registered: \(String(cString: sqlite3_errstr(code)))"
      )
    }
  }

  private static func compare(
    _ rule: __SortRule,
    _ leftCount: Int32,
    _ left: UnsafeRawPointer?,
    _ rightCount: Int32,
    _ right: UnsafeRawPointer?
  ) -> Int32 {
    func text(_ start: UnsafeRawPointer?, _ count: Int32) -> String {
      String(decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }
    return Int32(rule.compare(text(left, leftCount), text(right, rightCount)).rawValue)
  }
}
