import CLibPQ
import Foundation
import SwiftData

/// The columns of a statement's result. All results of a prepared statement share them.
final class PostgresColumns: Sendable {
  let types: [UInt32]
  /// The kind of each column's cells unless NULL.
  let kinds: [__CellKind]
  /// The first column that ``PostgresResult/value(_:_:)`` cannot read.
  let unreadable: Int?

  init(_ handle: OpaquePointer) {
    types = (0..<PQnfields(handle)).map { PQftype(handle, $0) }
    kinds = types.map(PostgresResult.kind)
    unreadable = types.firstIndex { !PostgresResult.isReadable($0) }
  }
}

/// The rows of a statement in the server's binary format.
package final class PostgresResult {
  private let handle: OpaquePointer
  let columns: PostgresColumns
  var types: [UInt32] { columns.types }
  package let count: Int

  /// - Parameter columns: the columns, if an earlier result of the prepared statement has them.
  init(_ handle: OpaquePointer, columns: PostgresColumns? = nil) {
    self.handle = handle
    count = Int(PQntuples(handle))
    self.columns = columns ?? PostgresColumns(handle)
  }

  deinit { PQclear(handle) }

  /// The number of columns.
  var width: Int { types.count }

  /// What the server says it did: `ROLLBACK` for a `COMMIT` of a failed transaction.
  var command: String { String(cString: PQcmdStatus(handle)) }

  /// The number of rows that a statement wrote.
  var affected: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

  func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(handle, Int32(row), Int32(column)) == 1 }

  func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: PQgetvalue(handle, Int32(row), Int32(column)), count: Int(PQgetlength(handle, Int32(row), Int32(column))))
  }

  /// An integer; 0 for NULL.
  package func integer(_ row: Int, _ column: Int) -> Int64 {
    let bytes = bytes(row, column)
    switch bytes.count {
    case 8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    case 4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    case 2: return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
    case 1: return Int64(bytes[0])
    default: return 0
    }
  }

  func real(_ row: Int, _ column: Int) -> Double {
    let bytes = bytes(row, column)
    guard bytes.count == 8 else { return 0 }
    return Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
  }

  package func text(_ row: Int, _ column: Int) -> String? {
    isNull(row, column) ? nil : String(decoding: bytes(row, column), as: UTF8.self)
  }

  /// The name of a column that ``value(_:_:)`` cannot read.
  var unreadableColumn: String? { columns.unreadable.map(name) }

  func name(_ column: Int) -> String { String(cString: PQfname(handle, Int32(column))) }

  /// The identifier of the table and the number of the column that the values come from. Nil for an expression.
  func origin(_ column: Int) -> (table: UInt32, column: Int32)? {
    let table = PQftable(handle, Int32(column))
    return table == 0 ? nil : (table, PQftablecol(handle, Int32(column)))
  }

  /// Whether ``value(_:_:)`` can read the binary format of a type.
  static func isReadable(_ type: UInt32) -> Bool {
    switch PostgresType(rawValue: type) {
    case .bool, .bytea, .bigint, .text, .json, .float8, .uuid, .jsonb: true
    // The shorter integers.
    default: type == 21 || type == 23
    }
  }

  func isText(_ column: Int) -> Bool { types[column] == PostgresType.text.rawValue }

  func value(_ row: Int, _ column: Int) -> SQLValue {
    if isNull(row, column) { return .null }
    switch types[column] {
    case PostgresType.bigint.rawValue, 23, 21, PostgresType.bool.rawValue: return .integer(integer(row, column))
    case PostgresType.float8.rawValue: return .real(real(row, column))
    case PostgresType.bytea.rawValue, PostgresType.uuid.rawValue: return .blob(Data(bytes(row, column)))
    case PostgresType.jsonb.rawValue: return .text(String(decoding: bytes(row, column).dropFirst(), as: UTF8.self))
    default: return .text(String(decoding: bytes(row, column), as: UTF8.self))
    }
  }
}
