import Foundation
import SwiftData

/// Extends the tables of a store to the models of this program.
///
/// It drops no values: programs of several versions may use the database at once, and a column that one does not know
/// belongs to another. What the models do not declare any more only stops refusing their saves: a column becomes optional,
/// values need not be unique, rows of a class without subclasses need not name it.
struct LayoutChange {
  let connection: PostgresConnection
  let tables: [EntityTable]
  let store: String
  let namespace: String
  let partitions: PartitionedTables
  let shards: ShardConnections

  /// - Returns: the resulting layout.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if extending is not enough.
  func bring(_ stored: LayoutRecord, to wanted: LayoutRecord) throws -> LayoutRecord {
    try checkHierarchies(stored, wanted)
    let newTables = wanted.tables.filter { stored.table(named: $0.name) == nil }
    let newPairs = wanted.pairTables.filter { pairs in !stored.pairTables.contains { $0.name == pairs.name } }
    for table in newTables {
      try alterShards(of: table) { table.shardCreation($0, on: $1) }
      try run(table.serverCreation(partitions[table.name], namespace: namespace))
    }
    try run(newPairs.flatMap(\.serverCreation))
    var result = stored
    for table in wanted.tables {
      guard let index = result.tables.firstIndex(where: { $0.name == table.name }) else { continue }
      result.tables[index] = try bring(result.tables[index], to: table)
    }
    try run(newTables.flatMap { $0.serverConstraints(partitions) })
    try run(newPairs.flatMap { $0.serverConstraints(partitions) })
    result.tables += newTables
    result.pairTables += newPairs
    try checkRelationships(stored, wanted)
    result.relationships += wanted.relationships.filter { !result.relationships.contains($0) }
    return result
  }

  private func bring(_ stored: LayoutRecord.Table, to wanted: LayoutRecord.Table) throws -> LayoutRecord.Table {
    var result = stored
    let name = stored.name.quotedIdentifier
    if wanted.hasDiscriminator, !stored.hasDiscriminator {
      try alterShards(of: stored) { _, _ in ["ALTER TABLE \(name) ADD COLUMN IF NOT EXISTS _entity text COLLATE \"C\""]
      }
      try connection.script("ALTER TABLE \(name) ADD COLUMN \(LayoutRecord.Table.discriminator) DEFAULT ''")
      _ = try connection.run("UPDATE \(name) SET _entity = $1::text", [.text(stored.classes.first ?? wanted.name)])
      try connection.script("ALTER TABLE \(name) ALTER COLUMN _entity DROP DEFAULT")
      result.hasDiscriminator = true
    } else if stored.hasDiscriminator, !wanted.hasDiscriminator {
      let own = wanted.classes.first ?? wanted.name
      try connection.script("ALTER TABLE \(name) ALTER COLUMN _entity SET DEFAULT \(own.quotedLiteral)")
    }
    for column in wanted.columns { try bring(column, in: &result) }
    for index in result.columns.indices where wanted.column(named: result.columns[index].name) == nil {
      try relax(&result.columns[index], of: stored)
    }
    try dropUniqueness(of: &result, wanted)
    for index in wanted.indices where !result.indices.contains(index) {
      try make(index, in: wanted)
      result.indices.append(index)
    }
    result.classes += wanted.classes.filter { !result.classes.contains($0) }
    return result
  }

  /// Lets programs save that do not know a column: without a value for it, and with its target deleted.
  private func relax(_ column: inout LayoutRecord.Column, of table: LayoutRecord.Table) throws {
    if column.isRequired {
      try alter(table, "ALTER COLUMN \(column.name.quotedIdentifier) DROP NOT NULL")
      column.isRequired = false
    }
    guard column.reference?.setsNull == false else { return }
    try run(table.references(column, partitions)?.removal ?? [])
    column.reference?.setsNull = true
    try run(table.references(column, partitions)?.creation ?? [])
  }

  /// Drops the unique constraints that the models declared over properties that they still have.
  private func dropUniqueness(of table: inout LayoutRecord.Table, _ wanted: LayoutRecord.Table) throws {
    let old = table.uniquenessBeyond(wanted)
    for index in old {
      for part in partitions.parts(of: table.name) {
        let constraint = ServerNames.constraint(part, index.columns, "key").quotedIdentifier
        try run(["ALTER TABLE \(part.quotedIdentifier) DROP CONSTRAINT IF EXISTS \(constraint)"])
      }
      try alterShards(of: table) { partitioned, _ in
        partitioned.partitions.map {
          "DROP INDEX IF EXISTS \(ServerNames.constraint($0, index.columns, "key").quotedIdentifier)"
        }
      }
    }
    table.indices.removeAll { old.contains($0) }
  }

  /// Gives the indices on a renamed column the names that they would have on a new one.
  private func renameIndices(on original: String, to name: String, in table: inout LayoutRecord.Table) throws {
    for (place, index) in table.indices.enumerated() where index.expressions == nil && index.columns.contains(original)
    {
      var renamed = index
      renamed.columns = index.columns.map { $0 == original ? name : $0 }
      guard !table.indices.contains(renamed) else { continue }
      func renaming(_ table: String) -> String {
        let kind = index.isUnique ? "key" : "index"
        let from = ServerNames.constraint(table, index.columns, kind)
        let to = ServerNames.constraint(table, renamed.columns, kind)
        return "ALTER INDEX IF EXISTS \(from.quotedIdentifier) RENAME TO \(to.quotedIdentifier)"
      }
      try run((index.isUnique ? partitions.parts(of: table.name) : [table.name]).map(renaming))
      try alterShards(of: table) { partitioned, _ in
        (index.isUnique ? partitioned.partitions : [partitioned.table]).map(renaming)
      }
      table.indices[place] = renamed
    }
  }

  private func make(_ index: LayoutRecord.Index, in table: LayoutRecord.Table) throws {
    do {
      try alterShards(of: table) { table.shardCreation(index, $0, on: $1) }
      try run(table.creationOnServer(index, in: partitions))
    } catch let error as PostgresError where error.isUniqueViolation {
      throw SwiftDataError(
        .uniquenessViolation, entity: table.name, property: index.columns.joined(separator: ", "),
        message: "stored models have the same value, so that it cannot be made unique; change or delete all but one of"
          + " them first", underlying: error)
    }
  }

  // MARK: - Columns

  private func bring(_ column: LayoutRecord.Column, in table: inout LayoutRecord.Table) throws {
    let property = property(column.name, in: table.name)
    if let index = table.columns.firstIndex(where: { $0.name == column.name }) {
      return try change(index, to: column, property, in: &table)
    }
    if let original = property?.schemaProperty.originalName, !original.isEmpty, original != column.name,
      let index = table.columns.firstIndex(where: { $0.name == original })
    {
      try alterShards(of: table) { partitioned, _ in [partitioned.renaming(original, to: column.name)] }
      try alter(table, "RENAME COLUMN \(original.quotedIdentifier) TO \(column.name.quotedIdentifier)")
      // The original texts of the column are removed with it.
      _ = try connection.run(
        "UPDATE \(table.name.quotedIdentifier) SET _given = (_given - $1::text)"
          + " || jsonb_build_object($2::text, _given -> $1::text) WHERE _given ? $1::text",
        [.text(original), .text(column.name)])
      let classes = Set(table.classes).union(tables.filter { $0.name == table.name }.map(\.entity.name))
      try RenamedHistory(connection: connection, classes: classes.sorted()).rename(original, to: column.name)
      table.columns[index].name = column.name
      try renameIndices(on: original, to: column.name, in: &table)
      return try change(index, to: column, property, in: &table)
    }
    let name = table.name.quotedIdentifier
    try alterShards(of: table) { _, _ in ["ALTER TABLE \(name) ADD COLUMN IF NOT EXISTS \(column.shardDefinition)"] }
    try alter(table, "ADD COLUMN \(column.name.quotedIdentifier) \(column.serverType.declaration)")
    if column.isRequired { try fill(column, property, in: table) }
    try run(table.references(column, partitions)?.creation ?? [])
    table.columns.append(column)
  }

  private func change(
    _ index: Int, to column: LayoutRecord.Column, _ property: __Property?, in table: inout LayoutRecord.Table
  ) throws {
    let known = table.columns[index]
    guard known.family == column.family else {
      throw SwiftDataError(
        .loadIssueModelContainer, entity: table.name, property: column.name,
        message: "the store \"\(store)\" has values of the kind \(known.family) there, and the models want"
          + " \(column.family); add a property with another name, fill it, and remove this one later")
    }
    if column.isRequired, !known.isRequired { try fill(column, property, in: table) }
    if !column.isRequired, known.isRequired {
      try alter(table, "ALTER COLUMN \(column.name.quotedIdentifier) DROP NOT NULL")
    }
    table.columns[index] = column
  }

  /// Sets the default value in rows without one, so that the column can be required.
  private func fill(_ column: LayoutRecord.Column, _ property: __Property?, in table: LayoutRecord.Table) throws {
    let name = column.name.quotedIdentifier
    let empty = try connection.run("SELECT 1 FROM \(table.name.quotedIdentifier) WHERE \(name) IS NULL LIMIT 1")
    if empty.count > 0 {
      guard let property, let value = property.defaultValue else {
        throw SwiftDataError(
          .loadIssueModelContainer, entity: table.name, property: column.name,
          message: "stored models have no value for it; give the property a default value or make it optional")
      }
      let cell = try ServerCell(of: value, property)
      _ = try connection.run(
        "UPDATE \(table.name.quotedIdentifier) SET \(name) = ($1::\(column.serverType.name)[])[1] WHERE \(name) IS NULL",
        [.array([cell.value], column.serverType)])
      // A table with pending checks cannot be altered, and this transaction may have inserted rows.
      try connection.settleConstraints()
    }
    try alter(table, "ALTER COLUMN \(name) SET NOT NULL")
  }

  private func alter(_ table: LayoutRecord.Table, _ change: String) throws {
    try connection.script("ALTER TABLE \(table.name.quotedIdentifier) \(change)")
  }

  private func run(_ statements: [String]) throws {
    for statement in statements { try connection.script(statement) }
  }

  /// Changes a table on the shards, before the store's server changes its own definition.
  private func alterShards(
    of table: LayoutRecord.Table, _ statements: (PartitionedTable, _ server: String) -> [String]
  ) throws {
    guard let partitioned = partitions[table.name], partitioned.isSharded else { return }
    try shards.run(for: partitioned) { statements(partitioned, $0) }
  }

  private func property(_ column: String, in table: String) -> __Property? {
    tables.filter { $0.name == table }.lazy.flatMap(\.stored).first { TableNames.column(for: $0) == column }
  }

  // MARK: - Classes

  /// Refuses models that look for a class in another table than the one with its rows.
  private func checkHierarchies(_ stored: LayoutRecord, _ wanted: LayoutRecord) throws {
    for table in wanted.tables {
      for name in table.classes {
        for other in stored.tables where other.name != table.name && other.classes.contains(name) {
          let condition = other.hasDiscriminator ? " WHERE _entity = \(name.quotedLiteral)" : ""
          let rows = try connection.run("SELECT 1 FROM \(other.name.quotedIdentifier)\(condition) LIMIT 1")
          guard rows.count > 0 else { continue }
          throw SwiftDataError(
            .loadIssueModelContainer, entity: name,
            message: "the store \"\(store)\" keeps its rows in the table \(other.name), and its superclass is another"
              + " in the models, which look for them in \(table.name); keep the superclass, or copy the rows to a model"
              + " of another name in a custom stage")
        }
      }
    }
  }

  // MARK: - Relationships

  private func checkRelationships(_ stored: LayoutRecord, _ wanted: LayoutRecord) throws {
    for relationship in wanted.relationships {
      let known = stored.relationships.first { $0.table == relationship.table && $0.name == relationship.name }
      guard let known, known.storage != relationship.storage || known.destination != relationship.destination else {
        continue
      }
      throw SwiftDataError(
        .loadIssueModelContainer, entity: relationship.table, property: relationship.name,
        message: "the store \"\(store)\" keeps the relationship in another way; add a relationship with another name,"
          + " fill it, and remove this one later")
    }
  }
}

extension LayoutRecord {
  /// Whether the tables have everything that a program with the other layout needs.
  func holds(_ other: LayoutRecord) -> Bool {
    Set(pairTables).isSuperset(of: other.pairTables) && Set(relationships).isSuperset(of: other.relationships)
      && other.tables.allSatisfy { wanted in
        guard let table = table(named: wanted.name) else { return false }
        return (table.hasDiscriminator || !wanted.hasDiscriminator) && Set(table.indices).isSuperset(of: wanted.indices)
          && Set(table.classes).isSuperset(of: wanted.classes)
          && wanted.columns.allSatisfy { table.column(named: $0.name) == $0 }
          // A column that this program does not write must not be required.
          && table.columns.allSatisfy { !$0.isRequired || wanted.column(named: $0.name) != nil }
          && table.uniquenessBeyond(wanted).isEmpty
      }
  }
}

extension LayoutRecord.Table {
  /// The unique constraints that the models do not declare, over properties that they have.
  fileprivate func uniquenessBeyond(_ wanted: LayoutRecord.Table) -> [LayoutRecord.Index] {
    let known = Set(wanted.columns.map(\.name))
    return indices.filter { $0.isUnique && !wanted.indices.contains($0) && known.isSuperset(of: $0.columns) }
  }
}
