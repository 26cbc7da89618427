/// Step 1 of a view: which records are shown (design, 3.3).
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
        guard let entity = record.born?.value, let properties = models.classes[entity] else { continue }
        let isHere = record.isHere(zone)
        if isHere { here[key] = record }
        for property in properties {
          switch property.kind {
          case .toOne:
            guard let target = record.fields[property.wire]?.value.reference?.name else { continue }
            if property.ownsTarget { owned[key, default: []].append(RecordKey(zone, target)) }
            if isHere, models.isOwner(property, of: entity) {
              owned[RecordKey(zone, target), default: []].append(key)
            }
          case .members(_, let isCascade):
            let isOwned = isHere && models.isOwner(property, of: entity)
            guard isCascade || isOwned else { continue }
            for (member, edge) in record.edges[property.wire] ?? [:] where edge.isPresent {
              if isCascade { owned[key, default: []].append(RecordKey(zone, member)) }
              if isOwned { owned[RecordKey(zone, member), default: []].append(key) }
            }
          case .attribute, .holder, .list, .memberOf: continue
          }
        }
      }
    }
    while let owner = dead.popLast() {
      for child in owned[owner] ?? [] where here.removeValue(forKey: child) != nil { dead.append(child) }
    }
    (self.here, self.owned) = (here, owned)
  }
}
