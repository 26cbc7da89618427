import Foundation
import GRDBSQLite
import SwiftData

/// One SQLite connection to an Apple store.
///
/// It does not use GRDB, because only a URI can forbid changes to the file and its log, and GRDB does not open files by URI.
// @unchecked Sendable because a pool gives it to one thread at a time.
package final class FileConnection: @unchecked Sendable {
  package let handle: OpaquePointer
  private let place: String
  /// The store that an import attached. Errors of writing are about it, because the file itself is only read.
  package var target: String?
  private var statements: [String: OpaquePointer] = [:]

  /// - Parameters:
  ///   - uri: the file as a URI for `sqlite3_open_v2`.
  ///   - takesLocks: false for a connection that leaves the file and its log as they are.
  package init(uri: String, place: String, lockTimeout: Double, takesLocks: Bool = true) throws {
    var opened: OpaquePointer?
    // The URI decides whether this file may be written. The flags also apply to the database that an import attaches.
    let flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE
    let code = sqlite3_open_v2(uri, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) }
      sqlite3_close(opened)
      throw FileErrors.error(code: code, message: message, sql: nil, place: place)
    }
    (handle, self.place) = (opened, place)
    if !takesLocks {
      do { try DatabaseFile.removeLocks(of: opened) } catch { throw failure(nil) }
    }
    sqlite3_extended_result_codes(opened, 1)
    sqlite3_busy_timeout(opened, Int32(lockTimeout.asWait * 1000))
    // A damaged file may have a harmful schema.
    for statement in ["PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON", "PRAGMA temp_store = MEMORY"] {
      try execute(statement)
    }
    sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, 1 << 30)
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  // MARK: - Statements

  func failure(_ sql: String?) -> SwiftDataError {
    FileErrors.error(
      code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)), sql: sql, place: place,
      target: target)
  }

  package func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  func prepare(_ sql: String) throws -> OpaquePointer {
    if let known = statements[sql] { return known }
    var statement: OpaquePointer?
    guard sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
      let statement
    else { throw failure(sql) }
    if statements.count > 400 {
      for old in statements.values { sqlite3_finalize(old) }
      statements = [:]
    }
    statements[sql] = statement
    return statement
  }

  /// Calls `body` with a statement whose parameters are bound.
  func with<T>(_ fragment: SQLFragment, _ body: (OpaquePointer) throws -> T) throws -> T {
    var statement = try prepare(fragment.sql)
    // A caller further up may be stepping the same statement.
    let isBusy = sqlite3_stmt_busy(statement) != 0
    if isBusy {
      var other: OpaquePointer?
      guard sqlite3_prepare_v2(handle, fragment.sql, -1, &other, nil) == SQLITE_OK, let other else {
        throw failure(fragment.sql)
      }
      statement = other
    }
    defer {
      if isBusy {
        sqlite3_finalize(statement)
      } else {
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
      }
    }
    for (index, argument) in fragment.arguments.enumerated() {
      guard bind(argument, to: statement, at: Int32(index + 1)) == SQLITE_OK else { throw failure(fragment.sql) }
    }
    return try body(statement)
  }

  private func bind(_ value: SQLValue, to statement: OpaquePointer, at index: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(statement, index)
    case .integer(let value): return sqlite3_bind_int64(statement, index, value)
    case .real(let value): return sqlite3_bind_double(statement, index, value)
    case .text(var value):
      return value.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          $0.isEmpty
            ? sqlite3_bind_text(statement, index, "", 0, transient)
            : sqlite3_bind_text64(
              statement, index, $0.baseAddress, UInt64($0.count), transient, UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let value):
      return value.withUnsafeBytes { bytes in
        bytes.isEmpty
          ? sqlite3_bind_zeroblob(statement, index, 0)
          : sqlite3_bind_blob64(statement, index, bytes.baseAddress, UInt64(bytes.count), transient)
      }
    }
  }

  /// Goes to the next row. Returns false after the last one.
  func step(_ statement: OpaquePointer, sql: String) throws -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw failure(sql)
    }
  }

  /// All rows of a statement.
  package func rows(_ fragment: SQLFragment) throws -> [[SQLValue]] {
    try rows(fragment) { $0 }
  }

  /// The results of `body` for all rows of a statement.
  package func rows<T>(_ fragment: SQLFragment, _ body: ([SQLValue]) throws -> T) throws -> [T] {
    try with(fragment) { statement in
      var result = [T]()
      while try step(statement, sql: fragment.sql) {
        result.append(
          try body((0..<sqlite3_column_count(statement)).map { Self.value(sqlite3_column_value(statement, $0)) }))
      }
      return result
    }
  }

  /// Runs a statement that writes.
  /// - Returns: how many rows it changed.
  @discardableResult
  package func run(_ fragment: SQLFragment) throws -> Int {
    try with(fragment) { statement in
      while try step(statement, sql: fragment.sql) {}
      return Int(sqlite3_changes(handle))
    }
  }

  // MARK: - Cells

  static func value(_ cell: OpaquePointer?) -> SQLValue {
    switch sqlite3_value_type(cell) {
    case SQLITE_INTEGER: .integer(sqlite3_value_int64(cell))
    case SQLITE_FLOAT: .real(sqlite3_value_double(cell))
    case SQLITE_TEXT: .text(text(cell))
    case SQLITE_BLOB: .blob(data(cell))
    default: .null
    }
  }

  static func text(_ cell: OpaquePointer?) -> String {
    guard let bytes = sqlite3_value_text(cell) else { return "" }
    return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(cell))), as: UTF8.self)
  }

  static func data(_ cell: OpaquePointer?) -> Data {
    guard let bytes = sqlite3_value_blob(cell) else { return Data() }
    return Data(bytes: bytes, count: Int(sqlite3_value_bytes(cell)))
  }
}

/// Tells SQLite to copy a value that is bound or returned.
let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// Converts SQLite's result codes to errors that name the remedy.
enum FileErrors {
  /// - Parameter target: the store that an import writes to.
  static func error(
    code: Int32, message: String?, sql: String?, place: String, target: String? = nil
  ) -> SwiftDataError {
    let written = target ?? place
    func make(_ code: SwiftDataError.Code, _ text: String) -> SwiftDataError {
      SwiftDataError(code, message: text, sql: sql)
    }
    let detail = message ?? "no details"
    switch code & 0xFF {
    case SQLITE_NOTADB:
      return make(
        .notADatabase, "\"\(written)\" is not an SQLite database; name a store that SwiftData or Core Data made")
    case SQLITE_CORRUPT:
      let hasLog = FileManager.default.fileExists(atPath: place + "-wal")
      return make(
        .storeDamaged,
        "\"\(place)\"\(target.map { " or \"\($0)\"" } ?? "") is damaged (\(detail))"
          + (hasLog ? ", or the -wal next to it belongs to another file" : "") + "; take a copy from a backup")
    case SQLITE_BUSY, SQLITE_LOCKED:
      return make(.storeLocked, "\"\(written)\" is locked by another process; try again when that process has finished")
    case SQLITE_READONLY:
      return make(.storeReadOnly, "\"\(written)\" cannot be written; check the permissions of the file and its folder")
    case SQLITE_FULL where target != nil: return fullTarget(written)
    case SQLITE_FULL:
      return make(.storeFull, "the disk is full; nothing of this save was stored. Free some space and save again")
    case SQLITE_CANTOPEN:
      return make(.io, "\"\(written)\" cannot be opened; check that it exists and may be read")
    case SQLITE_CONSTRAINT where detail.hasPrefix("UNIQUE"):
      return make(.uniquenessViolation, "another stored object has the same value (\(detail)); change one of them")
    case SQLITE_CONSTRAINT:
      return make(.modelValidationFailure, "the file refuses the row: \(detail)")
    case SQLITE_ERROR where detail.contains("no such table") || detail.contains("no such column"):
      return make(.storeDamaged, "the tables of \"\(place)\" do not match its model (\(detail))")
    default: return make(.io, "\"\(place)\": SQLite reports \(detail) (\(code))")
    }
  }

  static func fullTarget(_ path: String) -> SwiftDataError {
    SwiftDataError(
      .storeFull, message: "the disk of \"\(path)\" is full; nothing was imported. Free some space and import again")
  }
}
