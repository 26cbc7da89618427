import SwiftData

/// Whether programs with the models of a store can go on while a program with other models uses it too.
///
/// They can if each of them can read every row that another one writes, and write every row without knowing the columns of
/// the other. All else is an obstacle, for which the change is made in several releases: expand, migrate, contract.
struct RollingUpgrade {
  struct Obstacle: Equatable {
    let entity: String?
    let property: String?
    /// The change.
    let change: String
    /// The steps that work.
    let steps: String
  }

  /// A column of a table.
  struct Place: Hashable {
    let table: String
    let column: String
  }

  private(set) var obstacles: [Obstacle] = []
  private let layout: StoreLayout
  private let defaults: Set<Place>
  /// The tables that older programs know.
  private let known: Set<String>

  /// - Parameters:
  ///   - plan: leads from the store's tables to the new models.
  ///   - layout: the layout of the new models.
  ///   - defaults: the store's columns for which the server has a default.
  ///   - serverDefault: the default that the server would have for a new column.
  init(
    _ plan: LayoutPlan, to layout: StoreLayout, defaults: Set<Place>,
    serverDefault: (LayoutRecord.Column) throws -> ServerDefault?
  ) rethrows {
    (self.layout, self.defaults) = (layout, defaults)
    known = Set(plan.tables.lazy.filter { $0.old != nil }.map(\.new.name))
    for table in plan.tables {
      guard let old = table.old else {
        table.new.columns.forEach { noteReference($0) }
        continue
      }
      for (name, former) in table.classes.sorted(by: { $0.key < $1.key }) where name != former {
        obstacles.append(
          Obstacle(
            entity: name, property: nil, change: "the class \(former) is renamed",
            steps: "keep the name of the class until no older program runs"))
      }
      noteRemovals(table, old)
      for column in table.columns { try note(column, table, old, serverDefault) }
    }
    for pairs in plan.pairTables where !pairs.isKept && !pairs.sources.isEmpty {
      obstacles.append(
        Obstacle(
          entity: nil, property: nil, change: "the pairs of the relationship in \(pairs.new.name) move",
          steps: Self.twice))
    }
  }

  private static let twice =
    "add a property with another name, let the programs write both, copy the values when no older program runs, and"
    + " then remove the former one"

  private mutating func noteRemovals(_ table: LayoutPlan.TablePlan, _ old: LayoutRecord.Table) {
    let (taken, names) = (Set(table.columns.flatMap(\.columns)), Set(table.new.columns.map(\.name)))
    for column in old.columns where column.family != .position && !taken.contains(column.name) {
      if names.contains(column.name) {
        obstacles.append(
          Obstacle(
            entity: column.entity, property: column.propertyName, change: "its name is given to another property",
            steps: "give the other property a name that was not used before"))
        continue
      }
      // Records of earlier versions do not say whether a subclass's property is optional.
      let isRequired =
        column.family == .key
        ? column.reference?.setsNull == false
        : column.isRequired || column.entity != nil && column.entity != old.classes.first && column.isOptional != true
      guard isRequired, !defaults.contains(Place(table: old.name, column: column.name)) else { continue }
      obstacles.append(
        Obstacle(
          entity: column.entity, property: column.propertyName,
          change: "it is removed, and older programs need a value in every row",
          steps: "first release models that give it a default value, and remove it in a later release"))
    }
  }

  private mutating func note(
    _ column: LayoutPlan.ColumnPlan, _ table: LayoutPlan.TablePlan, _ old: LayoutRecord.Table,
    _ serverDefault: (LayoutRecord.Column) throws -> ServerDefault?
  ) rethrows {
    let new = column.column
    func note(_ change: String, _ steps: String) {
      obstacles.append(Obstacle(entity: new.entity, property: new.propertyName, change: change, steps: steps))
    }
    guard new.family != .position else { return }
    if column.isNew {
      // No older program has rows of a new class.
      guard let entity = new.entity, table.classes[entity] != nil, isRequired(new) else { return noteReference(new) }
      let standard = try serverDefault(new)
      if standard == nil {
        note(
          "it is new and required, and the server has no default for the rows of older programs",
          "give it a default value, or make it optional until no older program runs")
      } else if standard?.isConstant == true,
        table.new.indices.contains(where: { $0.isUnique && $0.columns == [new.name] })
      {
        note(
          "it is new and unique, and the rows of older programs would all have its default value",
          "make it optional until no older program runs")
      }
      return
    }
    if let former = old.column(named: new.name), !former.isCoded(like: new) {
      note(
        new.hasCodec
          ? "it becomes encrypted, and older programs could not read it"
          : "it is no longer encrypted, and older programs could not read it",
        "end the older programs first")
    } else if let former = column.columns.first(where: { $0 != new.name }) {
      note("its values move from the column \(former)", Self.twice)
    } else if column.parts.contains(where: { $0.conversion != .same }) {
      let type = old.column(named: new.name)?.valueType ?? ""
      note(
        type == new.valueType
          ? "the struct \(type) has other members, and older programs save values without them"
          : "its type changes from \(type) to \(new.valueType), which cannot have all values of the former type",
        Self.twice)
    } else if let former = old.column(named: new.name), Self.becomesRequired(former, new) {
      note(
        "it becomes required, and older programs may save nil",
        "let all programs save a value first, and make it required when no older program runs")
    }
  }

  /// Notes a required to-one of a new class to a class that older programs delete objects of.
  private mutating func noteReference(_ column: LayoutRecord.Column) {
    guard let reference = column.reference, !reference.setsNull, known.contains(reference.table) else { return }
    obstacles.append(
      Obstacle(
        entity: column.entity, property: column.propertyName,
        change: "it needs an object of \(reference.table), and older programs could not delete that object",
        steps: "make it optional until no older program runs"))
  }

  /// Whether properties that the record says are optional are required in the new one. Of a subclass's property, no column shows it.
  static func requiresMore(_ new: LayoutRecord, than old: LayoutRecord) -> Bool {
    new.tables.contains { table in
      guard let former = old.table(named: table.name) else { return false }
      return table.columns.contains { column in
        former.column(named: column.name).map { becomesRequired($0, column) } == true
      }
    }
  }

  private static func becomesRequired(_ old: LayoutRecord.Column, _ new: LayoutRecord.Column) -> Bool {
    new.isRequired && !old.isRequired || new.isOptional == false && old.isOptional == true
      || new.reference?.setsNull == false && old.reference?.setsNull == true
  }

  /// Whether the property is required. The column of a subclass's property is not.
  private func isRequired(_ column: LayoutRecord.Column) -> Bool {
    guard let member = column.entity.flatMap(layout.table(ofClass:)) else { return column.isRequired }
    return member.stored.contains { TableNames.column(for: $0) == column.name && !$0.isOptional }
  }
}

extension RollingUpgrade {
  /// - Throws: `SwiftDataError.loadIssueModelContainer` with the obstacles.
  func check(store: String) throws {
    guard let first = obstacles.first else { return }
    let others = obstacles.dropFirst().map { obstacle in
      [obstacle.entity, obstacle.property].compactMap { $0 }.joined(separator: ".") + ": " + obstacle.change
    }
    throw SwiftDataError(
      .loadIssueModelContainer, entity: first.entity, property: first.property,
      message: "the store \"\(store)\" is opened while older programs may run, which could not go on: \(first.change);"
        + " \(first.steps)." + (others.isEmpty ? "" : " Also \(others.joined(separator: "; ")).")
        + " Without older programs, open it with isRolling: false. Nothing was changed")
  }
}
