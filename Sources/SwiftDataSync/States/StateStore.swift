#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

/// What a replica keeps in tables: the records of its zones, the objects that show them, and what it has to send.
///
/// All of it is read and written in the transactions of ``SyncDatabase``. What is in memory is written by ``save()``.
final class StateStore {
  let tables: SyncTables

  // MARK: - Mutable State
  // A store belongs to one replica, and is used by one thread at a time.

  var replica: ReplicaRecord
  /// The zones that the replica has.
  private(set) var zones: [ZoneName: KnownZone] = [:]
  /// The saves that the log does not have yet, in order.
  private(set) var outbox: [LocalTransaction] = []
  private var outboxNumbers: [UUID: Int64] = [:]
  private var zoneNumbers: [ZoneName: Int] = [:]
  private var zoneNames: [Int: ZoneName] = [:]
  private var nextZone = 1
  private let pages: StatePages
  private let rowRecords: RowRecords
  /// The records that were used since the last save.
  private var records: [RecordKey: StateRecord] = [:]
  private var changed: Set<RecordKey> = []
  private var writtenReplica: Data?

  /// - Parameter tables: the tables, which have to be there.
  /// - Throws: an error of the store; ``ReplicaError`` for bookkeeping of another version.
  init(_ tables: SyncTables, session: UInt64) throws {
    self.tables = tables
    if let data = try tables.rows(.replica).first?[1].syncData {
      replica = try SyncWire.decode(ReplicaRecord.self, from: data)
      guard replica.format == ReplicaRecord.format else { throw ReplicaError.otherFormat }
      replica.clock.replica = session
      writtenReplica = data
    } else {
      replica = ReplicaRecord(session: session)
    }
    pages = try StatePages(tables)
    rowRecords = RowRecords(tables)
    for row in try tables.rows(.knownZones) {
      let number = Int(row[0].syncInteger ?? 0)
      let zone = try SyncWire.decode(StoredZone.self, from: row[1].syncData ?? Data())
      (zoneNumbers[zone.zoneName], zoneNames[number]) = (number, zone.zoneName)
      zones[zone.zoneName] = zone.info
      nextZone = max(nextZone, number + 1)
    }
    for row in try tables.rows(.outbox, nil, "ORDER BY 1") {
      let transaction = try LocalTransaction(encoded: row[1].syncData ?? Data())
      outbox.append(transaction)
      outboxNumbers[transaction.id] = row[0].syncInteger ?? 0
    }
  }

  // MARK: - Zones

  /// Notes what the server said of a zone; nil for a zone that the account cannot read any more.
  /// - Throws: an error of the store.
  func setZone(_ zone: ZoneName, _ info: KnownZone?) throws {
    guard zones[zone] != info || zoneNumbers[zone] == nil else { return }
    zones[zone] = info
    let number = number(of: zone)
    let data = try SyncWire.encode(StoredZone(zone, info))
    try tables.put(.knownZones, [[.integer(Int64(number)), .blob(data)]])
  }

  private func number(of zone: ZoneName) -> Int {
    if let number = zoneNumbers[zone] { return number }
    let number = nextZone
    nextZone += 1
    (zoneNumbers[zone], zoneNames[number]) = (number, zone)
    return number
  }

  /// The number of a zone, which gets a row with it.
  private func storedNumber(of zone: ZoneName) throws -> Int {
    if zoneNumbers[zone] == nil { try setZone(zone, nil) }
    return number(of: zone)
  }

  private func pageKey(_ key: RecordKey) throws -> StatePages.Key {
    StatePages.Key(try storedNumber(of: key.zone), key.name)
  }

  private func key(_ key: StatePages.Key) -> RecordKey? { zoneNames[key.zone].map { RecordKey($0, key.name) } }

  // MARK: - Records

  private func record(_ key: RecordKey) throws -> StateRecord {
    if let known = records[key] { return known }
    guard zoneNumbers[key.zone] != nil else { return StateRecord() }
    let record = try pages.record(pageKey(key)) ?? StateRecord()
    records[key] = record
    return record
  }

  private func change(_ key: RecordKey, _ body: (inout StateRecord) -> Void) throws {
    var record = try record(key)
    let old = record
    body(&record)
    guard record != old else { return }
    records[key] = record
    changed.insert(key)
  }

  /// The registers of a record; nil for a record that the log does not have.
  func registers(_ key: RecordKey) throws -> Registers? { try record(key).registers }

  func setRegisters(_ registers: Registers?, of key: RecordKey) throws { try change(key) { $0.registers = registers } }

  /// Reads all registers.
  /// - Throws: an error of the store.
  func allRegisters() throws -> ZoneStates {
    try write()
    var states: [ZoneName: ZoneState] = [:]
    for zone in zones.keys { states[zone] = ZoneState() }
    try pages.forEach { key, record in
      guard let zone = zoneNames[key.zone], let registers = record.registers else { return }
      states[zone, default: ZoneState()].records[key.name] = registers
    }
    return ZoneStates(states)
  }

  /// Whether the replica keeps no record.
  func isEmpty() throws -> Bool {
    try write()
    var isEmpty = true
    try pages.forEach { _, _ in isEmpty = false }
    return isEmpty
  }

  // MARK: - Objects

  /// The object that shows the row of a record, by the text of its identifier. Only the record that names the row has one.
  func object(of key: RecordKey) throws -> String? { try record(key).object }

  /// The records that name the rows of objects; nil for an object that shows no record.
  func keys(of objects: [String]) throws -> [RecordKey?] {
    try rowRecords.names(of: objects).map { $0.flatMap(key) }
  }

  /// Notes the object of a row. The object shows no other row then.
  func setObject(_ object: String?, of key: RecordKey) throws {
    if let old = try record(key).object, old != object { try rowRecords.remove(old, pageKey(key)) }
    if let object { try rowRecords.set(object, pageKey(key)) }
    try change(key) { $0.object = object }
  }

  /// All rows that have objects.
  /// - Throws: an error of the store.
  func shownRows() throws -> [RecordKey: String] {
    try write()
    var rows: [RecordKey: String] = [:]
    try pages.forEach { key, record in
      if let object = record.object, let key = self.key(key) { rows[key] = object }
    }
    return rows
  }

  // MARK: - The outbox

  /// Puts another outbox in the place of the one that was.
  /// - Throws: an error of the store.
  func setOutbox(_ transactions: [LocalTransaction]) throws {
    guard outbox != transactions else { return }
    let old = Dictionary(outbox.map { ($0.id, $0) }) { first, _ in first }
    let ids = Set(transactions.map(\.id))
    let gone = outbox.filter { !ids.contains($0.id) }.compactMap { outboxNumbers.removeValue(forKey: $0.id) }
    try tables.remove(.outbox, where: "number", in: gone.map { .integer($0) })
    // A transaction that goes to the front gets a number before all others.
    var first = (outboxNumbers.values.min() ?? replica.nextOutbox) - 1
    let known = Set(outboxNumbers.keys)
    var isFront = true
    for transaction in transactions {
      isFront = isFront && !known.contains(transaction.id) && !known.isEmpty
      guard old[transaction.id] != transaction else { continue }
      if outboxNumbers[transaction.id] == nil {
        if isFront {
          outboxNumbers[transaction.id] = first
          first -= 1
        } else {
          outboxNumbers[transaction.id] = replica.nextOutbox
          replica.nextOutbox += 1
        }
      }
      try tables.put(.outbox, [[.integer(outboxNumbers[transaction.id]!), .blob(transaction.encoded)]])
    }
    outbox = transactions
  }

  // MARK: - Writing

  /// Writes what is in memory, and forgets what was only read.
  /// - Throws: an error of the store.
  func save() throws {
    let data = try SyncWire.encode(replica)
    if data != writtenReplica { try tables.put(.replica, [[.integer(1), .blob(data)]]) }
    writtenReplica = data
    try write()
    try pages.write()
    try rowRecords.write()
    records = [:]
    pages.forget()
    rowRecords.forget()
  }

  /// Puts the records that changed into their pages.
  private func write() throws {
    guard !changed.isEmpty else { return }
    let keys = try changed.map { (try pageKey($0), $0) }.sorted { $0.0 < $1.0 }
    try pages.put(keys.map(\.0)) { records[keys[$0].1] }
    changed = []
  }
}

/// A zone that the account can read.
struct KnownZone: Codable, Equatable {
  var isWritable: Bool
  /// Whether the replica has the state of the zone.
  var isWhole = false
  /// The shared record; nil for the account's own zone.
  var root: RecordName?
  /// The account that made the share.
  var owner: String
}

private struct StoredZone: Codable {
  var zoneName: ZoneName
  /// What the account can do; nil for a zone that it cannot read any more.
  var info: KnownZone?

  init(_ zone: ZoneName, _ info: KnownZone?) { (zoneName, self.info) = (zone, info) }
}

/// What a replica knows of itself.
struct ReplicaRecord: Codable {
  /// The format of the tables that this program writes.
  static let format = 1
  var format = ReplicaRecord.format
  /// The account that the replica syncs as; nil before the server named it.
  var account: String?
  /// The commit up to which the replica has seen the log.
  var cursor: Int64 = 0
  /// The starts of servers on the database that the replica has seen.
  var epochs: [SyncLog.Epoch] = []
  /// The last commit that the replica shares with a restored server, until it has all zones of that; nil otherwise.
  var fork: Int64?
  /// The zones that the replica has as the server had them before it was restored; nil if there is no ``fork``.
  var forkedZones: Set<ZoneName>?
  /// The name of the list of zones that the replica has.
  var zoneList: String?
  /// The number of invitations in that list.
  var invitations: Int?
  var clock: HybridClock
  /// What to add to the wall clock to get the server's time, in milliseconds.
  var clockOffset: Int64 = 0
  /// The number of the newest save of the user's store that was captured; nil before the replica looked at the store.
  var seenTransaction: Int64?
  /// How far the first scan of the store came; nil if it is over.
  var firstScan: FirstScan?
  /// The models that the rows were shown with.
  var models: String?
  /// The properties that the rows were shown with, by class.
  var shownProperties: [String: [String]]?
  /// The number of the next transaction in the outbox.
  var nextOutbox: Int64 = 1

  init(session: UInt64) { clock = HybridClock(replica: session) }
}
#endif
