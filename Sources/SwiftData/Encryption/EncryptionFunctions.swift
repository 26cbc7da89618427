import Foundation
import GRDBSQLite

/// `swift_encrypt(cell, column)` and `swift_decrypt(cell, column)`, on the connections of a store that has keys.
///
/// Statements call them where an encrypted column is written or read, so that everything between, predicates and
/// orders included, sees the values themselves. They may not be part of a schema, which a file could bring along.
enum EncryptionFunctions {
  static func register(_ keys: KeyRing, on connection: OpaquePointer) throws {
    try register("swift_encrypt", SQLITE_DIRECTONLY, keys, connection) { keys, call in
      .blob(try keys.seal(call.cell(0), column: Array(call.utf8(1))))
    }
    try register("swift_decrypt", SQLITE_DIRECTONLY | SQLITE_DETERMINISTIC, keys, connection) { keys, call in
      try keys.open(call.cell(0), column: Array(call.utf8(1)))
    }
  }

  private typealias Body = @Sendable (KeyRing, SQLiteCall) throws -> SQLValue

  /// What a connection holds for one function.
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
        // Nothing of the error, which may carry what it was about.
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

/// Errors on their way through SQLite, which carries texts.
enum EncryptionErrors {
  private static let codes: [(prefix: String, code: SwiftDataError.Code)] = [
    ("SwiftData key: ", .encryptionKey), ("SwiftData value: ", .unreadableValue),
  ]

  static func text(of error: SwiftDataError) -> String {
    (codes.first { $0.code == error.code }?.prefix ?? "") + (error.message ?? "")
  }

  /// Nil for any other error's text.
  static func error(of text: String, sql: String?) -> SwiftDataError? {
    guard let known = codes.first(where: { text.hasPrefix($0.prefix) }) else { return nil }
    let advice =
      known.code == .encryptionKey
      ? "; give it to ModelConfiguration.formerEncryptionKeys. Nothing was lost or changed" : ""
    return SwiftDataError(known.code, message: text.dropFirst(known.prefix.count) + advice, sql: sql)
  }
}
