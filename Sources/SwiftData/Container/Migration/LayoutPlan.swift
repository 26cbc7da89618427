/// The mapping of rows from one layout to another, computed before anything changes.
///
/// It is a value without a database: each database executes it in its own statements. Rows are mapped class by class, so a
/// property that moves between a class and its superclass takes the values of each class along.
package struct LayoutPlan {
  package let old: LayoutRecord
  package let new: LayoutRecord
  /// Tables of models that the program does not list. They stay unchanged, because a program that opens a store with
  /// some of its models, such as a widget, must not delete the others' rows. Only a stage of a plan removes models.
  package let retained: LayoutRecord
  /// Whether a plan leads from one layout to the other.
  let isPlanned: Bool
  package private(set) var tables: [TablePlan] = []
  package private(set) var pairTables: [PairPlan] = []
  /// Relationships whose stored targets may be of a class that the relationship does not lead to any more.
  package private(set) var narrowings: [Narrowing] = []
  /// Properties that go.
  package private(set) var removals: [Removal] = []
  /// The differences. If one is a refusal, the plan cannot be executed.
  package private(set) var changes: [ModelContainer.MigrationChange] = []
  package let classes: ClassMatches

  /// The source of a new column's cells.
  package enum Source: Equatable {
    case column(String)
    /// Pairs with another storage. Together they have one row per key.
    case pairs([PairQuery])
    case nothing
  }

  /// The cells of some classes' rows.
  package struct Part {
    /// The old names of the classes.
    package var classes: [String]
    package let source: Source
    /// The conversion of the old values.
    package let conversion: Conversion
  }

  package struct ColumnPlan {
    package let column: LayoutRecord.Column
    /// The parts. Rows of other classes have no value.
    package var parts: [Part]

    /// Whether the old cells stay where they are.
    package var isKept: Bool { parts.count == 1 && parts[0].source == .column(column.name) }
    /// Whether no old row has a value.
    package var isNew: Bool { parts.allSatisfy { $0.source == .nothing } }
    /// The old columns with the cells.
    package var columns: [String] {
      parts.compactMap { if case .column(let name) = $0.source { name } else { nil } }
    }
  }

  package struct TablePlan {
    package let new: LayoutRecord.Table
    /// The table with the old rows, or nil for a new table.
    package let old: LayoutRecord.Table?
    package var columns: [ColumnPlan]
    /// The old names of the classes.
    package let classes: [String: String]
    /// The old classes whose rows the table does not take.
    package let leftClasses: [String]
    /// Removed classes whose rows no other table takes either.
    package let removedClasses: [String]
    /// The columns that the table gains while its rows stay, or nil if it gains none or the rows must be rewritten.
    var addedColumns: [AddedColumn]?

    /// Whether rows must be rewritten.
    package var isRebuilt: Bool {
      guard let old, addedColumns == nil else { return false }
      return !new.hasSameRows(as: old) || !columns.allSatisfy(\.isKept)
    }
    /// Whether Swift must decode the rows, because not every value may fit the new type.
    var needsDecoding: Bool { columns.contains { $0.parts.contains { $0.conversion == .decoded } } }
    /// The old classes whose rows the table takes.
    var carried: [String] { old?.classes.filter { !leftClasses.contains($0) } ?? [] }
  }

  package struct PairPlan {
    package let new: LayoutRecord.PairTable
    package let sources: [PairQuery]
    /// Whether the table stays unchanged.
    package let isKept: Bool
  }

  /// - Parameters:
  ///   - live: the layout of the models that the program listed last.
  ///   - retained: the layout of the models that it did not list.
  package init(from live: LayoutRecord, retained: LayoutRecord = .empty, to layout: StoreLayout, isPlanned: Bool) {
    let new = layout.record
    func isNamed(_ table: LayoutRecord.Table) -> Bool { table.classes.contains { new.hasClass($0) } }
    let left = retained.part { !isNamed($0) }
    self.retained = isPlanned ? left : left.union(live.part { !isNamed($0) })
    self.old = isPlanned ? live.union(retained.part(isNamed)) : live.union(retained).part(isNamed)
    self.new = new
    self.isPlanned = isPlanned
    classes = ClassMatches(old: old, new: layout, names: ClassNames(old: old, new: new, areVersions: isPlanned))
    changes += classes.refusals
    for table in new.tables { addTable(table, layout) }
    let kept = Set(tables.compactMap { $0.old?.name })
    for table in old.tables where !kept.contains(table.name) {
      for name in table.classes {
        changes.append(
          ModelContainer.MigrationChange(.removed, name, nil, "the model is removed with its rows"))
      }
    }
    for pairs in new.pairTables { addPairs(pairs) }
    noteRelationships()
    noteRemovals()
    refuseTakenNames()
  }

  /// The old tables that nothing replaces.
  var droppedTables: [String] {
    let left = Set(tables.filter { !$0.isRebuilt }.compactMap { $0.old?.name == $0.new.name ? $0.new.name : nil })
    return old.tables.map(\.name).filter { !left.contains($0) }
  }

  /// The columns whose data may be in files and belong into the rows from now on.
  var internalized: [(table: String, column: String)] {
    tables.flatMap { plan -> [(table: String, column: String)] in
      plan.columns.filter { column in
        column.column.affinity == .blob && !column.column.isExternal
          && column.columns.contains { plan.old?.column(named: $0)?.isExternal == true }
      }.map { (plan.new.name, $0.column.name) }
    }
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

  /// A table that is made must not meet a table of a model that the program does not list.
  private mutating func refuseTakenNames() {
    let others = retained.tables.map { ($0.name, $0.classes[0]) } + retained.pairTables.map { ($0.name, $0.name) }
    let taken = Dictionary(others.map { (TableNames.folded($0.0), $0.1) }) { first, _ in first }
    guard !taken.isEmpty else { return }
    for (name, entity) in new.tables.map({ ($0.name, $0.classes[0]) }) + new.pairTables.map({ ($0.name, $0.name) }) {
      guard let other = taken[TableNames.folded(name)] else { continue }
      changes.append(
        ModelContainer.MigrationChange(
          .refused, entity, nil,
          "the store has a table of this name for \(other), which the program does not list; list that model too"))
    }
  }

  // MARK: - Tables

  private mutating func addTable(_ table: LayoutRecord.Table, _ layout: StoreLayout) {
    let names = classes.names
    let formers = names.oldNames(of: table)
    let origin = names.oldTable(for: table.name)
    for name in table.classes {
      guard let former = formers[name] else {
        changes.append(ModelContainer.MigrationChange(.added, name, nil, "the model is new"))
        continue
      }
      if former != name {
        changes.append(
          ModelContainer.MigrationChange(.renamed, name, nil, "the model was named \(former)", previousName: former))
      }
      guard let origin, !origin.classes.contains(former) else { continue }
      changes.append(
        ModelContainer.MigrationChange(
          .refused, name, nil,
          "the store keeps it in another hierarchy than \(origin.classes[0]), and hierarchies cannot be joined; copy the"
            + " rows to a model of another name in a custom stage"))
    }
    let left = origin?.classes.filter { !formers.values.contains($0) } ?? []
    let removed = left.filter { !names.isContinued($0) }
    for name in removed where origin.map({ names.newTables(of: $0).first?.name == table.name }) == true {
      changes.append(ModelContainer.MigrationChange(.removed, name, nil, "the model is removed with its rows"))
    }
    var plan = TablePlan(
      new: table, old: origin, columns: [], classes: formers, leftClasses: left, removedClasses: removed)
    guard let origin else {
      plan.columns = table.columns.map { ColumnPlan(column: $0, parts: []) }
      tables.append(plan)
      return
    }
    var columns = ColumnMatching(old: origin, new: table, plan: self)
    plan.columns = columns.match()
    plan.addedColumns = AddedColumn.columns(of: plan, in: layout)
    changes += columns.changes
    changes += indexChanges(origin, table)
    tables.append(plan)
  }

  private func indexChanges(_ old: LayoutRecord.Table, _ new: LayoutRecord.Table) -> [ModelContainer.MigrationChange] {
    let formers = classes.names.oldNames(of: new)
    // Columns may have other names than before, and their properties have not. Siblings have properties of one name.
    func isSame(_ former: LayoutRecord.Index, _ index: LayoutRecord.Index) -> Bool {
      guard former.names == index.names, former.isUnique == index.isUnique else { return false }
      guard let before = old.scope(of: former), let after = new.scope(of: index) else { return true }
      return Set(after.compactMap { formers[$0] }) == before.intersection(formers.values)
    }
    func list(_ index: LayoutRecord.Index) -> String { index.names.joined(separator: ", ") }
    func entity(_ index: LayoutRecord.Index) -> String {
      index.classes?[0]
        ?? index.columns.compactMap { new.property(of: $0)?.entity }
        .max { new.lineage(of: $0).count < new.lineage(of: $1).count } ?? new.classes[0]
    }
    let properties = Set(new.columns.map(\.propertyName))
    return new.indices.filter { index in !old.indices.contains { isSame($0, index) } }.map {
      ModelContainer.MigrationChange(
        .indexed, entity($0), list($0), $0.isUnique ? "must be unique from now on" : "gets an index")
    }
      + old.indices.filter { index in
        // A member of a composite value names its property before the dot.
        !new.indices.contains { isSame(index, $0) }
          && index.names.allSatisfy { properties.contains(String($0.prefix { $0 != "." })) }
      }.map {
        ModelContainer.MigrationChange(
          .indexed, new.classes[0], list($0), $0.isUnique ? "is no longer unique" : "loses its index")
      }
  }

  // MARK: - Pairs

  private mutating func addPairs(_ table: LayoutRecord.PairTable) {
    var sources = [PairQuery]()
    for end in new.relationships where sources.isEmpty {
      guard case .pairs(table.name, let isForward) = end.storage else { continue }
      sources = classes.pairs(continuing: end).map { isForward ? $0 : $0.swapped }
    }
    let isKept =
      sources.count == 1 && sources[0].isWhole(table, in: old)
      && tables.allSatisfy { plan in
        ![table.source, table.target].contains(plan.new.name) || plan.old?.name == plan.new.name
      }
    pairTables.append(PairPlan(new: table, sources: sources, isKept: isKept))
  }

  // MARK: - Relationships

  private mutating func noteRelationships() {
    for relationship in new.relationships {
      guard let entity = relationship.entity,
        tables.contains(where: { $0.new.name == relationship.table && $0.old != nil })
      else { continue }
      let formers = classes.formers(of: relationship)
      guard let former = formers.first?.relationship else {
        if classes.names.isKnown(entity) {
          changes.append(
            ModelContainer.MigrationChange(.added, entity, relationship.name, "the relationship is new"))
        }
        continue
      }
      if former.name != relationship.name {
        changes.append(
          ModelContainer.MigrationChange(
            .renamed, entity, relationship.name, "the relationship was named \(former.name)", previousName: former.name)
        )
      }
      let target = relationship.target ?? relationship.destination
      if let other = formers.first(where: {
        classes.names.oldTable(for: relationship.destination)?.name != $0.relationship.destination
      }) {
        changes.append(
          ModelContainer.MigrationChange(
            .refused, entity, relationship.name,
            "its target changes from \(other.relationship.target ?? other.relationship.destination) to \(target); give it"
              + " another name, and move the objects in a custom stage"))
        continue
      }
      if let narrowing = classes.narrowing(of: relationship) { narrowings.append(narrowing) }
    }
  }

  private mutating func noteRemovals() {
    removals = classes.removals
    for removal in removals where removal.isCertain {
      changes.append(
        ModelContainer.MigrationChange(
          .removed, removal.entity, removal.property,
          removal.isAttribute ? "the property is removed with its values" : "the relationship is removed"))
    }
  }
}
