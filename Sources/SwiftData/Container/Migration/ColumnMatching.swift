/// Finds the source of each column's cells: old columns or relationships, class by class.
struct ColumnMatching {
  let old: LayoutRecord.Table
  let new: LayoutRecord.Table
  let plan: LayoutPlan
  private(set) var changes: [ModelContainer.MigrationChange] = []
  private var classes: ClassMatches { plan.classes }

  init(old: LayoutRecord.Table, new: LayoutRecord.Table, plan: LayoutPlan) {
    (self.old, self.new, self.plan) = (old, new, plan)
  }

  mutating func match() -> [LayoutPlan.ColumnPlan] {
    var result = [LayoutPlan.ColumnPlan]()
    for column in new.columns where column.family != .position {
      result.append(column.family == .key ? matchKey(column) : matchValue(column))
    }
    for column in new.columns where column.family == .position {
      result.append(matchPosition(column, result))
    }
    return result
  }

  /// One part for each source.
  private static func parts(
    _ sources: [(String, LayoutPlan.Source, Conversion)]
  ) -> [LayoutPlan.Part] {
    var parts = [LayoutPlan.Part]()
    for (name, source, conversion) in sources {
      if let place = parts.firstIndex(where: { $0.source == source && $0.conversion == conversion }) {
        parts[place].classes.append(name)
      } else {
        parts.append(LayoutPlan.Part(classes: [name], source: source, conversion: conversion))
      }
    }
    return parts
  }

  // MARK: - Attributes

  private mutating func matchValue(_ column: LayoutRecord.Column) -> LayoutPlan.ColumnPlan {
    let matches = classes.matches(of: column.entity)
    let name = column.propertyName
    var sources = [(String, LayoutPlan.Source, Conversion)]()
    var formers = [LayoutRecord.Column]()
    for match in matches {
      guard let former = match.attributes.formers[name].flatMap({ match.columns[$0] }) else {
        sources.append((match.old, .nothing, .same))
        continue
      }
      if !formers.contains(where: { $0.name == former.name && $0.entity == former.entity }) { formers.append(former) }
      sources.append((match.old, .column(former.name), Conversion(from: former, to: column)))
    }
    let entity = column.entity ?? new.classes[0]
    if formers.isEmpty, classes.names.isKnown(entity) {
      changes.append(ModelContainer.MigrationChange(.added, entity, name, "the property is new"))
    }
    for former in formers { note(former, column, entity) }
    return LayoutPlan.ColumnPlan(column: column, parts: Self.parts(sources))
  }

  private mutating func note(_ former: LayoutRecord.Column, _ column: LayoutRecord.Column, _ entity: String) {
    let name = column.propertyName
    if former.propertyName != name {
      changes.append(
        ModelContainer.MigrationChange(
          .renamed, entity, name, "the property was named \(former.propertyName)", previousName: former.propertyName))
    }
    switch Conversion(from: former, to: column) {
    case .same: break
    case .impossible:
      changes.append(
        ModelContainer.MigrationChange(
          .refused, entity, name,
          "its type was \(former.valueType) and is \(column.valueType); give the property another name, and fill it in a"
            + " custom stage"))
    case .decoded where former.family == column.family && former.affinity == column.affinity: break
    case .decoded where former.family == .mixed: break
    default:
      changes.append(
        ModelContainer.MigrationChange(
          .converted, entity, name, "its type was \(former.valueType) and is \(column.valueType)"))
    }
    let isOfRoot = former.entity == nil || former.entity == old.classes[0]
    if column.isRequired, !former.isRequired {
      changes.append(ModelContainer.MigrationChange(.required, entity, name, "the property becomes required"))
    } else if former.isRequired, !column.isRequired, isOfRoot, column.entity == new.classes[0] {
      changes.append(ModelContainer.MigrationChange(.optional, entity, name, "the property becomes optional"))
    }
  }

  // MARK: - Relationships

  private func matchKey(_ column: LayoutRecord.Column) -> LayoutPlan.ColumnPlan {
    let own = plan.new.relationships.first { $0.table == new.name && $0.storage == .foreignKey(column: column.name) }
    let other = plan.new.relationships.first {
      $0.destination == new.name && $0.storage == .inverse(column: column.name)
    }
    let sources = classes.matches(of: column.entity).map { match in
      (match.old, keySource(own, other, match), Conversion.same)
    }
    return LayoutPlan.ColumnPlan(column: column, parts: Self.parts(sources))
  }

  /// The keys of one class's rows: its own former relationship, or else the one at the other end.
  private func keySource(
    _ own: LayoutRecord.Relationship?, _ other: LayoutRecord.Relationship?, _ match: ClassMatches.Match
  ) -> LayoutPlan.Source {
    let formers = own.map { classes.formers(of: $0.name, in: match) } ?? []
    var queries = formers.map { PairQuery($0, ownedBy: [match.old], in: plan.old) }
    if queries.isEmpty, let other { queries = classes.pairs(continuing: other).map(\.swapped) }
    if queries.isEmpty { return .nothing }
    if queries.count == 1, queries[0].table == old.name, queries[0].owner.column == "_pk" {
      return .column(queries[0].target.column)
    }
    return .pairs(queries)
  }

  private func matchPosition(
    _ column: LayoutRecord.Column, _ others: [LayoutPlan.ColumnPlan]
  ) -> LayoutPlan.ColumnPlan {
    let key = others.first {
      $0.column.family == .key && $0.column.property == column.property && $0.column.entity == column.entity
    }
    let parts = (key?.parts ?? []).map { part in
      var source = LayoutPlan.Source.nothing
      switch part.source {
      case .column(let name):
        if let position = old.position(of: name) { source = .column(position.name) }
      case .pairs(let queries):
        // The position in the array of the row that the key refers to.
        let places = queries.compactMap { query -> PairQuery? in
          guard let position = query.target.position else { return nil }
          var place = query
          place.target.column = position
          place.target.classes = nil
          return place
        }
        if !places.isEmpty { source = .pairs(places) }
      case .nothing: break
      }
      return LayoutPlan.Part(classes: part.classes, source: source, conversion: .same)
    }
    return LayoutPlan.ColumnPlan(column: column, parts: parts)
  }
}
