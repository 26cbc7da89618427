#if Sync
import Foundation
import SwiftData
import SyncProtocol

// What the ledger knows of zones as a whole.

extension Ledger {
  // MARK: - Names of zones

  /// The zones that the account can read.
  var zones: ReadableZones { places.readable(by: replica.account) }

  /// What the account may do in the zone of a share; nil for other zones.
  func share(_ zone: String) -> ZoneInfo? { zones.share(zone) }

  func isWritable(_ zone: String) -> Bool { zone == SyncWire.privateZone || share(zone)?.isWritable == true }

  /// Notes the zone of a record that the log does not have yet.
  func setZone(_ zone: String, of name: RecordName) throws { try change(name) { $0.zone = zone } }

  // MARK: - Rows of zones

  func readPlaces() throws {
    var (positions, snapshots, shares) = ([String: Int64](), [String: KnownSnapshot](), [ZoneInfo]())
    for row in try context.fetch(FetchDescriptor<LedgerZone>()) {
      positions[row.name] = row.position
      if row.unfinishedSnapshot != nil || row.comparedSnapshot != nil {
        snapshots[row.name] = KnownSnapshot(unfinished: row.unfinishedSnapshot, compared: row.comparedSnapshot)
      }
      if let info = row.info { shares.append(try SyncWire.decode(ZoneInfo.self, from: info)) }
    }
    shares.sort { $0.name < $1.name }
    places = KnownPlaces(
      positions: positions, snapshots: snapshots, shares: replica.hasHadShares == true ? shares : nil)
    guard let old = replica.positions else { return }
    for (zone, position) in old { places.setPosition(position, of: zone) }
    places.setShares(replica.shares)
    (replica.positions, replica.shares) = (nil, nil)
  }

  /// Puts what changed of zones into the context.
  func writePlaces() throws {
    replica.hasHadShares = places.shares == nil ? nil : true
    let changed = places.takeChanges()
    for start in stride(from: 0, to: changed.count, by: 500) {
      let names = Array(changed[start..<min(start + 500, changed.count)])
      let found = try context.fetch(
        FetchDescriptor<LedgerZone>(predicate: #Predicate<LedgerZone> { names.contains($0.name) }))
      let rows = Dictionary(found.map { ($0.name, $0) }) { first, _ in first }
      for name in names {
        let (position, share) = (places.position(name), places.share(name))
        guard position != nil || share != nil else {
          if let row = rows[name] { context.delete(row) }
          continue
        }
        let row = rows[name] ?? LedgerZone(name: name)
        if rows[name] == nil { context.insert(row) }
        let info = try share.map(SyncWire.encode)
        if row.position != position { row.position = position }
        if row.info != info { row.info = info }
        let snapshot = places.snapshots[name]
        if row.unfinishedSnapshot != snapshot?.unfinished { row.unfinishedSnapshot = snapshot?.unfinished }
        if row.comparedSnapshot != snapshot?.compared { row.comparedSnapshot = snapshot?.compared }
      }
    }
  }

  // MARK: - Records of a zone

  /// The names of all records of a zone.
  func names(zone: String) throws -> [RecordName] { try names { $0.zone == zone } }

  /// The names of the records of a zone that are objects of the user's store.
  func shownNames(zone: String) throws -> [RecordName] { try names { $0.zone == zone && $0.object != nil } }

  /// The names of the records that the log of a zone has.
  func recordNames(zone: String) throws -> [RecordName] { try names { $0.zone == zone && $0.state != nil } }

  private func names(where isChosen: (LedgerRecord) -> Bool) throws -> [RecordName] {
    var names: [RecordName] = []
    try forEach { name, record in if isChosen(record) { names.append(name) } }
    return names
  }

  /// The records that lead to some of these.
  func owners(leadingTo targets: Set<RecordName>) throws -> Set<RecordName> {
    let names = targets.map(\.text)
    var owners = Set<RecordName>()
    for start in stride(from: 0, to: names.count, by: 500) {
      let part = Array(names[start..<min(start + 500, names.count)])
      let found = try context.fetch(
        FetchDescriptor<LedgerReference>(predicate: #Predicate<LedgerReference> { part.contains($0.target) }))
      owners.formUnion(found.map { RecordName($0.owner) })
    }
    return owners
  }

  func zonesApart(of name: RecordName) throws -> Set<String> {
    // What is kept apart comes behind its record.
    guard let newest = newestName, name < newest else { return [] }
    return try pages.zonesApart(of: name).union(changedApart[name] ?? [])
  }

  // MARK: - Forgetting

  /// Forgets what the log of a zone said, and puts transactions before those that are to be sent.
  func forgetLog(zone: String, sendingFirst transactions: [SyncTransaction]) throws {
    let names = try names(zone: zone)
    try forgetRelations(of: names)
    for name in names {
      try change(name) { $0.state = nil }
      try setAlias(nil, of: name)
    }
    let unsent = try takePending(Set(pending.map(\.transaction.id)))
    for transaction in transactions { try append(transaction, zone: zone) }
    for transaction in unsent { try append(transaction.sent, zone: transaction.zone) }
    places.setPosition(0, of: zone)
    places.setSnapshot(nil, of: zone)
  }

  /// Forgets a zone that the account cannot read any more.
  /// - Returns: the records that the log of the zone had.
  func forget(zone: String) throws -> Set<RecordName> {
    let names = try names(zone: zone)
    try forgetRelations(of: names)
    for name in names {
      try remove(name)
      try setAlias(nil, of: name)
    }
    places.setPosition(nil, of: zone)
    places.setSnapshot(nil, of: zone)
    places.setShares(places.shares?.filter { $0.name != zone })
    replica.keys?[zone] = nil
    replica.zonesToForget?.remove(zone)
    return Set(names.map(\.joined))
  }

  /// Forgets what records lead to and which unique values they have.
  private func forgetRelations(of names: [RecordName]) throws {
    for start in stride(from: 0, to: names.count, by: 500) {
      let part = names[start..<min(start + 500, names.count)].map(\.text)
      try context.delete(
        model: LedgerReference.self, where: #Predicate<LedgerReference> { part.contains($0.owner) })
      try context.delete(model: LedgerUnique.self, where: #Predicate<LedgerUnique> { part.contains($0.record) })
    }
    uniques = [:]
  }
}
#endif
