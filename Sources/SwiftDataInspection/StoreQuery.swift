import Foundation
import SwiftData
import SwiftDataAppleStore
import SwiftDataPostgres

/// The rows of a statement that a person wrote.
public struct QueryResult: Sendable, Encodable {
  /// The names of the columns. A name that occurs again gets a number.
  public var columns: [String]
  /// The values of each row.
  public var rows: [[JSONValue]]

  /// Writes an array with an object for each row.
  /// - Throws: an error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    for row in rows { try list.encode(Dictionary(uniqueKeysWithValues: zip(columns, row))) }
  }

  /// The rows as a table. Numbers stand at the right. Control characters in texts are escaped.
  public var text: String {
    let columns = columns.map(TerminalText.cell)
    let cells = rows.map { $0.map(Self.text) }
    let widths = columns.indices.map { index in
      (cells.map { $0[index].count } + [columns[index].count]).max() ?? 0
    }
    let areNumbers = columns.indices.map { index in
      rows.allSatisfy { row in
        switch row[index] {
        case .integer, .number, .null: true
        default: false
        }
      }
    }
    func line(_ values: [String]) -> String {
      let padded = values.indices.map { index in
        let space = String(repeating: " ", count: max(0, widths[index] - values[index].count))
        return areNumbers[index] ? space + values[index] : values[index] + space
      }
      var line = padded.joined(separator: "  ")
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
    let rule = widths.map { String(repeating: "-", count: $0) }
    return ([columns, rule] + cells).map(line).joined(separator: "\n")
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
  /// Runs a SELECT, which reads one state of the store. It changes nothing, whatever the statement says.
  ///
  /// Values of a property's column are shown as the property's type says: a date as ISO 8601, a UUID as text, data as Base64.
  /// - Throws: ``StatementError`` if the database refuses the statement, `SwiftDataError` if the store cannot be read.
  public func query(_ sql: String) throws -> QueryResult {
    do {
      switch kind {
      case .sqlite: return try readLive { try table(of: sql, in: $0) }
      case .apple: return try apple!.file.read { try table(of: sql, in: $0) }
      case .postgres:
        let result = try server!.query(sql)
        let families = result.columns.map { $0.origin.flatMap(family) ?? $0.family }
        return QueryResult(columns: result.columns.map(\.name), families: families, rows: result.rows)
      }
    } catch let error as FileConnection.RefusedStatement {
      throw StatementError(reason: error.reason)
    } catch let error as RefusedServerStatement {
      throw StatementError(reason: error.reason)
    }
  }

  private func table(of sql: String, in connection: FileConnection) throws -> QueryResult {
    var (names, families, rows) = ([String](), [ValueFamily?](), [[SQLValue]]())
    try connection.query(
      sql,
      columns: { columns in
        names = columns.map(\.name)
        families = columns.map { $0.origin.flatMap(family) }
      }, { rows.append($0) })
    return QueryResult(columns: names, families: families, rows: rows)
  }

  /// The meaning of a column's values by the layout. Nil for a column that the layout does not have.
  private func family(_ origin: (table: String, column: String)) -> ValueFamily? {
    layout.table(named: origin.table)?.column(named: origin.column)?.family
  }
}

extension QueryResult {
  fileprivate init(columns: [String], families: [ValueFamily?], rows: [[SQLValue]]) {
    // A numbered name may be the name of another column.
    var (taken, counts) = (Set<String>(), [String: Int]())
    self.columns = columns.map { name in
      var unique = name
      while !taken.insert(unique).inserted {
        counts[name, default: 1] += 1
        unique = "\(name) (\(counts[name, default: 1]))"
      }
      return unique
    }
    self.rows = rows.map { row in zip(row, families).map { InspectedStore.value($0, $1 ?? .mixed) } }
  }
}
