import Foundation
import SwiftData

/// Views that show Apple's tables in our own layout. The engine's statements run on them.
package struct ViewMapping: Sendable {
  /// The rows of a class hierarchy.
  struct Table: Sendable {
    /// The name of our table.
    let name: String
    let appleTable: String
    let classes: [Class]
    let hasDiscriminator: Bool
  }

  /// The rows of one class.
  struct Class: Sendable {
    let name: String
    let entity: String
    /// The numbers of the entities whose rows are objects of this class: its own, and the numbers of subentities without a class.
    let numbers: [Int64]
    let properties: [Property]

    /// - Parameter name: the name of the column.
    func property(_ name: String) -> Property? { properties.first { $0.name == name } }
  }

  /// A column of our layout.
  struct Property: Sendable {
    enum Source: Sendable {
      case attribute(AppleAttribute, columns: [String], Conversion)
      case toOne(AppleRelationship, column: String, entityColumn: String?)
      case position(column: String?)
    }
    /// The name of the column.
    let name: String
    /// The property.
    let property: String
    let source: Source
  }

  /// Our table of pairs.
  struct Pairs: Sendable {
    let name: String
    let link: AppleColumns.Link
    /// Whether the owner's key is in `source`. Otherwise it is in `target`.
    let isForward: Bool
    /// The column with the places in the target's list.
    let otherPosition: String?
    /// Whether each pair is kept in both directions, as Apple's frameworks do for a relationship that is its own inverse.
    let isReflexive: Bool
    /// The entities at the ends of the link.
    let ownerEntity: String
    let targetEntity: String
  }

  let tables: [Table]
  let pairs: [Pairs]
  let converters: [Converter]
  /// The statements that make the views.
  let statements: [String]

  /// - Parameter entityCount: the number of entities whose rows are in a table of Apple's.
  init(tables: [Table], pairs: [Pairs], entityCount: (String) -> Int) {
    (self.tables, self.pairs) = (tables, pairs)
    var converters = [Converter]()
    var statements = tables.map { Self.view(of: $0, isAlone: entityCount($0.appleTable) == 1, &converters) }
    statements += pairs.compactMap(Self.view)
    (self.converters, self.statements) = (converters, statements)
  }

  func table(named name: String) -> Table? { tables.first { $0.name == name } }

  // MARK: - Tables

  private static func view(of table: Table, isAlone: Bool, _ converters: inout [Converter]) -> String {
    var cells = ["t.Z_PK AS _pk"]
    if table.hasDiscriminator {
      let cases = table.classes.map { "WHEN t.Z_ENT IN (\(list($0.numbers))) THEN \($0.name.quotedLiteral)" }
      cells.append("CASE \(cases.joined(separator: " ")) END AS _entity")
    }
    var names = [String]()
    for property in table.classes.flatMap(\.properties) where !names.contains(property.name) {
      names.append(property.name)
    }
    for name in names { cells.append("\(cell(name, of: table, &converters)) AS \(name.quotedIdentifier)") }
    let all = table.classes.flatMap(\.numbers)
    let condition = isAlone ? "" : " WHERE t.Z_ENT IN (\(list(all)))"
    return "CREATE TEMP VIEW \(table.name.quotedIdentifier) AS SELECT \(cells.joined(separator: ", "))"
      + " FROM main.\(table.appleTable.quotedIdentifier) AS t\(condition)"
  }

  private static func list(_ numbers: [Int64]) -> String { numbers.map(String.init).joined(separator: ", ") }

  /// The expression for a property. Classes of a hierarchy may have different columns for one name, so the row's class decides.
  private static func cell(_ name: String, of table: Table, _ converters: inout [Converter]) -> String {
    var expressions = [(sql: String, numbers: [Int64])]()
    var calls = [String: String]()
    for member in table.classes {
      guard let property = member.property(name) else { continue }
      let columns = columns(of: property).map { "t.\($0.quotedIdentifier)" }
      let sql: String
      if case .attribute(_, _, let conversion) = property.source, let expression = conversion.expression,
        let column = columns.first
      {
        sql = expression(column)
      } else if case .attribute(_, _, let conversion) = property.source, let read = conversion.read {
        let call = Converters.call(columns)
        if let known = calls[call.arguments] {
          sql = known
        } else {
          converters.append(read)
          sql = "\(call.function)(\(converters.count - 1)\(call.arguments)"
          calls[call.arguments] = sql
        }
      } else {
        sql = columns.first ?? "NULL"
      }
      if let place = expressions.firstIndex(where: { $0.sql == sql }) {
        expressions[place].numbers += member.numbers
      } else {
        expressions.append((sql, member.numbers))
      }
    }
    if expressions.count == 1 { return expressions[0].sql }
    let cases = expressions.map { "WHEN t.Z_ENT IN (\(list($0.numbers))) THEN \($0.sql)" }
    return "CASE \(cases.joined(separator: " ")) END"
  }

  static func columns(of property: Property) -> [String] {
    switch property.source {
    case .attribute(_, let columns, _): columns
    case .toOne(_, let column, _): [column]
    case .position(let column): column.map { [$0] } ?? []
    }
  }

  // MARK: - Pairs

  private static func view(of pairs: Pairs) -> String? {
    let (from, owner, target, position, other, age, condition): (String, String, String, String, String, String, String)
    switch pairs.link {
    case .join(let table, let ownerColumn, let targetColumn, let place):
      (from, owner, target) = (table, ownerColumn.quotedIdentifier, targetColumn.quotedIdentifier)
      (position, other) = (place?.quotedIdentifier ?? "NULL", pairs.otherPosition?.quotedIdentifier ?? "NULL")
      (age, condition) = ("rowid", "")
    case .column(let table, let column, _, let place, _):
      (from, owner, target) = (table, column.quotedIdentifier, "Z_PK")
      (position, other) = (place?.quotedIdentifier ?? "NULL", "NULL")
      (age, condition) = ("Z_PK", " WHERE \(column.quotedIdentifier) IS NOT NULL")
    case .toOne, .none: return nil
    }
    let ends = pairs.isForward ? (owner, target) : (target, owner)
    let places = pairs.isForward ? (position, other) : (other, position)
    return "CREATE TEMP VIEW \(pairs.name.quotedIdentifier) AS SELECT \(ends.0) AS source, \(ends.1) AS target,"
      + " \(places.0) AS source_position, \(places.1) AS target_position, \(age) AS _age"
      + " FROM main.\(from.quotedIdentifier)\(condition)"
  }
}
