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
    for row in try tables.rows(.zones) {
      let name = row[0].syncText
      positions[name] = row[1].syncInteger
      let snapshot = KnownSnapshot(unfinished: row[3].syncInteger, compared: row[4].syncInteger)
      if snapshot != KnownSnapshot() { snapshots[name] = snapshot }
      if let info = row[2].syncData { shares.append(try SyncWire.decode(ZoneInfo.self, from: info)) }
    }
    shares.sort { $0.name < $1.name }
    places = KnownPlaces(
      positions: positions, snapshots: snapshots, shares: replica.hasHadShares == true ? shares : nil)
    guard let old = replica.positions else { return }
    for (zone, position) in old { places.setPosition(position, of: zone) }
    places.setShares(replica.shares)
    (replica.positions, replica.shares) = (nil, nil)
  }

  /// Writes what changed of zones.
  func writePlaces() throws {
    replica.hasHadShares = places.shares == nil ? nil : true
    var (rows, gone): ([[SQLValue]], [SQLValue]) = ([], [])
    for name in places.takeChanges() {
      let (position, share, snapshot) = (places.position(name), places.share(name), places.snapshots[name])
      let cell = tables.database.cell(name)
      if position == nil, share == nil {
        gone.append(cell)
      } else {
        rows.append([
          cell, SQLValue(position), SQLValue(try share.map(SyncWire.encode)), SQLValue(snapshot?.unfinished),
          SQLValue(snapshot?.compared),
        ])
      }
    }
    try tables.put(.zones, rows)
    try tables.remove(.zones, where: "name", in: gone)
  }

  // MARK: - Records of a zone

  /// The names of all records of a zone.
  func names(zone: String) throws -> [RecordName] { try names { $0.zone == zone } }

  /// The names of the records of a zone that are objects of the user's store.
  func shownNames(zone: String) throws -> [RecordName] { try names { $0.zone == zone && $0.object != nil } }

  /// The names of the records that the log of a zone has.
  func recordNames(zone: String) throws -> [RecordName] { try names { $0.zone == zone && $0.state != nil } }

  /// The names of all records of some classes that the log has.
  func records(of entities: Set<String>) throws -> [RecordName] {
    try names { $0.state != nil && entities.contains($0.entity) }
  }

  private func names(where isChosen: (LedgerRecord) -> Bool) throws -> [RecordName] {
    var names: [RecordName] = []
    try forEach { name, record in if isChosen(record) { names.append(name) } }
    return names
  }

  /// The records that lead to some of these.
  func owners(leadingTo targets: Set<RecordName>) throws -> Set<RecordName> {
    let found = try tables.rows(
      .references, "owner", where: "target", in: targets.map(\.text).sorted().map(tables.database.cell))
    return Set(found.map { RecordName($0[0].syncText) })
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
    replica.keyGenerations?[zone] = nil
    return Set(names.map(\.joined))
  }

  /// Forgets what records lead to and which unique values they have.
  private func forgetRelations(of names: [RecordName]) throws {
    let cells = names.map { tables.database.cell($0.text) }
    try tables.remove(.references, where: "owner", in: cells)
    try tables.remove(.uniques, where: "record", in: cells)
    forgetUniques()
  }
}
#endif
