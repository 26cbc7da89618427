/// Finds the source of each column's cells: an old column or relationship.
struct ColumnMatching {
  let old: LayoutRecord.Table
  let new: LayoutRecord.Table
  let plan: LayoutPlan
  let layout: StoreLayout
  let names: ClassNames
  private(set) var changes: [ModelContainer.MigrationChange] = []

  init(old: LayoutRecord.Table, new: LayoutRecord.Table, plan: LayoutPlan, layout: StoreLayout, names: ClassNames) {
    (self.old, self.new, self.plan, self.layout, self.names) = (old, new, plan, layout, names)
  }

  mutating func match() -> [LayoutPlan.ColumnPlan] {
    var result = [LayoutPlan.ColumnPlan]()
    for column in new.columns where column.family != .position {
      result.append(column.family == .key ? matchKey(column) : matchValue(column))
    }
    for column in new.columns where column.family == .position {
      result.append(matchPosition(column, result))
    }
    let used = Set(
      result.compactMap { plan in
        if case .column(let name) = plan.source { return name }
        return nil
      })
    let others = names.newTables(of: old).filter { $0.name != new.name }
    for column in old.columns where !used.contains(column.name) && ![.key, .position].contains(column.family) {
      // Subclasses that lost their superclass each take their own columns.
      guard !others.contains(where: { $0.column(named: column.name) != nil }) else { continue }
      changes.append(
        ModelContainer.MigrationChange(
          .removed, entity(of: column.name), column.name, "the property is removed with its values"))
    }
    return result
  }

  private func entity(of column: String) -> String {
    layout.tables.first { table in
      table.name == new.name && table.stored.contains { TableNames.column(for: $0) == column }
    }?.entity.name ?? new.classes[0]
  }

  // MARK: - Attributes

  private mutating func matchValue(_ column: LayoutRecord.Column) -> LayoutPlan.ColumnPlan {
    let entity = entity(of: column.name)
    guard let former = formerValue(column) else {
      changes.append(ModelContainer.MigrationChange(.added, entity, column.name, "the property is new"))
      return LayoutPlan.ColumnPlan(column: column, source: .nothing)
    }
    if former.name != column.name {
      changes.append(
        ModelContainer.MigrationChange(
          .renamed, entity, column.name, "the property was named \(former.name)", former: former.name))
    }
    let conversion = Conversion(from: former, to: column)
    switch conversion {
    case .same: break
    case .impossible:
      changes.append(
        ModelContainer.MigrationChange(
          .refused, entity, column.name,
          "its type was \(former.valueType) and is \(column.valueType); give the property another name, and fill it in a"
            + " custom stage"))
    case .decoded where former.family == column.family && former.affinity == column.affinity: break
    default:
      changes.append(
        ModelContainer.MigrationChange(
          .converted, entity, column.name, "its type was \(former.valueType) and is \(column.valueType)"))
    }
    if column.isRequired, !former.isRequired {
      changes.append(
        ModelContainer.MigrationChange(.required, entity, column.name, "the property becomes required"))
    } else if former.isRequired, !column.isRequired {
      changes.append(
        ModelContainer.MigrationChange(.optional, entity, column.name, "the property becomes optional"))
    }
    return LayoutPlan.ColumnPlan(column: column, source: .column(former.name), conversion: conversion)
  }

  private func formerValue(_ column: LayoutRecord.Column) -> LayoutRecord.Column? {
    func attribute(_ name: String) -> LayoutRecord.Column? {
      old.column(named: name).flatMap { [.key, .position].contains($0.family) ? nil : $0 }
    }
    let original = layout.tables.lazy.filter { $0.name == new.name }
      .compactMap { $0.entity.property(named: column.name)?.attribute?.formerName }.first
    if let original, old.column(named: column.name) == nil, let former = attribute(original) { return former }
    // A property whose original name the store never had is new, even if the store has a column of its current name.
    // People drop a property and add another under its name in this way. If the store's column has the same original
    // name, it was renamed earlier.
    if let original, original != column.name, let known = attribute(column.name)?.formerNames, !known.contains(original)
    {
      return nil
    }
    // A new property with the former name of a renamed one starts empty.
    let isTaken = layout.tables.contains { table in
      table.name == new.name
        && table.stored.contains { property in
          property.attribute?.formerName == column.name && property.name != column.name
            && old.column(named: property.name) == nil
        }
    }
    return isTaken ? nil : attribute(column.name)
  }

  // MARK: - Relationships

  private func matchKey(_ column: LayoutRecord.Column) -> LayoutPlan.ColumnPlan {
    LayoutPlan.ColumnPlan(column: column, source: keySource(column))
  }

  private func keySource(_ column: LayoutRecord.Column) -> LayoutPlan.Source {
    let own = plan.new.relationships.first { $0.table == new.name && $0.storage == .foreignKey(column: column.name) }
    if let own, let former = plan.former(own, layout, names) {
      if case .foreignKey(let name) = former.storage { return .column(name) }
      return plan.pairs(of: former, names).map { .pairs($0) } ?? .nothing
    }
    let other = plan.new.relationships.first { relationship in
      relationship.destination == new.name && relationship.storage == .inverse(column: column.name)
    }
    guard let other, let former = plan.former(other, layout, names) else { return .nothing }
    if case .inverse(let name) = former.storage { return .column(name) }
    return plan.pairs(of: former, names).map { .pairs($0.swapped) } ?? .nothing
  }

  private func matchPosition(
    _ column: LayoutRecord.Column, _ others: [LayoutPlan.ColumnPlan]
  ) -> LayoutPlan.ColumnPlan {
    let key = others.first { LayoutRecord.position(of: $0.column.name) == column.name }
    var source = LayoutPlan.Source.nothing
    switch key?.source {
    case .column(let name)?:
      let position = LayoutRecord.position(of: name)
      if old.column(named: position) != nil { source = .column(position) }
    case .pairs(let query)?:
      // The position in the array of the row that the key refers to.
      if let position = query.targetPosition {
        var places = query
        places.target = position
        source = .pairs(places)
      }
    default: break
    }
    return LayoutPlan.ColumnPlan(column: column, source: source)
  }
}
