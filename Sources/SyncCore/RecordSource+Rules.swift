/// The rules of a view as questions about single records. Each reads what its answer depends on, and nothing else.
extension RecordSource {
  /// The record that a reference held in a zone leads to; nil if it is dead, unreadable or unknown. The same as
  /// ``ZoneStates/locate(_:from:searchesOtherZones:)``.
  func locate(
    _ reference: Reference, from holder: ZoneName, searchesOtherZones: Bool = false
  ) throws -> RecordKey? {
    let name = reference.name
    var zone = holder
    var record = try registers(of: RecordKey(zone, name))
    if record == nil, let hint = reference.hint, hint != holder {
      zone = hint
      record = try registers(of: RecordKey(zone, name))
    }
    if record != nil {
      // A hostile participant can make pointers that lead in a circle.
      var seen = Set<ZoneName>()
      while seen.insert(zone).inserted {
        guard let current = record, current.dead == nil else { return nil }
        if current.isHere(zone) { return RecordKey(zone, name) }
        zone = current.home?.zone ?? zone
        record = try registers(of: RecordKey(zone, name))
      }
      return nil
    }
    guard searchesOtherZones else { return nil }
    let zones = try zones(knowing: name).sorted()
    return try zones.first { try registers(of: RecordKey($0, name))?.isHere($0) ?? false }.map { RecordKey($0, name) }
  }

  /// The records that a record owns, if it is dead or shown: of its own zone, and those that a view can show.
  func owned(by key: RecordKey, _ models: SyncModels) throws -> Set<RecordKey> {
    var children = Set<RecordKey>()
    for name in try registers(of: key)?.ownedNames(models) ?? [] {
      let child = RecordKey(key.zone, name)
      if try isHere(child, models) { children.insert(child) }
    }
    for property in models.ownedNames {
      for name in try holders(of: key.name, in: key.zone, by: property) {
        let child = RecordKey(key.zone, name)
        guard let record = try registers(of: child), record.isHere(key.zone, models) else { continue }
        if record.ownerNames(models).contains(key.name) { children.insert(child) }
      }
    }
    return children
  }

  /// The records of the zone that own a record which a view can show.
  func owners(of key: RecordKey, _ models: SyncModels) throws -> Set<RecordKey> {
    var owners = Set((try registers(of: key)?.ownerNames(models) ?? []).map { RecordKey(key.zone, $0) })
    for property in models.owningNames {
      for name in try holders(of: key.name, in: key.zone, by: property) {
        let owner = RecordKey(key.zone, name)
        if try registers(of: owner)?.ownedNames(models).contains(key.name) ?? false { owners.insert(owner) }
      }
    }
    return owners
  }

  /// Whether a view can show a record, if no dead record owns it.
  func isHere(_ key: RecordKey, _ models: SyncModels) throws -> Bool {
    try registers(of: key)?.isHere(key.zone, models) ?? false
  }
}

extension RowSource {
  /// The records that make the values of a row, in order; none if there is no such row.
  func members(of row: RecordKey) throws -> [RecordKey] {
    guard try self.row(showing: row) == row else { return [] }
    return try records(shownBy: row).filter { $0.zone == row.zone }.sorted()
  }

  /// The class of a row; nil if there is no such row.
  func entity(ofRow row: RecordKey) throws -> WireName? {
    try self.row(showing: row) == row ? try registers(of: row)?.born?.value : nil
  }

  /// The row that a reference leads to; nil if it leads to no row of the class.
  func resolve(_ reference: Reference, from zone: ZoneName, _ entity: WireName, _ models: SyncModels) throws -> RecordKey? {
    guard let key = try locate(reference, from: zone, searchesOtherZones: true), let row = try row(showing: key),
      let actual = try registers(of: row)?.born?.value, models.isKind(actual, of: entity)
    else { return nil }
    return row
  }
}
