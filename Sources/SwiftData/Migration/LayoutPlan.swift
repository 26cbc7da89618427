/// The mapping of rows from one layout to another, computed before anything changes.
struct LayoutPlan {
  let old: LayoutRecord
  let new: LayoutRecord
  /// Tables of models that the program does not list. They stay unchanged, because a program that opens a store with
  /// some of its models, such as a widget, must not delete the others' rows. Only a stage of a plan removes models.
  let retained: LayoutRecord
  /// Whether a plan leads from one layout to the other.
  let isPlanned: Bool
  private(set) var tables: [TablePlan] = []
  private(set) var pairTables: [PairPlan] = []
  /// The differences. If one is a refusal, the plan cannot be executed.
  private(set) var changes: [ModelContainer.MigrationChange] = []

  /// The source of a new column's cells.
  enum Source: Equatable {
    case column(String)
    /// Pairs with another storage: a query with `owner` and `target` columns, one row per key.
    case pairs(PairQuery)
    case nothing
  }

  /// The former storage of a relationship, seen from the table whose rows become the owners.
  struct PairQuery: Equatable {
    /// The old table that has the pairs.
    var table: String
    var owner: String
    var target: String
    var ownerPosition: String?
    var targetPosition: String?

    var swapped: PairQuery {
      PairQuery(
        table: table, owner: target, target: owner, ownerPosition: targetPosition, targetPosition: ownerPosition)
    }
  }

  struct ColumnPlan {
    let column: LayoutRecord.Column
    var source: Source
    /// The conversion of the old values.
    var conversion = Conversion.same
  }

  struct TablePlan {
    let new: LayoutRecord.Table
    /// The table with the old rows, or nil for a new table.
    let old: LayoutRecord.Table?
    var columns: [ColumnPlan]
    /// The old names of the classes.
    let classes: [String: String]
    /// The old classes whose rows the table does not take.
    let leftClasses: [String]
    /// Removed classes whose rows no other table takes either.
    let removedClasses: [String]
    /// The columns that the table gains while its rows stay, or nil if it gains none or the rows must be rewritten.
    var addedColumns: [AddedColumn]?

    /// Whether rows must be rewritten.
    var isRebuilt: Bool {
      guard let old, addedColumns == nil else { return false }
      return !new.hasSameRows(as: old) || columns.contains { $0.source != .column($0.column.name) }
    }
    /// Whether Swift must decode the rows, because not every value may fit the new type.
    var needsDecoding: Bool { columns.contains { $0.conversion == .decoded } }
  }

  struct PairPlan {
    let new: LayoutRecord.PairTable
    let source: PairQuery?
    /// Whether the table stays unchanged.
    let isKept: Bool
  }

  /// - Parameters:
  ///   - live: the layout of the models that the program listed last.
  ///   - retained: the layout of the models that it did not list.
  init(from live: LayoutRecord, retained: LayoutRecord = .empty, to layout: StoreLayout, isPlanned: Bool) {
    let new = layout.record
    func isNamed(_ table: LayoutRecord.Table) -> Bool { table.classes.contains { new.hasClass($0) } }
    let left = retained.part { !isNamed($0) }
    self.retained = isPlanned ? left : left.union(live.part { !isNamed($0) })
    self.old = isPlanned ? live.union(retained.part(isNamed)) : live.union(retained).part(isNamed)
    self.new = new
    self.isPlanned = isPlanned
    let names = ClassNames(old: old, new: new, areVersions: isPlanned)
    for table in new.tables { addTable(table, layout, names) }
    let kept = Set(tables.compactMap { $0.old?.name })
    for table in old.tables where !kept.contains(table.name) {
      for name in table.classes {
        changes.append(
          ModelContainer.MigrationChange(.removed, name, nil, "the model is removed with its rows"))
      }
    }
    for pairs in new.pairTables { addPairs(pairs, layout, names) }
    noteRemovedRelationships(layout, names)
  }

  /// The old tables that nothing replaces.
  var droppedTables: [String] {
    let left = Set(tables.filter { !$0.isRebuilt }.compactMap { $0.old?.name == $0.new.name ? $0.new.name : nil })
    return old.tables.map(\.name).filter { !left.contains($0) }
  }

  /// Whether rows move or go, so that references to them may fail.
  var movesRows: Bool {
    tables.contains(where: \.isRebuilt) || pairTables.contains { !$0.isKept } || !droppedTables.isEmpty
      || !droppedPairTables.isEmpty
  }

  var droppedPairTables: [String] {
    let left = Set(pairTables.filter(\.isKept).map(\.new.name))
    let retained = Set(retained.pairTables.map(\.name))
    return old.pairTables.map(\.name).filter { !left.contains($0) && !retained.contains($0) }
  }

  // MARK: - Tables

  private mutating func addTable(_ table: LayoutRecord.Table, _ layout: StoreLayout, _ names: ClassNames) {
    let classes = names.oldNames(of: table)
    let origin = names.oldTable(for: table.name)
    for name in table.classes {
      guard let former = classes[name] else {
        changes.append(ModelContainer.MigrationChange(.added, name, nil, "the model is new"))
        continue
      }
      if former != name {
        changes.append(
          ModelContainer.MigrationChange(.renamed, name, nil, "the model was named \(former)", former: former))
      }
      guard let origin, !origin.classes.contains(former) else { continue }
      changes.append(
        ModelContainer.MigrationChange(
          .refused, name, nil,
          "the store keeps it in another hierarchy than \(origin.classes[0]), and hierarchies cannot be joined; copy the"
            + " rows to a model of another name in a custom stage"))
    }
    let left = origin?.classes.filter { !classes.values.contains($0) } ?? []
    let removed = left.filter { !names.isContinued($0) }
    for name in removed where origin.map({ names.newTables(of: $0).first?.name == table.name }) == true {
      changes.append(ModelContainer.MigrationChange(.removed, name, nil, "the model is removed with its rows"))
    }
    var plan = TablePlan(
      new: table, old: origin, columns: [], classes: classes, leftClasses: left, removedClasses: removed)
    guard let origin else {
      plan.columns = table.columns.map { ColumnPlan(column: $0, source: .nothing) }
      tables.append(plan)
      return
    }
    var columns = ColumnMatching(old: origin, new: table, plan: self, layout: layout, names: names)
    plan.columns = columns.match()
    plan.addedColumns = AddedColumn.columns(of: plan, in: layout)
    changes += columns.changes
    changes += Self.indexChanges(origin, table)
    tables.append(plan)
  }

  private static func indexChanges(_ old: LayoutRecord.Table, _ new: LayoutRecord.Table) -> [ModelContainer
    .MigrationChange]
  {
    func list(_ index: LayoutRecord.Index) -> String { index.columns.joined(separator: ", ") }
    let entity = new.classes[0]
    return new.indices.filter { !old.indices.contains($0) }.map {
      ModelContainer.MigrationChange(
        .indexed, entity, list($0), $0.isUnique ? "must be unique from now on" : "gets an index")
    }
      + old.indices.filter { index in
        // A member of a composite value names its column before the dot.
        !new.indices.contains(index)
          && index.columns.allSatisfy { new.column(named: String($0.prefix { $0 != "." })) != nil }
      }.map {
        ModelContainer.MigrationChange(
          .indexed, entity, list($0), $0.isUnique ? "is no longer unique" : "loses its index")
      }
  }

  // MARK: - Pairs

  private mutating func addPairs(_ table: LayoutRecord.PairTable, _ layout: StoreLayout, _ names: ClassNames) {
    var query: PairQuery?
    for end in new.relationships {
      guard case .pairs(table.name, let isForward) = end.storage, query == nil,
        let former = former(end, layout, names)
      else { continue }
      query = pairs(of: former, names).map { isForward ? $0 : $0.swapped }
    }
    let isKept =
      query?.table == table.name && query?.owner == "source" && old.pairTables.contains(table)
      && tables.allSatisfy { plan in
        ![table.source, table.target].contains(plan.new.name) || plan.old?.name == plan.new.name
      }
    pairTables.append(PairPlan(new: table, source: query, isKept: isKept))
  }

  /// The old relationship that a new one continues, of the same name or of its `originalName`.
  func former(
    _ relationship: LayoutRecord.Relationship, _ layout: StoreLayout, _ names: ClassNames
  ) -> LayoutRecord.Relationship? {
    guard let table = names.oldTable(for: relationship.table) else { return nil }
    let candidates = old.relationships.filter { $0.table == table.name }
    let original = layout.tables.lazy.filter { $0.name == relationship.table }
      .compactMap { $0.entity.property(named: relationship.name)?.relationship?.formerName }.first
    // Subclasses of one class share its table, and each may have a relationship of this name.
    let exact =
      candidates.first { $0.name == relationship.name && $0.storage == relationship.storage }
      ?? candidates.first { $0.name == relationship.name }
    guard let original, exact == nil || exact?.name == original else { return exact }
    return candidates.first { $0.name == original }
  }

  /// The pairs of an old relationship, with its own side as the owner.
  func pairs(of relationship: LayoutRecord.Relationship, _ names: ClassNames) -> PairQuery? {
    switch relationship.storage {
    case .foreignKey(let column):
      let position = LayoutRecord.position(of: column)
      let hasPosition = old.table(named: relationship.table)?.column(named: position) != nil
      return PairQuery(
        table: relationship.table, owner: "_pk", target: column, targetPosition: hasPosition ? position : nil)
    case .inverse(let column):
      return PairQuery(
        table: relationship.destination, owner: column, target: "_pk",
        ownerPosition: LayoutRecord.position(of: column))
    case .pairs(let table, let isForward):
      let query = PairQuery(
        table: table, owner: "source", target: "target", ownerPosition: "source_position",
        targetPosition: "target_position")
      return isForward ? query : query.swapped
    }
  }

  private mutating func noteRemovedRelationships(_ layout: StoreLayout, _ names: ClassNames) {
    let formers = Set(new.relationships.compactMap { former($0, layout, names) })
    for relationship in old.relationships where !formers.contains(relationship) {
      guard let table = tables.first(where: { $0.old?.name == relationship.table }) else { continue }
      changes.append(
        ModelContainer.MigrationChange(.removed, table.new.classes[0], relationship.name, "the relationship is removed")
      )
    }
    for relationship in new.relationships {
      guard tables.contains(where: { $0.new.name == relationship.table && $0.old != nil }) else { continue }
      guard let former = former(relationship, layout, names) else {
        changes.append(
          ModelContainer.MigrationChange(.added, relationship.table, relationship.name, "the relationship is new"))
        continue
      }
      if former.name != relationship.name {
        changes.append(
          ModelContainer.MigrationChange(
            .renamed, relationship.table, relationship.name, "the relationship was named \(former.name)",
            former: former.name))
      }
      if names.oldTable(for: relationship.destination)?.name != former.destination {
        changes.append(
          ModelContainer.MigrationChange(
            .refused, relationship.table, relationship.name,
            "its target changes from \(former.destination) to \(relationship.destination); give it another name, and move"
              + " the objects in a custom stage"))
      }
    }
  }
}
