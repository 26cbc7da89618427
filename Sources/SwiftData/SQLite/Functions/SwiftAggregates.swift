import CSwiftDataSQLite
import Foundation

/// SQL aggregates that Swift computes, registered on every connection: sums of decimal numbers, and extremes of values
/// whose order SQL does not know. They ignore NULL. Without values the result is NULL.
enum SwiftAggregates {
  static func register(on connection: OpaquePointer) throws {
    for aggregate in all {
      let code = sqlite3_create_function_v2(
        connection, aggregate.name, aggregate.argumentCount, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
        Unmanaged.passUnretained(aggregate).toOpaque(), nil,
        { context, count, values in
          let call = SQLiteCall(context: context!, values: UnsafeMutableBufferPointer(start: values, count: Int(count)))
          if call.hasNull { return }
          let slot = sqlite3_aggregate_context(context, Int32(MemoryLayout<UnsafeRawPointer?>.size))
          guard let slot = slot?.assumingMemoryBound(to: UnsafeRawPointer?.self) else {
            return sqlite3_result_error_nomem(context)
          }
          let accumulator: Accumulator
          if let known = slot.pointee {
            accumulator = Unmanaged<Accumulator>.fromOpaque(known).takeUnretainedValue()
          } else {
            accumulator = Accumulator()
            slot.pointee = UnsafeRawPointer(Unmanaged.passRetained(accumulator).toOpaque())
          }
          let aggregate = Unmanaged<Aggregate>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
          aggregate.step(accumulator, call)
        },
        { context in
          guard let slot = sqlite3_aggregate_context(context, 0)?.assumingMemoryBound(to: UnsafeRawPointer?.self),
            let known = slot.pointee
          else { return sqlite3_result_null(context) }
          let accumulator = Unmanaged<Accumulator>.fromOpaque(known).takeRetainedValue()
          SQLiteCall(context: context!, values: UnsafeMutableBufferPointer(start: nil, count: 0))
            .returns(accumulator.result)
        }, nil)
      guard code == SQLITE_OK else {
        throw SwiftDataError(
          .io, message: "\(aggregate.name) cannot be registered: \(String(cString: sqlite3_errstr(code)))")
      }
    }
  }

  /// The state of one aggregation. It belongs to the connection that runs it.
  fileprivate final class Accumulator {
    var value: SQLValue?
    var decimal: Decimal?
    var result: SQLValue? { decimal.map { .text($0.description) } ?? value }
  }

  private final class Aggregate: Sendable {
    let name: String
    let argumentCount: Int32
    let step: @Sendable (Accumulator, SQLiteCall) -> Void

    init(_ name: String, _ argumentCount: Int32, _ step: @escaping @Sendable (Accumulator, SQLiteCall) -> Void) {
      self.name = name
      self.argumentCount = argumentCount
      self.step = step
    }
  }

  private static let all = [
    Aggregate("swift_decimal_sum", -1) { accumulator, call in
      guard let value = call.decimal(0, of: call.place(at: 1)) else { return }
      accumulator.decimal = accumulator.decimal.map { $0 + value } ?? value
    },
    // The number identifies the type's `<` in the registry of `ValueFunction`.
    Aggregate("swift_minimum", 2) { keep($0, $1) { candidate, current in [candidate, current] } },
    Aggregate("swift_maximum", 2) { keep($0, $1) { candidate, current in [current, candidate] } },
  ]

  /// Keeps the candidate if `<` holds between the arguments.
  private static func keep(
    _ accumulator: Accumulator, _ call: SQLiteCall, _ arguments: (SQLValue, SQLValue) -> [SQLValue]
  ) {
    let candidate = call.cell(1)
    guard let current = accumulator.value, let function = ValueFunction.numbered(call.integer(0)) else {
      accumulator.value = candidate
      return
    }
    do {
      if try function.body(arguments(candidate, current)) == .integer(1) { accumulator.value = candidate }
    } catch let error as SwiftDataError { call.fails(error) } catch { call.fails("\(error)") }
  }
}
