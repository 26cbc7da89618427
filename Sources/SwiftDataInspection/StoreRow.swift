import Foundation
import SwiftData
import SwiftDataAppleStore

/// An object as a tool shows it.
public struct StoreRow: Sendable, Codable, Equatable {
  /// Its class.
  public var entity: String
  /// Its key among the objects of its class hierarchy.
  public var key: Int64
  /// Its attributes. A date is text in ISO 8601, data are Base64.
  public var values: [String: JSONValue]
  /// The keys of the objects that it is related to.
  public var related: [String: [Int64]]
}

extension InspectedStore {
  /// The objects of a class, in the order of their keys.
  /// - Parameters:
  ///   - key: objects with greater keys are returned.
  ///   - limit: the greatest number of objects.
  ///   - filter: a property, and a text that its value must contain.
  /// - Throws: `SwiftDataError`.
  public func rows(
    of entity: String, after key: Int64 = .min, limit: Int, filter: (property: String, text: String)? = nil
  ) throws -> [StoreRow] {
    try rows(of: entity, after: key, limit: limit, filter: filter, exactDates: false)
  }

  /// - Parameter exactDates: whether a date is the number of its seconds since 2001. Its text has no more than milliseconds.
  func rows(
    of entity: String, after key: Int64, limit: Int, filter: (property: String, text: String)? = nil, exactDates: Bool
  ) throws -> [StoreRow] {
    guard let table = table(of: entity) else { return [] }
    var condition: SQLFragment = "_pk > \(bind: .integer(key)) AND \(self.condition(entity, in: table))"
    if let filter, !filter.text.isEmpty {
      guard let column = columns(of: entity).first(where: { $0.propertyName == filter.property }) else {
        throw SwiftDataError(
          .unsupportedKeyPath, entity: entity, property: filter.property, message: "the class has no such attribute")
      }
      let text = SQLValue.text(filter.text.lowercased())
      let place: SQLFragment = kind == .postgres ? "strpos" : "instr"
      condition = "\(condition) AND \(place)(lower(CAST(\(name: column.name) AS TEXT)), \(bind: text)) > 0"
    }
    return try rows(of: entity, in: table, where: "\(condition) ORDER BY _pk LIMIT \(limit)", exactDates: exactDates)
  }

  /// The objects of a class with some keys.
  /// - Throws: `SwiftDataError`.
  public func rows(of entity: String, keys: [Int64]) throws -> [StoreRow] {
    guard let table = table(of: entity) else { return [] }
    let list = keys.map(String.init).joined(separator: ", ")
    return try rows(of: entity, in: table, where: "_pk IN (\(list)) ORDER BY _pk")
  }

  private func rows(
    of entity: String, in table: LayoutRecord.Table, where condition: SQLFragment, exactDates: Bool = false
  ) throws -> [StoreRow] {
    let columns = columns(of: entity)
    let heads = ["_pk"] + (table.hasDiscriminator ? ["_entity"] : [])
    var result = try cells(of: columns, keyed: heads, "FROM \(name: table.name) WHERE \(condition)").compactMap {
      cells -> StoreRow? in
      guard case .integer(let key) = cells[0] else { return nil }
      var row = StoreRow(entity: entity, key: key, values: [:], related: [:])
      if table.hasDiscriminator, case .text(let name) = cells[1] { row.entity = name }
      for (column, cell) in zip(columns, cells[heads.count...]) {
        if column.family == .key {
          if case .integer(let target) = cell { row.related[column.propertyName] = [target] }
        } else if cell != .null {
          row.values[column.propertyName] =
            exactDates && column.family == .date ? Self.seconds(cell) : Self.value(cell, column.family)
        }
      }
      return row
    }
    try addLists(to: &result, entity)
    return result
  }

  private func cells(
    of columns: [LayoutRecord.Column], keyed heads: [String], _ source: SQLFragment
  ) throws -> [[SQLValue]] {
    if let server { return try server.rows(of: columns, keyed: heads, source) }
    let list = (heads + columns.map(\.name)).map(\.quotedIdentifier).joined(separator: ", ")
    return try rows("SELECT \(list) \(source)")
  }

  /// Fills the to-many relationships, one statement for each.
  private func addLists(to rows: inout [StoreRow], _ entity: String) throws {
    guard !rows.isEmpty else { return }
    let keys = rows.map { String($0.key) }.joined(separator: ", ")
    let places = Dictionary(rows.enumerated().map { ($1.key, $0) }) { first, _ in first }
    for relationship in relationships(of: entity) {
      let statement: SQLFragment
      switch relationship.storage {
      case .foreignKey: continue
      case .inverse(let column):
        let place = layout.table(named: relationship.destination)?.position(of: column)
        let position = place.map { "\($0.name.quotedIdentifier) IS NULL, \($0.name.quotedIdentifier), " } ?? ""
        statement = """
          SELECT \(name: column), _pk FROM \(name: relationship.destination) WHERE \(name: column) IN (\(keys)) \
          ORDER BY \(name: column), \(position)_pk
          """
      case .pairs(let table, let isForward):
        let (own, other) = isForward ? ("source", "target") : ("target", "source")
        statement = """
          SELECT \(own), \(other) FROM \(name: table) WHERE \(own) IN (\(keys)) \
          ORDER BY \(own), \(own)_position IS NULL, \(own)_position, \(other)
          """
      }
      for pair in try self.rows(statement) {
        guard case .integer(let owner) = pair[0], case .integer(let target) = pair[1], let place = places[owner] else {
          continue
        }
        rows[place].related[relationship.name, default: []].append(target)
      }
    }
  }

  /// A cell as JSON.
  static func value(_ cell: SQLValue, _ family: ValueFamily) -> JSONValue {
    switch (cell, family) {
    case (.null, _): return .null
    case (.integer(let value), .bool): return .bool(value != 0)
    case (.integer(let value), .date): return .string(dateText(Double(value)))
    case (.real(let value), .date): return .string(dateText(value))
    case (.integer(let value), .unsigned) where value < 0: return .string("\(UInt64(bitPattern: value))")
    case (.integer(let value), _): return .integer(value)
    case (.real(let value), _): return value.isFinite ? .number(value) : .string("\(value)")
    case (.text(let text), .json):
      return (try? JSONCoding.decode(JSONValue.self, from: Data(text.utf8))) ?? .string(text)
    case (.text(let text), _): return .string(text)
    case (.blob(let data), .uuid) where data.count == 16:
      return .string(data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }.uuidString)
    case (.blob(let data), _): return .string(data.base64EncodedString())
    }
  }

  /// The seconds of a date. Apple's files have whole ones as integers.
  private static func seconds(_ cell: SQLValue) -> JSONValue {
    if case .integer(let seconds) = cell { .number(Double(seconds)) } else { value(cell, .real) }
  }

  private static func dateText(_ seconds: Double) -> String {
    guard seconds.isFinite, abs(seconds) < 1e11 else { return "\(seconds)" }
    return Date(timeIntervalSinceReferenceDate: seconds).formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}

extension InspectedStore {
  /// The names of a class's attributes, sorted.
  /// - Throws: `SwiftDataError` for a class that the store does not keep.
  public func attributeNames(of entity: String) throws -> [String] {
    columns(of: entity).filter { $0.family != .key }.map(\.propertyName).sorted()
  }

  /// The relationships of a class, by name.
  /// - Throws: `SwiftDataError`.
  public func inspection(of entity: String) throws -> [Inspection.Relationship] {
    relationships(of: entity).map(describe(entity)).sorted { $0.name < $1.name }
  }
}
