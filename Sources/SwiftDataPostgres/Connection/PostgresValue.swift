import Foundation
import SwiftData

/// The object identifiers of PostgreSQL's built-in types, which never change.
package enum PostgresType: UInt32 {
  case unknown = 0
  case bool = 16
  case bytea = 17
  case bigint = 20
  case text = 25
  case json = 114
  case float8 = 701
  case uuid = 2950
  case jsonb = 3802
  case tsvector = 3614

  /// The type of arrays of it.
  var array: UInt32 {
    switch self {
    case .bool: 1000
    case .bytea: 1001
    case .bigint: 1016
    case .text: 1009
    case .json: 199
    case .float8: 1022
    case .uuid: 2951
    case .jsonb: 3807
    case .tsvector: 3643
    case .unknown: 0
    }
  }

  /// The name in SQL.
  var name: String {
    switch self {
    case .bool: "boolean"
    case .bytea: "bytea"
    case .bigint: "bigint"
    case .text: "text"
    case .json: "json"
    case .float8: "double precision"
    case .uuid: "uuid"
    case .jsonb: "jsonb"
    case .tsvector: "tsvector"
    case .unknown: "unknown"
    }
  }
}

/// A bound parameter in the server's binary format.
package struct PostgresParameter {
  let type: UInt32
  /// Nil is NULL.
  let bytes: [UInt8]?

  /// A parameter whose type follows from the value. The server infers the type of NULL and bytes.
  init(_ value: SQLValue) {
    switch value {
    case .null: (type, bytes) = (0, nil)
    case .integer: (type, bytes) = (PostgresType.bigint.rawValue, Self.bytes(value, .bigint))
    case .real: (type, bytes) = (PostgresType.float8.rawValue, Self.bytes(value, .float8))
    case .text(let text): (type, bytes) = (PostgresType.text.rawValue, Array(text.utf8))
    case .blob: (type, bytes) = (0, Self.bytes(value, .bytea))
    }
  }

  static func integer(_ value: Int64) -> PostgresParameter { PostgresParameter(.integer(value)) }
  package static func text(_ value: String?) -> PostgresParameter {
    PostgresParameter(value.map { .text($0) } ?? .null)
  }
  static func uuid(_ value: UUID) -> PostgresParameter {
    PostgresParameter(type: PostgresType.uuid.rawValue, bytes: withUnsafeBytes(of: value.uuid) { Array($0) })
  }
  static func keys(_ keys: some Sequence<Int64>) -> PostgresParameter { array(keys.map { .integer($0) }, .bigint) }

  /// A text in UTF-8.
  init(text bytes: [UInt8]) { self.init(type: PostgresType.text.rawValue, bytes: bytes) }

  private init(type: UInt32, bytes: [UInt8]?) { (self.type, self.bytes) = (type, bytes) }

  /// All values of a column as one array parameter.
  package static func array(_ values: some Collection<SQLValue>, _ type: PostgresType) -> PostgresParameter {
    var bytes = [UInt8]()
    bytes.reserveCapacity(20 + values.count * 12)
    appendArrayHeader(type, count: values.count, to: &bytes)
    for value in values { append(sized: value, type, to: &bytes) }
    return PostgresParameter(type: type.array, bytes: bytes)
  }

  /// An array parameter from its bytes.
  static func array(encoded bytes: [UInt8], _ type: PostgresType) -> PostgresParameter {
    PostgresParameter(type: type.array, bytes: bytes)
  }

  /// The array header: one dimension, which may have NULLs, with first index 1.
  static func appendArrayHeader(_ type: PostgresType, count: Int, to bytes: inout [UInt8]) {
    for word in [1, 1, type.rawValue, UInt32(count), 1] { append(word, to: &bytes) }
  }

  /// Appends a value preceded by its length.
  static func append(sized value: SQLValue, _ type: PostgresType, to bytes: inout [UInt8]) {
    if case .null = value { return append(UInt32.max, to: &bytes) }
    let place = bytes.count
    append(UInt32(0), to: &bytes)
    append(value, type, to: &bytes)
    let length = UInt32(bytes.count - place - 4)
    withUnsafeBytes(of: length.bigEndian) { for (index, byte) in $0.enumerated() { bytes[place + index] = byte } }
  }

  static func append<I: FixedWidthInteger>(_ value: I, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  private static func bytes(_ value: SQLValue, _ type: PostgresType) -> [UInt8] {
    var bytes = [UInt8]()
    append(value, type, to: &bytes)
    return bytes
  }

  /// - Precondition: the value is not NULL.
  static func append(_ value: SQLValue, _ type: PostgresType, to bytes: inout [UInt8]) {
    switch value {
    case .null: break
    case .integer(let value):
      if type == .bool { bytes.append(value == 0 ? 0 : 1) } else { append(value, to: &bytes) }
    case .real(let value): append(value.bitPattern, to: &bytes)
    case .text(let value):
      // The binary format of jsonb begins with its version.
      if type == .jsonb { bytes.append(1) }
      bytes.append(contentsOf: value.utf8)
    case .blob(let value): bytes.append(contentsOf: value)
    }
  }
}
