import CSwiftDataSQLite

/// `swift_encrypt(cell, column)` and `swift_decrypt(cell, column)`, for connections of stores with keys.
///
/// Statements call them to write or read a column with a ``ColumnCodec``, so predicates and orders see the values. A schema may not
/// contain them, because a hostile file could.
enum EncryptionFunctions {
  static func register(_ keys: KeyRing, on connection: OpaquePointer) throws {
    try register("swift_encrypt", SQLITE_DIRECTONLY, connection) { call in
      .blob(try keys.encrypt(call.cell(0), column: call.utf8(1)))
    }
    try register("swift_decrypt", SQLITE_DIRECTONLY | SQLITE_DETERMINISTIC, connection) { call in
      try keys.open(call.cell(0), column: call.utf8(1))
    }
  }

  private static func register(
    _ name: String, _ flags: Int32, _ connection: OpaquePointer,
    _ body: @escaping @Sendable (SQLiteCall) throws -> SQLValue
  ) throws {
    let function = SwiftFunction(name, 2) { call in
      do {
        call.returns(try body(call))
      } catch let error as SwiftDataError {
        call.fails(error)
      } catch {
        // The error's text is omitted, because it may contain the value.
        call.fails("encryption failed")
      }
    }
    // The connection releases it.
    try Unmanaged.passRetained(function).takeUnretainedValue().register(on: connection, flags) {
      Unmanaged<SwiftFunction>.fromOpaque($0!).release()
    }
  }
}
