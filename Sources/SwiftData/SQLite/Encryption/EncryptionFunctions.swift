import CSwiftDataSQLite
import Foundation

/// `swift_encrypt(cell, column)` and `swift_decrypt(cell, column)`, for connections of stores with keys.
///
/// Statements call them to write or read an encrypted column, so predicates and orders see the values. A schema may not
/// contain them, because a hostile file could.
enum EncryptionFunctions {
  static func register(_ keys: KeyRing, on connection: OpaquePointer) throws {
    try register("swift_encrypt", SQLITE_DIRECTONLY, keys, connection) { keys, call in
      .blob(try keys.encrypt(call.cell(0), column: Array(call.utf8(1))))
    }
    try register("swift_decrypt", SQLITE_DIRECTONLY | SQLITE_DETERMINISTIC, keys, connection) { keys, call in
      try keys.open(call.cell(0), column: Array(call.utf8(1)))
    }
  }

  private typealias Body = @Sendable (KeyRing, SQLiteCall) throws -> SQLValue

  /// The context of one SQL function.
  private final class Function: Sendable {
    let keys: KeyRing
    let body: Body

    init(_ keys: KeyRing, _ body: @escaping Body) { (self.keys, self.body) = (keys, body) }

    func run(_ call: SQLiteCall) {
      if call.hasNull { return sqlite3_result_null(call.context) }
      do {
        call.returns(try body(keys, call))
      } catch let error as SwiftDataError {
        call.fails(EncryptionErrors.text(of: error))
      } catch {
        // The error's text is omitted, because it may contain the value.
        call.fails("encryption failed")
      }
    }
  }

  private static func register(
    _ name: String, _ flags: Int32, _ keys: KeyRing, _ connection: OpaquePointer, _ body: @escaping Body
  ) throws {
    let code = sqlite3_create_function_v2(
      connection, name, 2, SQLITE_UTF8 | flags, Unmanaged.passRetained(Function(keys, body)).toOpaque(),
      { context, count, values in
        let function = Unmanaged<Function>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
        function.run(
          SQLiteCall(context: context!, values: UnsafeMutableBufferPointer(start: values, count: Int(count))))
      }, nil, nil, { Unmanaged<Function>.fromOpaque($0!).release() })
    guard code == SQLITE_OK else {
      throw SwiftDataError(.io, message: "\(name) cannot be registered: \(String(cString: sqlite3_errstr(code)))")
    }
  }
}

/// Transports errors through SQLite, which supports only text.
enum EncryptionErrors {
  private static let codes: [(prefix: String, code: SwiftDataError.Code)] = [
    ("SwiftData key: ", .encryptionKey), ("SwiftData value: ", .unreadableValue),
  ]

  static func text(of error: SwiftDataError) -> String {
    (codes.first { $0.code == error.code }?.prefix ?? "") + (error.message ?? "")
  }

  /// Returns nil for the text of any other error.
  static func error(of text: String, sql: String?) -> SwiftDataError? {
    guard let known = codes.first(where: { text.hasPrefix($0.prefix) }) else { return nil }
    let advice =
      known.code == .encryptionKey
      ? "; add it to ModelConfiguration.previousEncryptionKeys. Nothing was lost or changed" : ""
    return SwiftDataError(known.code, message: text.dropFirst(known.prefix.count) + advice, sql: sql)
  }
}
