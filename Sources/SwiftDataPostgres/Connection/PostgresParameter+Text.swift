import Foundation
import SwiftData

extension PostgresParameter {
  /// A statement with its values, for messages.
  static func expand(_ sql: String, _ parameters: [PostgresParameter]) -> String {
    // From the last one, so that $1 does not match inside $10.
    parameters.indices.reversed().reduce(sql) { $0.replacing("$\($1 + 1)", with: parameters[$1].literal) }
  }

  /// The value as an SQL literal. For a column of values, their number.
  var literal: String {
    guard let bytes else { return "NULL" }
    func number<I: FixedWidthInteger>(_: I.Type) -> I { bytes.prefix(I.bitWidth / 8).reduce(0) { $0 << 8 | I($1) } }
    switch PostgresType(rawValue: type) {
    case .bool: return bytes.first == 0 ? "FALSE" : "TRUE"
    case .bigint: return "\(Int64(bitPattern: number(UInt64.self)))"
    case .float8: return "\(Double(bitPattern: number(UInt64.self)))"
    case .text, .json: return String(decoding: bytes, as: UTF8.self).quotedLiteral
    case .jsonb: return String(decoding: bytes.dropFirst(), as: UTF8.self).quotedLiteral
    // An array whose type the statement says.
    case .unknown where bytes.starts(with: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, UInt8(PostgresType.bigint.rawValue)]):
      return Self.count(ofArray: bytes)
    case .bytea, .uuid, .unknown, .tsvector:
      return "'\\x" + bytes.hexDigits + "'"
    case nil: return Self.count(ofArray: bytes)
    }
  }

  private static func count(ofArray bytes: [UInt8]) -> String {
    bytes.count < 20 ? "'{}'" : "[\(bytes[12..<16].reduce(0) { $0 << 8 | Int($1) }) values]"
  }
}
