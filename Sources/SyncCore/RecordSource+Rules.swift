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
      // A hostile participant can make pointers that lead in a circle, and pointers to private records of other accounts.
      var (seen, pointer) = (Set<ZoneName>(), Home?.none)
      while seen.insert(zone).inserted {
        guard let current = record, current.dead == nil, current.confirms(pointer) else { return nil }
        if current.isHere(zone) { return RecordKey(zone, name) }
        (zone, pointer) = (current.home?.zone ?? zone, current.home)
        record = try registers(of: RecordKey(zone, name))
      }
      return nil
    }
    guard searchesOtherZones else { return nil }
    let zones = try zones(knowing: name).sorted()
    return try zones.first { try registers(of: RecordKey($0, name))?.isHere($0) ?? false }.map { RecordKey($0, name) }
  }

  /// The records of the zone that a record owns. Records that it leads to may be of any kind or unknown. Records that lead to it are such as
  /// a view can show.
  func owned(by key: RecordKey, _ models: SyncModels) throws -> Set<RecordKey> {
    var children = Set((try registers(of: key)?.ownedNames(models) ?? []).map { RecordKey(key.zone, $0) })
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

  /// Whether a record has an owner of some kind, directly or through other records that a view can show.
  func isOwned(_ key: RecordKey, _ models: SyncModels, by isOwner: (RecordKey) throws -> Bool) throws -> Bool {
    var (stack, seen) = ([key], Set([key]))
    while let child = stack.popLast() {
      for owner in try owners(of: child, models) where seen.insert(owner).inserted {
        if try isOwner(owner) { return true }
        if try isHere(owner, models) { stack.append(owner) }
      }
    }
    return false
  }

  /// Whether a view can show a record, if no dead record owns it.
  func isHere(_ key: RecordKey, _ models: SyncModels) throws -> Bool {
    try registers(of: key)?.isHere(key.zone, models) ?? false
  }
}
