import Foundation
import SwiftData
import SwiftDataAppleStore
import SwiftDataPostgres

/// The rows of a statement as a table, a line at a time. Numbers stand at the right. Control characters in texts are escaped.
///
/// The first rows decide the widths, and stay in memory until they are complete. A later value that is wider moves the rest of its line.
public struct TextTable: Sendable {
  /// The number of rows that decide the widths.
  public static let window = 1_000
  /// Fewer rows decide the widths if their values have this size in bytes.
  private static let maximumSize = 1 << 20

  private let columns: [String]
  private var widths: [Int]
  private var areNumbers: [Bool]
  /// The first rows. Nil after their lines were made.
  private var first: [[String]]? = []
  private var size = 0

  /// - Parameter columns: the names of the columns.
  public init(columns: [String]) {
    self.columns = columns.map(TerminalText.cell)
    widths = self.columns.map(\.count)
    areNumbers = columns.map { _ in true }
  }

  /// Adds a row.
  /// - Returns: the lines that are complete now.
  public mutating func add(_ row: [JSONValue]) -> [String] {
    let cells = row.map(Self.text)
    guard var rows = first else { return [line(cells)] }
    first = nil
    rows.append(cells)
    for (index, cell) in cells.enumerated() {
      widths[index] = max(widths[index], cell.count)
      areNumbers[index] = areNumbers[index] && Self.isNumber(row[index])
      size += cell.utf8.count
    }
    if rows.count == Self.window || size >= Self.maximumSize { return head + rows.map(line) }
    first = rows
    return []
  }

  /// Ends the table.
  /// - Returns: the lines that were not complete.
  public mutating func finish() -> [String] {
    guard let rows = first else { return [] }
    first = nil
    return head + rows.map(line)
  }

  private var head: [String] { [line(columns), line(widths.map { String(repeating: "-", count: $0) })] }

  private func line(_ values: [String]) -> String {
    let padded = values.indices.map { index in
      let space = String(repeating: " ", count: max(0, widths[index] - values[index].count))
      return areNumbers[index] ? space + values[index] : values[index] + space
    }
    var line = padded.joined(separator: "  ")
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }

  private static func isNumber(_ value: JSONValue) -> Bool {
    switch value {
    case .integer, .number, .null: true
    default: false
    }
  }

  private static func text(_ value: JSONValue) -> String {
    switch value {
    case .null: ""
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let text): TerminalText.cell(text)
    case .array, .object:
      (try? JSONCoding.encode(value)).map { TerminalText.withoutControls(String(decoding: $0, as: UTF8.self)) } ?? ""
    }
  }
}

/// The reason why a database refuses a statement that a person wrote.
public struct StatementError: Error, CustomStringConvertible, Sendable {
  /// The reason, as the database words it.
  public let reason: String
  /// The reason with the remedy.
  public var description: String {
    "the statement is refused: \(reason); write one SELECT over the tables of the store"
  }
}

extension InspectedStore {
  /// Runs a SELECT, which reads one state of the store, and passes each row on as it comes. It changes nothing, whatever the statement says.
  ///
  /// Values of a property's column are shown as the property's type says: a date as ISO 8601, a UUID as text, data as Base64.
  /// - Parameters:
  ///   - columns: called once, before the rows, with the names of the columns. A name that occurs again gets a number.
  ///   - row: called with the values of each row.
  /// - Throws: ``StatementError`` if the database refuses the statement, `SwiftDataError` if the store cannot be read, and what the closures
  ///   throw. `SwiftDataError/storeLocked` says that the rows so far may be of two states, because another program began to save.
  public func query(
    _ sql: String, columns: ([String]) throws -> Void, row: ([JSONValue]) throws -> Void
  ) throws {
    var families: [ValueFamily?]?
    func begin(_ names: [String], _ found: [ValueFamily?]) throws {
      guard families == nil else {
        throw SwiftDataError(
          .storeLocked,
          message:
            "\"\(location)\" changed while it was read, so the rows may be of two states; run the statement again")
      }
      families = found
      try columns(Self.unique(names))
    }
    func take(_ cells: [SQLValue]) throws {
      try row(zip(cells, families ?? []).map { Self.value($0, $1 ?? .mixed) })
    }
    func read(_ connection: FileConnection) throws {
      try connection.query(
        sql,
        columns: { found in
          try begin(found.map(\.name), found.map { $0.origin.flatMap(family) })
        }, take)
    }
    do {
      switch kind {
      case .sqlite: try readLive(read)
      case .apple: try apple!.file.read(read)
      case .postgres:
        try server!.query(
          sql,
          columns: { found in
            try begin(found.map(\.name), found.map { $0.origin.flatMap(family) ?? $0.family })
          }, take)
      }
    } catch let error as FileConnection.RefusedStatement {
      throw StatementError(reason: error.reason)
    } catch let error as RefusedServerStatement {
      throw StatementError(reason: error.reason)
    }
  }

  /// The meaning of a column's values by the layout. Nil for a column that the layout does not have.
  private func family(_ origin: (table: String, column: String)) -> ValueFamily? {
    layout.table(named: origin.table)?.column(named: origin.column)?.family
  }

  private static func unique(_ names: [String]) -> [String] {
    // A numbered name may be the name of another column.
    var (taken, counts) = (Set<String>(), [String: Int]())
    return names.map { name in
      var unique = name
      while !taken.insert(unique).inserted {
        counts[name, default: 1] += 1
        unique = "\(name) (\(counts[name, default: 1]))"
      }
      return unique
    }
  }
}
