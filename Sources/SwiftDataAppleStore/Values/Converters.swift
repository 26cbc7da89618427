import Foundation
import SwiftData
import Synchronization

/// Makes one cell of our layout from the cells of an attribute.
typealias Converter = @Sendable ([SQLValue]) -> SQLValue

/// The converters that the views of a file call, by number: `apple_value(number, cell, …)`.
///
/// SQLite passes at most 127 values to a function. A composite of more columns is `apple_wide_value(number, cells, …)`, whose
/// arguments `apple_cells(cell, …)` packs.
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

  /// The most cells that one call of a function gets.
  private static let width = 100

  /// The function that converts columns, and its arguments after the number, with the parenthesis.
  static func call(_ columns: [String]) -> (function: String, arguments: String) {
    guard columns.count > width else { return ("apple_value", ", \(columns.joined(separator: ", ")))") }
    let groups = stride(from: 0, to: columns.count, by: width).map { start in
      "apple_cells(\(columns[start..<min(start + width, columns.count)].joined(separator: ", ")))"
    }
    return ("apple_wide_value", ", \(groups.joined(separator: ", ")))")
  }

  /// Registers the functions with a connection. The connection keeps the present converters, which match its views, even if
  /// `use` replaces them later.
  func register(on connection: FileConnection) throws {
    let converters = state.withLock { $0.converters }
    @Sendable func convert(_ number: SQLValue?, _ cells: [SQLValue]) -> SQLValue {
      guard case .integer(let number)? = number, converters.indices.contains(Int(number)) else { return .null }
      return converters[Int(number)](cells)
    }
    try connection.register("apple_value") { convert($0.first, Array($0.dropFirst())) }
    try connection.register("apple_cells") { .blob(PackedCells.data($0)) }
    try connection.register("apple_wide_value") { convert($0.first, try $0.dropFirst().flatMap(PackedCells.cells)) }
  }
}

/// Cells as one blob, which SQLite passes from one function to another.
enum PackedCells {
  private enum Kind: UInt8 { case null, integer, real, text, blob }

  static func data(_ cells: [SQLValue]) -> Data {
    var data = Data()
    func add(_ kind: Kind, _ bits: UInt64) {
      data.append(kind.rawValue)
      withUnsafeBytes(of: bits) { data.append(contentsOf: $0) }
    }
    for cell in cells {
      switch cell {
      case .null: add(.null, 0)
      case .integer(let value): add(.integer, UInt64(bitPattern: value))
      case .real(let value): add(.real, value.bitPattern)
      case .text(let value):
        add(.text, UInt64(value.utf8.count))
        data.append(contentsOf: value.utf8)
      case .blob(let value):
        add(.blob, UInt64(value.count))
        data.append(value)
      }
    }
    return data
  }

  /// - Throws: `SwiftDataError/io` for a value that ``data(_:)`` did not make, as a view of a hostile file may pass.
  static func cells(_ value: SQLValue) throws -> [SQLValue] {
    guard case .blob(let data) = value else { throw damaged }
    var (cells, rest) = ([SQLValue](), data[...])
    while !rest.isEmpty {
      guard rest.count >= 9, let kind = rest.first.flatMap(Kind.init) else { throw damaged }
      let bits = rest.dropFirst().withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
      rest = rest.dropFirst(9)
      guard kind != .text && kind != .blob || bits <= rest.count else { throw damaged }
      switch kind {
      case .null: cells.append(.null)
      case .integer: cells.append(.integer(Int64(bitPattern: bits)))
      case .real: cells.append(.real(Double(bitPattern: bits)))
      case .text: cells.append(.text(String(decoding: rest.prefix(Int(bits)), as: UTF8.self)))
      case .blob: cells.append(.blob(Data(rest.prefix(Int(bits)))))
      }
      if kind == .text || kind == .blob { rest = rest.dropFirst(Int(bits)) }
    }
    return cells
  }

  private static var damaged: SwiftDataError {
    SwiftDataError(.io, message: "apple_wide_value takes cells of apple_cells")
  }
}
