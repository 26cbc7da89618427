import Foundation
import OrderedCollections

/// How one entity is kept: its table, the columns that a fetch of it selects, and the SQL texts that follow from them.
///
/// A class hierarchy shares the table of its root; a fetch of a class selects the columns of its subclasses too.
// @unchecked Sendable because it is immutable.
package final class EntityTable: @unchecked Sendable {
  package let entity: __Entity
  /// The table, which is named as the root class.
  package let name: String
  /// The position of the root entity among the container's roots; keys are unique within a root.
  package let root: Int
  /// The store that keeps the entity, as an index into the container's stores.
  package let store: Int
  /// The class itself and its subclasses.
  package let family: [__Entity]
  /// Whether rows carry the name of their class.
  package let hasDiscriminator: Bool
  /// The columns that a fetch selects after the key (and the class name).
  package let columns: [String]
  /// For each class of the family, by name: where the columns of its properties are in the select list.
  package let positions: [String: [Int32]]
  /// The properties of the class itself with a column of their own, in index order.
  package let stored: [__Property]
  /// The to-many properties of the class.
  package let toMany: [__Property]
  /// The properties that validation looks at: required to-ones and to-manys with counts.
  package let validated: [__Property]

  package init(entity: __Entity, family: [__Entity], hasDiscriminator: Bool, root: Int, store: Int) {
    self.entity = entity
    self.name = TableNames.table(for: entity)
    self.root = root
    self.store = store
    self.family = family
    self.hasDiscriminator = hasDiscriminator
    var columns = [String]()
    var positions = [String: [Int32]]()
    let first: Int32 = hasDiscriminator ? 2 : 1
    for member in family {
      positions[member.name] = member.properties.map { property in
        guard property.isStored else { return -1 }
        let column = TableNames.column(for: property)
        let index = columns.firstIndex(of: column) ?? columns.count
        if index == columns.count { columns.append(column) }
        return Int32(index) + first
      }
    }
    self.columns = columns
    self.positions = positions
    self.stored = entity.properties.filter(\.isStored)
    self.toMany = entity.properties.filter(\.isToMany)
    self.validated = entity.properties.filter { property in
      if property.isToOne { return !property.isOptional }
      guard let relationship = property.relationship else { return false }
      return (relationship.minimumModelCount ?? 0) > 0 || (relationship.maximumModelCount ?? 0) > 0
    }
  }

  /// `SELECT` and `FROM` of a fetch. `columns` nil selects all.
  package func select(only left: Set<String>? = nil) -> String {
    var names = ["t0._pk"] + (hasDiscriminator ? ["t0._entity"] : [])
    for column in columns {
      names.append(left == nil || left!.contains(column) ? "t0." + column.quotedIdentifier : "NULL")
    }
    return names.joined(separator: ", ")
  }

  /// `t0._entity IN (…)` where the entity is a subclass or its table holds other classes too; nil otherwise.
  package var discriminatorCondition: String? {
    guard hasDiscriminator, entity.superentity != nil else { return nil }
    let names = family.map { "'" + $0.name.replacingOccurrences(of: "'", with: "''") + "'" }
    return "t0._entity IN (\(names.joined(separator: ", ")))"
  }

  package var insertSQL: String {
    let names = ["_pk"] + (hasDiscriminator ? ["_entity"] : []) + stored.map { TableNames.column(for: $0) }
    let list = names.map(\.quotedIdentifier).joined(separator: ", ")
    let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
    return "INSERT INTO \(name.quotedIdentifier) (\(list)) VALUES (\(marks))"
  }

  package func updateSQL(_ properties: [__Property]) -> String {
    let assignments = properties.enumerated().map { index, property in
      let column = TableNames.column(for: property).quotedIdentifier
      guard let position = positionColumn(of: property)?.quotedIdentifier else { return column + " = ?" }
      // A place in the array of the former owner means nothing to the next one.
      return "\(column) = ?, \(position) = CASE WHEN \(column) IS ?\(index + 1) THEN \(position) END"
    }
    return "UPDATE \(name.quotedIdentifier) SET \(assignments.joined(separator: ", ")) WHERE _pk = ?"
  }

  /// The column that keeps the order of the to-many at the other side of a to-one.
  func positionColumn(of property: __Property) -> String? {
    guard property.isToOne else { return nil }
    let info = RelationshipInfo.of(property, in: entity)
    guard let inverse = info.inverse, inverse.isToMany else { return nil }
    return "\(property.name)_position"
  }

  /// The uniqueness constraints of the class and its superclasses, as properties.
  package var uniqueness: [[__Property]] {
    var result = entity.properties.filter { $0.attribute?.isUnique == true || $0.relationship?.isUnique == true }
      .map { [$0] }
    var current: __Entity? = entity
    while let level = current {
      result += level.uniquenessConstraints.map { $0.compactMap { entity.property(named: $0) } }
      current = level.superentity
    }
    return result
  }

  /// The plain indices: `#Index`, `@Attribute(.indexed)` and the columns of to-one relationships.
  package var indices: [[__Property]] {
    var result = entity.properties
      .filter { $0.isToOne || $0.attribute?.options.contains(.indexed) == true }.map { [$0] }
    var current: __Entity? = entity
    while let level = current {
      result += level.indices.map { $0.compactMap { entity.property(named: $0) } }
      current = level.superentity
    }
    return result.filter { !$0.isEmpty }
  }
}

/// The tables of one store.
// @unchecked Sendable because it is immutable.
package final class StoreLayout: @unchecked Sendable {
  package let tables: [EntityTable]

  package init(tables: [EntityTable]) { self.tables = tables }

  /// The statements that create what a new store needs; each is skipped where it exists.
  package func creationStatements() -> [String] {
    var statements = [String]()
    for (root, members) in Dictionary(grouping: tables, by: \.name).sorted(by: { $0.key < $1.key }) {
      statements.append(createTable(root, members))
      var seen = Set<[String]>()
      for table in members {
        for (constraint, unique) in table.uniqueness.map({ ($0, true) }) + table.indices.map({ ($0, false) }) {
          let columns = constraint.map { TableNames.column(for: $0) }
          guard !columns.isEmpty, seen.insert(columns).inserted else { continue }
          statements.append(createIndex(root, columns, unique: unique))
        }
      }
    }
    return statements + joinTables()
  }

  private func createTable(_ name: String, _ members: [EntityTable]) -> String {
    var lines = ["_pk INTEGER PRIMARY KEY NOT NULL"]
    if members[0].hasDiscriminator { lines.append("_entity TEXT NOT NULL") }
    var columns: OrderedDictionary<String, String> = [:]
    let root = members.first { $0.entity.superentity == nil } ?? members[0]
    for table in members {
      for property in table.stored {
        let column = TableNames.column(for: property).quotedIdentifier
        // A subclass's column is null in the rows of other classes.
        let required = !property.isOptional && root.entity.properties.contains { $0 === property }
        let definition = column + definition(of: property, required: required, in: table)
        // Classes that differ about a property of one name share a column that takes the values of both.
        columns[column] = columns[column].map { $0 == definition ? $0 : column } ?? definition
        if let position = table.positionColumn(of: property)?.quotedIdentifier {
          columns[position] = "\(position) INTEGER"
        }
      }
    }
    lines += columns.values
    return "CREATE TABLE IF NOT EXISTS \(name.quotedIdentifier) (\n  \(lines.joined(separator: ",\n  "))\n)"
  }

  private func definition(of property: __Property, required: Bool, in table: EntityTable) -> String {
    let null = required ? " NOT NULL" : ""
    switch property.kind {
    case .attribute(let type, _): return " \(type.rawValue)\(null)"
    case .toOne, .toMany:
      let info = RelationshipInfo.of(property, in: table.entity)
      // `.noAction` leaves keys of deleted rows behind, which a foreign key would refuse.
      if info.inverse?.relationship?.deleteRule == .noAction { return " INTEGER\(null)" }
      let target = TableNames.table(for: info.destination).quotedIdentifier
      return " INTEGER\(null) REFERENCES \(target) (_pk)"
        + (required ? "" : " ON DELETE SET NULL") + " DEFERRABLE INITIALLY DEFERRED"
    }
  }

  private func createIndex(_ table: String, _ columns: [String], unique: Bool) -> String {
    let name = ([table] + columns).joined(separator: "_") + (unique ? "_unique" : "_index")
    let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
    return "CREATE \(unique ? "UNIQUE " : "")INDEX IF NOT EXISTS \(name.quotedIdentifier)"
      + " ON \(table.quotedIdentifier) (\(list))"
  }

  private func joinTables() -> [String] {
    var statements = [String]()
    var seen = Set<String>()
    for table in tables {
      for property in table.toMany {
        let info = RelationshipInfo.of(property, in: table.entity)
        guard case .join(let name, let source, _, _) = info.storage, seen.insert(name).inserted else { continue }
        let isSource = source == "source"
        let from = TableNames.table(for: isSource ? info.source : info.destination).quotedIdentifier
        let to = TableNames.table(for: isSource ? info.destination : info.source).quotedIdentifier
        let reference = "(_pk) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED"
        statements.append(
          """
          CREATE TABLE IF NOT EXISTS \(name.quotedIdentifier) (
            source INTEGER NOT NULL REFERENCES \(from) \(reference),
            target INTEGER NOT NULL REFERENCES \(to) \(reference),
            source_position INTEGER,
            target_position INTEGER,
            UNIQUE (source, target)
          )
          """)
        statements.append(
          "CREATE INDEX IF NOT EXISTS \("\(name)_target".quotedIdentifier) ON \(name.quotedIdentifier) (target)")
      }
    }
    return statements
  }
}
