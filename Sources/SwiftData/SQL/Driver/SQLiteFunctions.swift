import CSwiftDataSQLite

extension SQLiteDatabase {
  /// The body of an SQL function. It must not use the connection.
  package typealias Function = @Sendable ([SQLValue]) throws -> SQLValue

  /// Registers an SQL function, in place of an earlier one of the name.
  /// - Parameters:
  ///   - argumentCount: -1 for any number.
  ///   - flags: such as `SQLITE_DETERMINISTIC`.
  package func register(
    _ name: String, argumentCount: Int32, flags: Int32 = 0, _ body: @escaping Function
  ) throws {
    let code = sqlite3_create_function_v2(
      handle, name, argumentCount, SQLITE_UTF8 | flags, Unmanaged.passRetained(FunctionBody(body)).toOpaque(),
      { context, count, values in
        // SQLite keeps it until the connection closes or another function takes the name.
        let function = Unmanaged<FunctionBody>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
        do {
          try function.body((0..<Int(count)).map { SQLValue(argument: values![$0]) }).setResult(of: context)
        } catch {
          sqlite3_result_error(context, (error as? SQLiteError)?.message ?? "\(error)", -1)
        }
      }, nil, nil, { Unmanaged<FunctionBody>.fromOpaque($0!).release() })
    guard code == SQLITE_OK else { throw SQLiteError(code, "the function \(name) cannot be registered") }
  }
}

private final class FunctionBody: Sendable {
  let body: SQLiteDatabase.Function
  init(_ body: @escaping SQLiteDatabase.Function) { self.body = body }
}
