import CSwiftDataSQLite
import Foundation

/// A prepared statement that runs several times.
package final class SQLiteStatement {
  package let handle: OpaquePointer
  private let sql: String
  private let database: SQLiteDatabase

  /// - Parameter handle: a statement that ends with this object.
  init(_ handle: OpaquePointer, sql: String, _ database: SQLiteDatabase) {
    (self.handle, self.sql, self.database) = (handle, sql, database)
  }

  deinit { sqlite3_finalize(handle) }

  /// Runs the statement to its end.
  package func run(_ arguments: [SQLValue]) throws {
    defer {
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    }
    for (index, argument) in arguments.enumerated() {
      guard argument.bind(to: handle, at: Int32(index + 1)) == SQLITE_OK else { throw database.error(sql) }
    }
    while try database.step(handle, sql) {}
  }
}

/// The cells of a statement's current row.
package struct SQLiteCells {
  let statement: OpaquePointer

  package init(_ statement: OpaquePointer) { self.statement = statement }

  package var count: Int32 { sqlite3_column_count(statement) }
  package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
  package func real(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }
  package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
  package func isText(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_TEXT }
  package func text(_ column: Int32) -> String? { isNull(column) ? nil : string(column) }

  /// The text of a cell, or an empty one for NULL.
  package func string(_ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(statement, column) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  package func blob(_ column: Int32) -> Data {
    guard let bytes = sqlite3_column_blob(statement, column) else { return Data() }
    return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, column)))
  }

  /// The cell at a column.
  package func value(_ column: Int32) -> SQLValue {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_FLOAT: .real(real(column))
    case SQLITE_TEXT: .text(string(column))
    case SQLITE_BLOB: .blob(blob(column))
    default: .null
    }
  }

  /// All cells of the row.
  package var values: [SQLValue] { (0..<count).map(value) }

  // MARK: - Values of SQLite

  /// The text of a cell or an argument.
  package static func text(of value: OpaquePointer?) -> String {
    guard let bytes = sqlite3_value_text(value) else { return "" }
    return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value))), as: UTF8.self)
  }

  /// The bytes of a cell or an argument.
  package static func data(of value: OpaquePointer?) -> Data {
    guard let bytes = sqlite3_value_blob(value) else { return Data() }
    return Data(bytes: bytes, count: Int(sqlite3_value_bytes(value)))
  }
}

extension SQLValue {
  /// Binds the value to a parameter of a statement, which gets a copy.
  /// - Returns: SQLite's result code.
  func bind(to statement: OpaquePointer, at position: Int32) -> Int32 {
    switch self {
    case .null: return sqlite3_bind_null(statement, position)
    case .integer(let value): return sqlite3_bind_int64(statement, position, value)
    case .real(let value): return sqlite3_bind_double(statement, position, value)
    case .text(var value):
      return value.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          // A null pointer would bind NULL, and an empty text is not NULL.
          $0.isEmpty
            ? sqlite3_bind_text(statement, position, "", 0, sqliteCopies)
            : sqlite3_bind_text64(
              statement, position, $0.baseAddress, UInt64($0.count), sqliteCopies, UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let value):
      return value.withUnsafeBytes { bytes in
        bytes.isEmpty
          ? sqlite3_bind_zeroblob(statement, position, 0)
          : sqlite3_bind_blob64(statement, position, bytes.baseAddress, UInt64(bytes.count), sqliteCopies)
      }
    }
  }

  /// Makes the value the result of an SQL function.
  package func setResult(of context: OpaquePointer?) {
    switch self {
    case .null: sqlite3_result_null(context)
    case .integer(let value): sqlite3_result_int64(context, value)
    case .real(let value): sqlite3_result_double(context, value)
    case .text(let value): Self.setResult(of: context, toText: value)
    case .blob(let value):
      value.withUnsafeBytes { bytes in
        bytes.isEmpty
          ? sqlite3_result_zeroblob(context, 0)
          : sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), sqliteCopies)
      }
    }
  }

  /// Makes a text the result of an SQL function.
  static func setResult(of context: OpaquePointer?, toText text: String) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        // A null pointer would mean NULL, and an empty text is not NULL.
        guard let start = $0.baseAddress else {
          return sqlite3_result_text64(context, "", 0, sqliteCopies, UInt8(SQLITE_UTF8))
        }
        sqlite3_result_text64(context, start, UInt64($0.count), sqliteCopies, UInt8(SQLITE_UTF8))
      }
    }
  }

  /// An argument of an SQL function.
  package init(argument: OpaquePointer?) {
    switch sqlite3_value_type(argument) {
    case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(argument))
    case SQLITE_FLOAT: self = .real(sqlite3_value_double(argument))
    case SQLITE_TEXT: self = .text(SQLiteCells.text(of: argument))
    case SQLITE_BLOB: self = .blob(SQLiteCells.data(of: argument))
    default: self = .null
    }
  }
}

/// Makes SQLite copy the bytes that it is given.
let sqliteCopies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
