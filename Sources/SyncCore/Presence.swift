/// Step 1 of a view: which records are shown.
///
/// A record is shown if it is in its zone, its class is known, and no dead record of the same zone owns it, directly or through
/// other records.
public struct Presence: Sendable {
  /// The registers of the records that are shown.
  public let here: [RecordKey: Registers]
  /// The records that each record owns, dead or alive. Owner and owned are always in one zone, so that a participant of a share can neither
  /// hide nor move an object of another zone.
  public let owned: [RecordKey: [RecordKey]]

  /// Finds the records that are shown.
  public init(_ states: ZoneStates, _ models: SyncModels) {
    var here: [RecordKey: Registers] = [:]
    var owned: [RecordKey: [RecordKey]] = [:]
    var dead: [RecordKey] = []
    for (zone, state) in states.zones {
      for (name, record) in state.records {
        let key = RecordKey(zone, name)
        if record.dead != nil { dead.append(key) }
        if record.isHere(zone, models) {
          here[key] = record
          for owner in record.ownerNames(models) { owned[RecordKey(zone, owner), default: []].append(key) }
        }
        for target in record.ownedNames(models) { owned[key, default: []].append(RecordKey(zone, target)) }
      }
    }
    while let owner = dead.popLast() {
      for child in owned[owner] ?? [] where here.removeValue(forKey: child) != nil { dead.append(child) }
    }
    (self.here, self.owned) = (here, owned)
  }
}
