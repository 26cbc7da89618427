import CSwiftDataSQLite
import Foundation

/// The SQL functions and collations that call Swift. Every connection registers them.
///
/// All are deterministic and return NULL for NULL.
package enum SwiftFunctions {
  package static func register(on connection: OpaquePointer) throws {
    try SwiftCollation.register(on: connection)
    for function in all { try function.register(on: connection, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS) }
    try SwiftAggregates.register(on: connection)
  }

  private static let all: [SwiftFunction] = text + questions + numbers + json + search
}

/// One function.
final class SwiftFunction: Sendable {
  let name: String
  let argumentCount: Int32
  let body: @Sendable (SQLiteCall) -> Void
  /// The function that SQLite calls instead of the body. It may call the body, and has to check for NULL.
  let direct: Direct?

  typealias Direct = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  /// An `argumentCount` of -1 accepts any number.
  init(
    _ name: String, _ argumentCount: Int32, direct: Direct? = nil, _ body: @escaping @Sendable (SQLiteCall) -> Void
  ) {
    self.name = name
    self.argumentCount = argumentCount
    self.direct = direct
    self.body = body
  }

  /// - Parameter release: what SQLite calls when the connection needs the function no more. Nil for a function that stays.
  func register(
    on connection: OpaquePointer, _ flags: Int32, release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)? = nil
  ) throws {
    let code = sqlite3_create_function_v2(
      connection, name, argumentCount, SQLITE_UTF8 | flags, Unmanaged.passUnretained(self).toOpaque(),
      direct ?? { SwiftFunction.call($0, $1, $2) }, nil, nil, release)
    guard code == SQLITE_OK else {
      throw SwiftDataError(.io, message: "\(name) cannot be registered: \(String(cString: sqlite3_errstr(code)))")
    }
  }

  /// Calls the body, or returns NULL for NULL.
  static func call(_ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
    let call = SQLiteCall(context: context!, values: UnsafeMutableBufferPointer(start: values, count: Int(count)))
    if call.hasNull { return sqlite3_result_null(context) }
    // The list of all functions or the connection keeps it.
    Unmanaged<SwiftFunction>.fromOpaque(sqlite3_user_data(context))._withUnsafeGuaranteedRef { $0.body(call) }
  }
}

/// A call with its arguments and its result.
struct SQLiteCall {
  let context: OpaquePointer
  let values: UnsafeMutableBufferPointer<OpaquePointer?>

  var hasNull: Bool { values.contains { sqlite3_value_type($0) == SQLITE_NULL } }

  // MARK: - Arguments

  func integer(_ index: Int) -> Int64 { sqlite3_value_int64(values[index]) }

  /// The bytes of a text, valid during the call.
  func utf8(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    let start = sqlite3_value_text(values[index])
    return UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(values[index])))
  }

  func text(_ index: Int) -> String { String(decoding: utf8(index), as: UTF8.self) }

  func cell(_ index: Int) -> SQLValue { SQLValue(argument: values[index]) }

  /// A decimal number. Fails the statement and returns nil for another text.
  func decimal(_ index: Int, of place: Place? = nil) -> Decimal? {
    let number = Decimal(stored: text(index))
    if number == nil { fails(unreadable: "a stored text is not a decimal number", of: place) }
    return number
  }

  typealias Place = (entity: String, property: String)

  /// The property of a value, where the statement has ``ScalarType/place`` as the arguments from an index on.
  func place(at index: Int) -> Place? { values.count > index + 1 ? (text(index), text(index + 1)) : nil }

  /// A fact about an argument. SQLite keeps it for the next rows if the argument is the same for all of them.
  func fact(about argument: Int32, _ compute: () -> Bool) -> Bool {
    if let known = sqlite3_get_auxdata(context, argument) { return UInt(bitPattern: known) == 1 }
    let fact = compute()
    sqlite3_set_auxdata(context, argument, UnsafeMutableRawPointer(bitPattern: fact ? 1 : 2), nil)
    return fact
  }

  // MARK: - Results

  func fails(_ message: String) { sqlite3_result_error(context, message, -1) }
  func fails(_ error: SwiftDataError) { fails(FunctionErrors.text(of: error)) }

  func fails(unreadable fact: String, of place: Place?) {
    fails(
      SwiftDataError(
        .unreadableValue, entity: place?.entity, property: place?.property,
        message: "\(fact); another program wrote it. Correct the row"))
  }

  func returns(_ value: Bool) { sqlite3_result_int(context, value ? 1 : 0) }
  func returns(_ value: Int64) { sqlite3_result_int64(context, value) }
  func returnsArgument(_ index: Int) { sqlite3_result_value(context, values[index]) }

  func returns(_ value: String) { SQLValue.setResult(of: context, toText: value) }
  func returns(_ value: SQLValue?) { (value ?? .null).setResult(of: context) }

  /// Returns what a ``ValueFunction`` computes. NULL stands for an error of Swift. The statement fails where a cell
  /// cannot be decoded.
  func returns(_ compute: () throws -> SQLValue?) {
    do { returns(try compute()) } catch let error as SwiftDataError where error.code == .unreadableValue {
      fails(error)
    } catch { returns(nil) }
  }
}
