import Foundation
import SwiftData

/// Extends the tables of a store to the models of this program, as a ``LayoutPlan`` says.
///
/// It drops no values that no property takes the place of: programs of several versions may use the database at once, and a
/// column that one does not know belongs to another. What the models do not declare any more only stops refusing their
/// saves: a column becomes optional, values need not be unique, rows of a class without subclasses need not name it.
struct LayoutChange {
  let connection: PostgresConnection
  let layout: StoreLayout
  let store: String
  let namespace: String
  let partitions: PartitionedTables
  let shards: any PartitionServers
  /// Whether the store has the names of the first format.
  let isFormer: Bool
  /// Whether programs with older models go on.
  let isRolling: Bool
  /// The columns that are there before their table has them in its record.
  var early: Set<EarlyColumns.Place> = []
  /// The version that a stage of a plan leaves.
  var leaving: LayoutRecord?
  let log: MigrationLog

  /// Says in the log which values go.
  func warn(_ reason: String, _ count: Int64, _ what: String) {
    log.warn("\(store): \(reason); the migration deletes its \(count) \(what)\(count == 1 ? "" : "s")")
  }

  /// Says in the log that the server cannot make an index.
  func noteUnmade(_ index: LayoutRecord.Index, _ table: LayoutRecord.Table) {
    guard !index.isUnique, index.serverTerms(of: table.name, in: layout) == nil else { return }
    let terms = index.names.map { "\\.\($0)" }.joined(separator: ", ")
    log.warn(
      "\(store): PostgreSQL gets no index for #Index<\(table.classes[0])>([\(terms)]), because it compares this member with Swift's help; fetches find the same objects without it"
    )
  }

  /// - Parameter isPlanned: whether a migration plan leads to the models.
  /// - Returns: the resulting layout, and the plan that led to it.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if extending is not enough.
  func bring(_ stored: LayoutRecord, isPlanned: Bool) throws -> (record: LayoutRecord, plan: LayoutPlan) {
    let plan = LayoutPlan(from: stored, to: layout, isPlanned: isPlanned)
    let wanted = plan.new
    try check(plan)
    var result = stored
    let pairs = PairChange(self, plan)
    try pairs.copy()
    for table in plan.tables { try rename(table, in: &result) }
    let newTables = wanted.tables.filter { result.table(named: $0.name) == nil }
    try checkNames(newTables.map(\.name))
    for table in newTables {
      if let partitioned = shardedTable(table.name) { try shards.create(table, partitioned, layout) }
      try run(table.serverCreation(partitions[table.name], namespace: namespace))
      try setDefaults(of: table, changed: [])
    }
    for table in plan.tables {
      guard let index = result.tables.firstIndex(where: { $0.name == table.new.name }) else { continue }
      result.tables[index] = try TableChange(self, plan, table).bring(result.tables[index])
    }
    try relaxRemoved(plan, in: &result)
    try run(newTables.flatMap { $0.serverConstraints(partitions, layout) })
    for table in newTables { for index in table.indices { noteUnmade(index, table) } }
    try pairs.finish(&result)
    result.tables += newTables
    noteRelationships(plan, in: &result)
    return (result, plan)
  }

  /// Records the relationships of the models, and keeps the relationships of other programs.
  private func noteRelationships(_ plan: LayoutPlan, in result: inout LayoutRecord) {
    // The record has the new names of the classes by now.
    let continued = plan.new.relationships.flatMap { plan.classes.formers(of: $0) }.map { former in
      (former.relationship.name, former.relationship.entity.map { plan.classes.newName(of: $0) ?? $0 })
    }
    let own = plan.new.relationships.map { relationship in
      var known = relationship
      let formers = plan.classes.formers(of: relationship).flatMap { $0.relationship.formerNames ?? [] }
      known.formerNames = (known.formerNames ?? []) + formers.filter { known.formerNames?.contains($0) != true }
      return known
    }
    let others = result.relationships.filter { old in
      !continued.contains(where: { $0.0 == old.name && $0.1 == old.entity })
        && !own.contains { $0.name == old.name && $0.entity == old.entity }
    }
    result.relationships = own + others
  }

  // MARK: - What the models lack

  /// Lets programs save that do not know a column: without a value for it, and with its target deleted.
  func relax(_ stored: LayoutRecord.Column, of table: LayoutRecord.Table) throws -> LayoutRecord.Column {
    var column = stored
    if column.isRequired {
      try connection.script(
        "ALTER TABLE \(table.name.quotedIdentifier) ALTER COLUMN \(column.name.quotedIdentifier) DROP NOT NULL")
      column.isRequired = false
    }
    // The column of a subclass's property is never required in the table, so the record has to say that rows may lack the value.
    if column.isOptional == false { column.isOptional = true }
    guard column.reference?.setsNull == false else { return column }
    try run(table.references(column, partitions)?.removal ?? [])
    column.reference?.setsNull = true
    try run(table.references(column, partitions)?.creation ?? [])
    return column
  }

  /// Lets objects be deleted that rows of a removed model need. The rows stay, as the values of removed properties do.
  private func relaxRemoved(_ plan: LayoutPlan, in result: inout LayoutRecord) throws {
    let kept = Set(plan.tables.map(\.new.name))
    for index in result.tables.indices {
      let table = result.tables[index]
      // Tables that the version does not have either belong to other programs.
      guard leaving?.table(named: table.name) != nil, !kept.contains(table.name) else { continue }
      try connection.settleConstraints()
      for place in table.columns.indices where table.columns[place].reference?.setsNull == false {
        result.tables[index].columns[place] = try relax(table.columns[place], of: table)
      }
    }
  }

  // MARK: - Classes

  /// Gives a table the name that its root class has now, and its rows the names of their classes.
  private func rename(_ table: LayoutPlan.TablePlan, in result: inout LayoutRecord) throws {
    guard let old = table.old, let root = old.classes.first, table.classes[table.new.classes[0]] == root else { return }
    let (from, to) = (old.name, table.new.name)
    if from != to {
      try alterShards(of: to) { partitioned in
        var former = partitioned
        former.table = from
        return former.renaming(to: to)
      }
      // The triggers on a divided target name the table.
      let keys = old.columns.filter { $0.reference.map { partitions[$0.table] != nil } == true }
      for key in keys { try run(old.references(key, partitions)?.removal ?? []) }
      try connection.script("ALTER TABLE \(from.quotedIdentifier) RENAME TO \(to.quotedIdentifier)")
      result.renameTable(from, to: to)
      if let renamed = result.table(named: to) {
        for key in keys.compactMap({ renamed.column(named: $0.name) }) {
          try run(renamed.references(key, partitions)?.creation ?? [])
        }
      }
    }
    let keys = [ServerNames.keys(of: from), FormerServerNames.keys(of: from)]
    for name in keys where name != ServerNames.keys(of: to) {
      try connection.script(
        "ALTER SEQUENCE IF EXISTS \(name.quotedIdentifier) RENAME TO \(ServerNames.keys(of: to).quotedIdentifier)")
    }
    let renamed = table.classes.filter { $0.key != $0.value }.sorted { $0.key < $1.key }
    guard !renamed.isEmpty, let index = result.tables.firstIndex(where: { $0.name == to }) else { return }
    for (name, former) in renamed {
      if old.hasDiscriminator {
        _ = try connection.run(
          "UPDATE \(to.quotedIdentifier) SET _entity = $1::text WHERE _entity = $2::text", [.text(name), .text(former)])
      }
      _ = try connection.run(
        "UPDATE \(ServerNames.changes) SET entity = $1::text WHERE entity = $2::text", [.text(name), .text(former)])
      result.renameClass(former, to: name, in: index)
    }
    try connection.settleConstraints()
  }

  /// Refuses models that look for a class in another table than the one with its rows.
  private func checkHierarchies(_ plan: LayoutPlan) throws {
    for table in plan.tables {
      for (name, former) in table.classes.sorted(by: { $0.key < $1.key }) {
        guard let other = plan.old.tables.first(where: { $0.classes.contains(former) }) else { continue }
        let root = other.classes.first
        guard root != table.classes[table.new.classes[0]] else { continue }
        let condition = other.hasDiscriminator ? " WHERE _entity = \(former.quotedLiteral)" : ""
        let rows = try connection.run("SELECT 1 FROM \(other.name.quotedIdentifier)\(condition) LIMIT 1")
        guard rows.count > 0 else { continue }
        throw SwiftDataError(
          .loadIssueModelContainer, entity: name,
          message: "the store \"\(store)\" keeps its rows in the table \(other.name), and its superclass is another"
            + " in the models, which look for them in \(table.new.name); keep the superclass, or copy the rows to a model"
            + " of another name in a custom stage")
      }
    }
  }

  // MARK: - Checks

  /// Refuses to take tables for the store's that it did not make.
  private func checkNames(_ names: [String]) throws {
    let found = try connection.run(
      "SELECT c.relname::text FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace"
        + " WHERE n.nspname = $1::text AND c.relname::text = ANY($2::text[])",
      [.text(namespace), .array(names.map { .text($0) }, .text)])
    guard found.count > 0, let name = found.text(0, 0) else { return }
    throw SwiftDataError(
      .loadIssueModelContainer, entity: name,
      message: "the schema \(namespace) of the database has a table \(name) that the store \"\(store)\" did not make;"
        + " give the configuration another namespace. Nothing was changed")
  }

  /// Refuses models that lack a subclass with rows. The tables and their rows still have the former names.
  private func checkClasses(_ plan: LayoutPlan) throws {
    for table in plan.tables {
      // The rows of a hierarchy stay with its root.
      guard let old = table.old, table.classes[table.new.classes[0]] == old.classes.first else { continue }
      let missing = old.classes.filter { plan.classes.newName(of: $0) == nil }
      try Self.checkClasses(missing, of: old, store: store, on: connection)
    }
  }

  /// Refuses models that lack a subclass with rows, where the tables have the names of the models.
  static func checkClasses(
    of stored: LayoutRecord, _ wanted: LayoutRecord, store: String, on connection: PostgresConnection
  ) throws {
    for table in wanted.tables {
      guard let known = stored.table(named: table.name) else { continue }
      let missing = known.classes.filter { !table.classes.contains($0) }
      try checkClasses(missing, of: known, store: store, on: connection)
    }
  }

  /// - Parameter missing: the classes that the models lack. A fetch would return their rows as objects of their superclass.
  private static func checkClasses(
    _ missing: [String], of table: LayoutRecord.Table, store: String, on connection: PostgresConnection
  ) throws {
    guard table.hasDiscriminator else { return }
    for name in missing {
      let rows = try connection.run(
        "SELECT 1 FROM \(table.name.quotedIdentifier) WHERE _entity = $1::text LIMIT 1", [.text(name)])
      guard rows.count > 0 else { continue }
      throw SwiftDataError(
        .loadIssueModelContainer, entity: name,
        message: "the store \"\(store)\" has rows of this class, and the models have its superclass without it; name"
          + " it in the schema, or delete its objects with the older models first")
    }
  }

  /// Refuses what the store cannot do, or what would lose rows.
  /// - Throws: `SwiftDataError.loadIssueModelContainer`.
  func check(_ plan: LayoutPlan) throws {
    try checkHierarchies(plan)
    try checkClasses(plan)
    try checkPlan(plan)
    for table in plan.tables {
      let change = TableChange(self, plan, table)
      try change.checkTypes()
      try change.checkShards()
    }
  }

  private func checkPlan(_ plan: LayoutPlan) throws {
    for table in plan.tables {
      guard let old = table.old, old.name != table.new.name, partitions[old.name] != nil,
        table.classes[table.new.classes[0]] == old.classes.first
      else { continue }
      throw SwiftDataError(
        .loadIssueModelContainer, entity: table.new.classes[0],
        message: "the store \"\(store)\" divides its rows into partitions of the table \(old.name), and the table of"
          + " a divided class cannot get another name; keep the name of the class \(old.classes[0])")
    }
    if let refusal = plan.classes.refusals.first {
      throw SwiftDataError(
        .loadIssueModelContainer, entity: refusal.entity, property: refusal.property, message: refusal.detail)
    }
    for narrowing in plan.narrowings {
      let result = try connection.run(narrowing.statement(in: plan.old))
      guard result.integer(0, 0) > 0 else { continue }
      throw narrowing.refusal(result.integer(0, 0), first: result.integer(0, 1), result.text(0, 2) ?? "?")
    }
    for relationship in plan.new.relationships {
      let target = plan.old.tables.first { table in
        table.classes.first.flatMap(plan.classes.newName) == plan.new.table(named: relationship.destination)?.classes[0]
      }
      for former in plan.classes.formers(of: relationship) {
        let known = former.relationship
        guard known.storage.kind != relationship.storage.kind || known.destination != target?.name else { continue }
        throw SwiftDataError(
          .loadIssueModelContainer, entity: relationship.entity, property: relationship.name,
          message: "the store \"\(store)\" keeps the relationship in another way; add a relationship with another name,"
            + " fill it, and remove this one later")
      }
    }
  }

  // MARK: - Statements

  func run(_ statements: [String]) throws {
    for statement in statements { try connection.script(statement) }
  }

  /// Changes a table on the shards, before the store's server changes its own definition.
  func alterShards(of table: String, _ statement: (PartitionedTable) -> String) throws {
    if let partitioned = shardedTable(table) { try shards.run([statement(partitioned)], for: partitioned) }
  }

  /// A table if other servers have its partitions.
  func shardedTable(_ name: String) -> PartitionedTable? { partitions[name].flatMap { $0.isSharded ? $0 : nil } }
}

extension LayoutRecord {
  fileprivate mutating func renameTable(_ former: String, to name: String) {
    for index in tables.indices {
      if tables[index].name == former { tables[index].name = name }
      for place in tables[index].columns.indices where tables[index].columns[place].reference?.table == former {
        tables[index].columns[place].reference?.table = name
      }
    }
    for index in pairTables.indices {
      if pairTables[index].source == former { pairTables[index].source = name }
      if pairTables[index].target == former { pairTables[index].target = name }
    }
    for index in relationships.indices {
      if relationships[index].table == former { relationships[index].table = name }
      if relationships[index].destination == former { relationships[index].destination = name }
    }
  }

  fileprivate mutating func renameClass(_ former: String, to name: String, in index: Int) {
    tables[index].classes = tables[index].classes.map { $0 == former ? name : $0 }
    if let known = tables[index].superclasses {
      let pairs = known.map { ($0.key == former ? name : $0.key, $0.value == former ? name : $0.value) }
      tables[index].superclasses = Dictionary(pairs) { first, _ in first }
    }
    for place in tables[index].columns.indices where tables[index].columns[place].entity == former {
      tables[index].columns[place].entity = name
    }
    for place in relationships.indices {
      if relationships[place].entity == former { relationships[place].entity = name }
      if relationships[place].target == former { relationships[place].target = name }
    }
  }

  /// Whether the tables have everything that a program with the other layout needs, and no property waits for its new name.
  func holds(_ other: LayoutRecord) -> Bool {
    Set(pairTables).isSuperset(of: other.pairTables)
      && other.relationships.allSatisfy { wanted in
        relationships.contains { $0 == wanted && Self.isRenamed($0.formerNames, wanted.formerNames) }
      }
      && other.tables.allSatisfy { wanted in
        guard let table = table(named: wanted.name) else { return false }
        return (table.hasDiscriminator || !wanted.hasDiscriminator) && Set(table.indices).isSuperset(of: wanted.indices)
          && Set(table.classes).isSuperset(of: wanted.classes)
          && wanted.columns.allSatisfy { column in
            guard let known = table.column(named: column.name) else { return false }
            return known == column && known.entity == column.entity
              && Self.isRenamed(known.formerNames, column.formerNames)
          }
          // A column that this program does not write must not be required.
          && table.columns.allSatisfy { wanted.column(named: $0.name) != nil || !$0.requiresValues(of: wanted.classes) }
          && table.uniquenessBeyond(wanted).isEmpty
      }
  }

  /// Whether the values are known to fit the types of a program whose columns are there. An opening checks them else.
  func fits(_ other: LayoutRecord) -> Bool {
    other.tables.allSatisfy { wanted in
      wanted.columns.allSatisfy { table(named: wanted.name)?.column(named: $0.name).map($0.hasType) == true }
    }
  }

  private static func isRenamed(_ stored: [String]?, _ wanted: [String]?) -> Bool {
    Set(stored ?? []).isSuperset(of: wanted ?? [])
  }
}

extension LayoutRecord.Column {
  /// Whether each row of one of the classes needs a value.
  fileprivate func requiresValues(of classes: [String]) -> Bool {
    isRequired || isOptional == false && entity.map(classes.contains) == true
  }
}

extension LayoutRecord.Table {
  /// The unique constraints that the models do not declare, over properties that they have.
  func uniquenessBeyond(_ wanted: LayoutRecord.Table) -> [LayoutRecord.Index] {
    let known = Set(wanted.columns.map(\.name))
    return indices.filter { $0.isUnique && !wanted.indices.contains($0) && known.isSuperset(of: $0.columns) }
  }
}

extension LayoutRecord.Storage {
  /// How a relationship is kept, without the names.
  fileprivate var kind: Int {
    switch self {
    case .foreignKey: 0
    case .inverse: 1
    case .pairs: 2
    }
  }
}
