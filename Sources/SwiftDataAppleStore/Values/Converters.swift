import CSwiftDataSQLite
import Foundation
import SwiftData
import Synchronization

/// Makes one cell of our layout from the cells of an attribute.
typealias Converter = @Sendable ([SQLValue]) -> SQLValue

/// The converters that the views of a file call, by number: `apple_value(number, cell, …)`.
final class Converters: Sendable {
  private struct State: Sendable {
    var converters: [Converter] = []
    var views: [String] = []
  }
  private let state = Mutex(State())

  func use(_ converters: [Converter], views: [String]) {
    state.withLock { ($0.converters, $0.views) = (converters, views) }
  }

  /// The statements that make the views.
  var views: [String] { state.withLock { $0.views } }

  /// Registers `apple_value` with a connection. The connection keeps the present converters, which match its views, even if
  /// `use` replaces them later.
  func register(on connection: OpaquePointer) throws {
    let box = ConverterBox(state.withLock { $0.converters })
    let code = sqlite3_create_function_v2(
      connection, "apple_value", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
      Unmanaged.passRetained(box).toOpaque(),
      { context, count, values in
        let box = Unmanaged<ConverterBox>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
        var cells = [SQLValue]()
        for index in 1..<max(1, Int(count)) { cells.append(SQLValue(argument: values![index])) }
        let number = Int(sqlite3_value_int64(values![0]))
        guard box.converters.indices.contains(number) else { return sqlite3_result_null(context) }
        box.converters[number](cells).setResult(of: context)
      }, nil, nil, { Unmanaged<ConverterBox>.fromOpaque($0!).release() })
    guard code == SQLITE_OK else {
      throw SwiftDataError(.io, message: "apple_value cannot be registered: \(String(cString: sqlite3_errstr(code)))")
    }
  }
}

private final class ConverterBox: Sendable {
  let converters: [Converter]
  init(_ converters: [Converter]) { self.converters = converters }
}
