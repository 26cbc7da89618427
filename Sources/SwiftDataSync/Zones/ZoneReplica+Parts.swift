#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

// Work on all records of a zone or of the store is done in parts. See `RecordOverlay.inParts(of:size:_:)`.

extension ZoneReplica {
  /// How many records a part has, at least.
  private static let partSize = 1000
  /// How many records a part has that is shown in a transaction of its own. A save of the program waits for such a part.
  private static let shownPartSize = 250

  func inParts(of zone: ZoneName, _ body: ([RecordKey]) throws -> Void) throws {
    // `body` changes the records.
    let records = shown
    try records.inParts(of: zone, size: Self.partSize, body)
  }

  // MARK: - All rows

  /// The objects that show rows, by the texts of their identifiers.
  func allObjects() throws -> Set<String> {
    var objects: Set<String> = []
    for zone in shown.allZones {
      try inParts(of: zone) { keys in objects.formUnion(try keys.compactMap { try store.object(of: $0) }) }
    }
    return objects
  }

  /// Compares all rows with their objects.
  /// - Throws: an error of the store; ``MissingAssets`` if the bytes of a value have to be fetched first.
  func showAll() throws {
    var incomplete: [Set<RecordKey>] = []
    for zone in shown.allZones {
      try inParts(of: zone) { keys in
        for key in keys {
          if try shown.row(showing: key) == key {
            work.add(key, nil)
          } else if try store.object(of: key) != nil {
            work.gone.insert(key)
          }
        }
        let rows = try writeRows(keepsGone: true, isComplete: true)
        if !rows.isEmpty { incomplete.append(rows) }
      }
    }
    // All rows have objects now.
    for part in incomplete {
      for row in part { work.add(row, nil) }
      try writeRows(keepsGone: true, isComplete: true)
    }
    try writeRows()
    noteAllShown()
  }

  /// Notes that the objects show all rows as the program's models say.
  func noteAllShown() {
    store.replica.models = models.fingerprint
    store.replica.shownProperties = user.propertyNames
  }

  // MARK: - Zones that come whole

  /// Takes in a part of a zone that comes whole. The rows show the zone when all of it is here.
  /// - Returns: whether the zone is whole now, and replaces what the replica had of it.
  func take(_ load: SyncLog.ZoneLoad, _ changes: inout [RecordKey: Registers?]) throws -> Bool {
    let zone = load.zone
    guard var known = store.zones[zone] else { return false }
    // A zone that begins again brings what was here before.
    let isForked = store.replica.forkedZones?.contains(zone) == true
    var isNew = load.isStart && known.position == nil && (!known.isWhole || isForked)
    defer { if isNew { newParts += 1 } }
    func keep(_ records: [RecordName: Registers]) throws {
      if try store.keep(records, of: zone), !load.isStart { isNew = true }
    }
    if load.isStart { try dropLoad(of: zone) }
    if load.isStart, load.position == nil, !known.isWhole {
      // Most zones of new devices come in one part.
      var states = ZoneStates()
      load.load(into: &states)
      for (name, registers) in states[zone].records { changes[RecordKey(zone, name)] = .some(registers) }
      known.isWhole = true
      try store.setZone(zone, known)
      return false
    }
    try keep(load.records)
    for entry in load.entries {
      switch entry.reduced.parts[zone] {
      case .forget(let names): try store.dropKept(names, of: zone)
      case .change(let records):
        try keep(
          records.mapValues { registers in
            var registers = registers
            registers.commit = entry.commit
            return registers
          })
      case nil: continue
      }
    }
    let isReplacement = known.isWhole
    known.position = load.position
    if load.position == nil {
      // A new device shows a large zone part by part.
      if !isReplacement { (known.isWhole, known.isShowing) = (true, true) }
    }
    try store.setZone(zone, known)
    return isReplacement && load.position == nil
  }

  /// Forgets the parts of a zone that were kept.
  func dropLoad(of zone: ZoneName) throws {
    guard var known = store.zones[zone], known.position != nil else { return }
    try store.dropKept(of: zone)
    known.position = nil
    try store.setZone(zone, known)
  }

  /// Removes the records of a zone. Objects of rows that are gone stay until the rows are written.
  func drop(_ zone: ZoneName) throws {
    try inParts(of: zone) { keys in
      try update(Dictionary(uniqueKeysWithValues: keys.map { ($0, nil) }), isPartial: true)
    }
  }

  /// Replaces the records of a zone by those that were kept. Objects of rows that are gone stay until the rows are written.
  func replace(_ zone: ZoneName) throws {
    let fork = store.replica.forkedZones?.contains(zone) == true ? store.replica.fork : nil
    // What leaves the zone leaves first: its object may be the object of what comes.
    try inParts(of: zone) { keys in
      let kept = try store.kept(keys.map(\.name), of: zone)
      if let fork { try sendAgain(keys, kept, after: fork) }
      var changes: [RecordKey: Registers?] = [:]
      for key in keys {
        guard let old = try store.registers(of: key) else { continue }
        let new = kept[key.name]
        if new == nil || old.isHere(zone) && new?.isHere(zone) == false { changes[key] = .some(new) }
      }
      try update(changes, isPartial: true)
    }
    var last: RecordName?
    while case let part = try store.kept(of: zone, after: last, limit: Self.partSize), let end = part.last {
      let changes = part.map { (RecordKey(zone, $0.name), Optional($0.registers)) }
      try update(Dictionary(uniqueKeysWithValues: changes), isPartial: true)
      try writeRows(keepsGone: true)
      try store.flush()
      last = end.name
    }
    try store.dropKept(of: zone)
    settle(zone)
  }

  /// Shows the zones that came in parts. Each part is a transaction, and a replica that is closed in between goes on with the rest.
  /// - Throws: an error of the store; ``MissingAssets`` if the bytes of a value have to be fetched first.
  func showLoads() throws {
    while let zone = store.zones.filter({ $0.value.isShowing == true }).keys.min() {
      try transaction {
        try captureSaves()
        let part = try store.kept(of: zone, after: nil, limit: Self.shownPartSize)
        if part.isEmpty, var known = store.zones[zone] {
          try store.dropKept(of: zone)
          known.isShowing = nil
          try store.setZone(zone, known)
        }
        let changes = part.map { (RecordKey(zone, $0.name), Optional($0.registers)) }
        try update(Dictionary(uniqueKeysWithValues: changes))
        try store.dropKept(part.map(\.name), of: zone)
        try dropUnsentAssets()
      }
    }
  }
}

extension Registers {
  /// The registers that another state of the record lacks.
  func lacked(by other: Registers) -> Registers {
    var result = Registers()
    let joined = other.joining(self)
    if joined.born != other.born { result.born = born }
    if joined.dead != other.dead { result.dead = dead }
    if joined.home != other.home { result.home = home }
    result.fields = fields.filter { joined.fields[$0.key] != other.fields[$0.key] }
    for (property, members) in edges {
      let lacked = members.filter { joined.edges[property]?[$0.key] != other.edges[property]?[$0.key] }
      if !lacked.isEmpty { result.edges[property] = lacked }
    }
    return result
  }
}
#endif
