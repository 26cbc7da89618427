extension View {
  /// The latest write of a property among the records of a row; nil if there is none.
  public func field(_ property: SyncModels.Property, of row: RecordKey) -> Stamped<RegisterValue>? {
    records(of: row).compactMap { $0.field(property) }.max()
  }

  /// The latest place of a row in the list that a to-one makes; nil if it has none.
  public func place(_ property: SyncModels.Property, of row: RecordKey) -> ExactText? {
    guard case .text(let place)? = records(of: row).compactMap({ $0.place(property) }).max()?.value else { return nil }
    return place
  }

  /// The edges of a property that the records of a row hold, also those that are not present.
  public func edges(_ property: SyncModels.Property, of row: RecordKey) -> [(RecordKey, RecordName, Edge)] {
    (groups.members[row] ?? []).flatMap { key in
      (presence.here[key]?.members(property) ?? [:]).map { (key, $0, $1) }
    }
  }

  /// The rows that lead to a target by an exclusive to-one, and are not shown so because another row leads there too.
  public func losers(of target: RecordKey, by property: SyncModels.Property) -> [RecordKey] {
    guard property.isExclusive, let entity = property.destination else { return [] }
    return rows.filter { key, row in
      guard let own = models[row.entity, property.name], own.declaringClass == property.declaringClass,
        row.values[property.name]?.target == nil, let reference = field(own, of: key)?.value.reference
      else { return false }
      return resolve(reference, from: key.zone, entity: entity) == target
    }.keys.sorted()
  }

  private func records(of row: RecordKey) -> [Registers] {
    (groups.members[row] ?? []).compactMap { presence.here[$0] }
  }
}

extension SyncModels {
  /// The names of the properties of each unique set of a class, with those that it inherits.
  public func uniqueProperties(of entity: WireName) -> [[ExactText]] {
    (unique[entity] ?? []).map { $0.properties.map(\.name) }
  }
}

extension View {
  /// The fields of a row, each the join of the fields of its records.
  public func fields(of row: RecordKey) -> [WireName: Stamped<RegisterValue>] {
    let records = (groups.members[row] ?? []).compactMap { presence.here[$0] }
    return records.dropFirst().reduce(records.first?.fields ?? [:]) { $0.merging($1.fields, uniquingKeysWith: max) }
  }
}
