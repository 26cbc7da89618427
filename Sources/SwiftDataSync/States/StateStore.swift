#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

/// What a replica keeps in tables: the records of its zones, the objects that show them, and what it has to send.
///
/// All of it is read and written in the transactions of ``SyncDatabase``. ``save()`` writes the changes in memory.
final class StateStore {
  let tables: SyncTables

  // MARK: - Mutable State
  // A store belongs to one replica, and is used by one thread at a time.

  var replica: ReplicaRecord
  /// The zones that the replica has.
  private(set) var zones: [ZoneName: KnownZone] = [:]
  private var zoneNumbers: [ZoneName: Int] = [:]
  private var zoneNames: [Int: ZoneName] = [:]
  private var nextZone = 1
  private let pages: StatePages
  private let rowRecords: RowRecords
  private let indices: RecordIndices
  private let models: SyncModels
  /// The records that were used since the last save.
  private var records: [RecordKey: StateRecord] = [:]
  private var changed: Set<RecordKey> = []
  private var writtenReplica: Data?

  /// - Parameters:
  ///   - tables: the tables, which have to be there.
  ///   - models: the program's models.
  /// - Throws: an error of the store; ``ReplicaError`` for bookkeeping of another version.
  init(_ tables: SyncTables, _ models: SyncModels, session: UInt64) throws {
    (self.tables, self.models) = (tables, models)
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
    indices = RecordIndices(tables)
    for row in try tables.rows(.knownZones) {
      let number = Int(row[0].syncInteger ?? 0)
      let zone = try SyncWire.decode(StoredZone.self, from: row[1].syncData ?? Data())
      (zoneNumbers[zone.zoneName], zoneNames[number]) = (number, zone.zoneName)
      zones[zone.zoneName] = zone.info
      nextZone = max(nextZone, number + 1)
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
    if let number = zoneNumbers[zone] { return number }
    try setZone(zone, nil)
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
    body(&record)
    records[key] = record
    changed.insert(key)
  }

  /// Takes in the registers of records that the log changes, with their index entries; nil for a record that goes.
  /// - Throws: an error of the store.
  func take(_ changes: [RecordKey: Registers?]) throws {
    guard !changes.isEmpty else { return }
    try prepare(Array(changes.keys))
    // Neighbours in the tables are written one after the other.
    for key in changes.keys.sorted() {
      let (former, registers) = (try record(key).registers, changes[key] ?? nil)
      guard former != registers else { continue }
      try change(key) { $0.registers = registers }
      indices.change(key, try pageKey(key), from: former, to: registers, models)
    }
    try indices.write()
  }

  /// Whether the replica keeps no record.
  /// - Throws: an error of the store.
  func isEmpty() throws -> Bool {
    try write()
    return try pages.isEmpty()
  }

  /// The next records of a zone, in the order of their names.
  /// - Parameters:
  ///   - name: the name that they follow; nil for the first ones.
  ///   - limit: how many there are at least, unless there are no more.
  /// - Throws: an error of the store.
  func records(
    of zone: ZoneName, after name: RecordName?, limit: Int
  ) throws -> [(name: RecordName, record: StateRecord)] {
    guard let number = zoneNumbers[zone] else { return [] }
    try write()
    return try pages.records(of: number, after: name, limit: limit).map { ($0.key.name, $0.record) }
  }

  // MARK: - Zones in parts

  // The parts of a zone are in pages of their own. Their zone has the negative number of the zone.

  /// Joins registers into those that were kept of a zone.
  /// - Returns: whether that changed any.
  /// - Throws: an error of the store.
  func keep(_ changes: [RecordName: Registers], of zone: ZoneName) throws -> Bool {
    let number = -(try storedNumber(of: zone))
    let changes = changes.sorted { $0.key < $1.key }
    let keys = changes.map { StatePages.Key(number, $0.key) }
    try pages.load(keys)
    let old = try keys.map { try pages.record($0)?.registers }
    let new = zip(changes, old).map { ($1 ?? Registers()).joining($0.value) }
    try pages.put(keys) { StateRecord(registers: new[$0]) }
    return old != new
  }

  /// Forgets records that were kept of a zone.
  /// - Throws: an error of the store.
  func dropKept(_ names: some Collection<RecordName>, of zone: ZoneName) throws {
    let number = -(try storedNumber(of: zone))
    try pages.put(names.map { StatePages.Key(number, $0) }.sorted()) { _ in nil }
  }

  /// Forgets all that was kept of a zone.
  /// - Throws: an error of the store.
  func dropKept(of zone: ZoneName) throws { if let number = zoneNumbers[zone] { try pages.remove(zone: -number) } }

  /// The registers that were kept of records.
  /// - Throws: an error of the store.
  func kept(_ names: [RecordName], of zone: ZoneName) throws -> [RecordName: Registers] {
    guard let number = zoneNumbers[zone] else { return [:] }
    let keys = names.map { StatePages.Key(-number, $0) }.sorted()
    try pages.load(keys)
    return try keys.reduce(into: [:]) { $0[$1.name] = try pages.record($1)?.registers }
  }

  /// The next records that were kept of a zone, in the order of their names.
  /// - Throws: an error of the store.
  func kept(of zone: ZoneName, after name: RecordName?, limit: Int) throws -> [(name: RecordName, registers: Registers)]
  {
    guard let number = zoneNumbers[zone] else { return [] }
    return try pages.records(of: -number, after: name, limit: limit).compactMap { key, record in
      record.registers.map { (key.name, $0) }
    }
  }

  // MARK: - Rows

  /// Notes which row shows a record; nil for a record that is not shown.
  /// - Throws: an error of the store.
  func show(_ key: RecordKey, by row: RecordKey?) throws {
    let (own, former, new) = (try pageKey(key), try record(key).row, try row.map(pageKey))
    guard former != new else { return }
    try change(key) { $0.row = new }
    if let former, former != own, let other = self.key(former) {
      try tables.remove(.rowAliases, [Self.alias(of: former, own)])
      try change(other) { $0.aliases -= 1 }
    }
    if let row, let new, new != own {
      try tables.put(.rowAliases, [Self.alias(of: new, own)])
      try change(row) { $0.aliases += 1 }
    }
  }

  private static func alias(of row: StatePages.Key, _ key: StatePages.Key) -> [SQLValue] {
    [.integer(Int64(row.zone)), .blob(row.name.bytes), .integer(Int64(key.zone)), .blob(key.name.bytes)]
  }

  /// The zones that have, or had, records.
  var allZones: [ZoneName] { Array(zoneNumbers.keys) }

  /// Forgets which rows show records, and finds the unique values that the program's models give them.
  /// - Throws: an error of the store.
  func removeRows(_ models: SyncModels) throws {
    try tables.remove(.rowAliases, where: "1 = 1", [])
    try indices.removeUnique()
    for zone in zoneNumbers.keys.sorted() {
      var last: RecordName?
      while case let part = try records(of: zone, after: last, limit: 500), let end = part.last {
        for (name, record) in part {
          let key = RecordKey(zone, name)
          if record.row != nil || record.aliases > 0 { try change(key) { ($0.row, $0.aliases) = (nil, 0) } }
          if let registers = record.registers { indices.addUnique(registers, of: key, try pageKey(key), models) }
        }
        last = end.name
        try indices.write()
        try flush()
      }
    }
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

  // MARK: - The outbox

  /// The saves that the log does not have yet, in the order of their numbers.
  /// - Throws: an error of the store.
  func storedOutbox() throws -> [(number: Int, transaction: LocalTransaction)] {
    try tables.rows(.outbox, nil, "ORDER BY 1").map { row in
      (Int(row[0].syncInteger ?? 0), try LocalTransaction(encoded: row[1].syncData ?? Data()))
    }
  }

  /// Writes the changes of the outbox's table: ``LaidOutbox/Update/stored``.
  /// - Throws: an error of the store.
  func writeOutbox(_ changes: [Int: LocalTransaction?]) throws {
    let changes = changes.sorted { $0.key < $1.key }
    try tables.remove(.outbox, where: "number", in: changes.filter { $0.value == nil }.map { .integer(Int64($0.key)) })
    for (number, transaction) in changes {
      if let transaction { try tables.put(.outbox, [[.integer(Int64(number)), .blob(transaction.encoded)]]) }
    }
  }

  // MARK: - Writing

  /// Whether the tables are as this store read or wrote them last. Each transaction that writes to them counts in the row that this compares.
  /// - Throws: an error of the store.
  func isCurrent() throws -> Bool { try tables.rows(.replica).first?[1].syncData == writtenReplica }

  /// Writes what is in memory, and forgets what was only read.
  /// - Throws: an error of the store.
  func save() throws {
    try flush()
    if tables.database.hasWritten { replica.writes = (replica.writes ?? 0) + 1 }
    let data = try SyncWire.encode(replica)
    if data != writtenReplica { try tables.put(.replica, [[.integer(1), .blob(data)]]) }
    writtenReplica = data
  }

  /// Writes the records that are in memory, and forgets them.
  /// - Throws: an error of the store.
  func flush() throws {
    try write()
    try pages.write()
    try rowRecords.write()
    records = [:]
    pages.forget()
    rowRecords.forget()
    indices.forget()
  }

  /// Puts the records that changed into their pages.
  private func write() throws {
    guard !changed.isEmpty else { return }
    let keys = try changed.map(pageKey).sorted()
    try pages.put(keys) { key(keys[$0]).flatMap { records[$0] } }
    changed = []
  }
}

// MARK: - Questions

extension StateStore: RowSource {
  /// Says which records are read next.
  func prepare(_ keys: [RecordKey]) throws {
    try pages.load(
      keys.lazy.filter { self.records[$0] == nil }.compactMap { key in
        self.zoneNumbers[key.zone].map { StatePages.Key($0, key.name) }
      }.sorted())
  }

  /// Names the arguments of the next calls of ``zones(leadingTo:)``.
  func prepare(leadingTo names: [RecordName]) throws { try indices.prepare(leadingTo: names) }

  /// Names the arguments of the next calls of ``records(with:)``.
  func prepare(with values: [UniqueValue]) throws { try indices.prepare(with: values) }

  /// The registers of a record; nil for a record that the log does not have.
  func registers(of key: RecordKey) throws -> Registers? { try record(key).registers }

  /// The zones that know a name.
  func zones(knowing name: RecordName) throws -> [ZoneName] {
    let shared = try indices.sharedZones(knowing: name).compactMap { zoneNames[$0] }
    return try shared
      + zoneNumbers.keys.filter { try !$0.isShare && record(RecordKey($0, name)).registers != nil }
  }

  /// The zones in which a record leads to a name.
  func zones(leadingTo name: RecordName) throws -> [ZoneName] {
    try indices.zones(leadingTo: name).compactMap { zoneNames[$0] }
  }

  /// The records of a zone that lead to a name.
  func holders(of name: RecordName, in zone: ZoneName) throws -> [RecordName] {
    try zoneNumbers[zone].map { try indices.holders(of: name, in: $0, by: nil) } ?? []
  }

  /// The records of a zone that lead to a name by a property.
  func holders(of name: RecordName, in zone: ZoneName, by property: WireName) throws -> [RecordName] {
    try zoneNumbers[zone].map { try indices.holders(of: name, in: $0, by: property) } ?? []
  }

  /// The records of all zones that have a unique value.
  func records(with value: UniqueValue) throws -> [RecordKey] { try indices.records(with: value).compactMap(key) }

  /// The row that shows a record; nil for a record that is not shown.
  func row(showing key: RecordKey) throws -> RecordKey? { try record(key).row.flatMap(self.key) }

  /// The records that a row shows.
  func records(shownBy row: RecordKey) throws -> [RecordKey] {
    let record = try record(row)
    guard let own = zoneNumbers[row.zone] else { return [] }
    var found = record.row == StatePages.Key(own, row.name) ? [row] : []
    guard record.aliases > 0 else { return found }
    found += try tables.rows(
      .rowAliases, "\"zone\", \"name\"", "WHERE \"row_zone\" = ? AND \"row\" = ?",
      [.integer(Int64(own)), .blob(row.name.bytes)]
    ).compactMap { StatePages.Key($0[0], $0[1]).flatMap(key) }
    return found
  }

  /// The records of the log that name an asset.
  /// - Throws: an error of the store.
  func records(withAsset sha256: String) throws -> [RecordKey] { try indices.holders(ofAsset: sha256).compactMap(key) }

  /// The rows whose objects have another value, because no zone had the bytes.
  /// - Throws: an error of the store.
  func postponedRows() throws -> Set<RecordKey> {
    Set(try tables.rows(.postponedRows).compactMap { StatePages.Key($0[0], $0[1]).flatMap(key) })
  }

  /// Notes which rows these are.
  /// - Throws: an error of the store.
  func setPostponedRows(_ rows: Set<RecordKey>) throws {
    try tables.remove(.postponedRows, where: "1 = 1", [])
    try tables.put(
      .postponedRows,
      try rows.sorted().map { [.integer(Int64(try storedNumber(of: $0.zone))), .blob($0.name.bytes)] })
  }
}

/// A zone that the account can read.
struct KnownZone: Codable, Equatable {
  var isWritable: Bool
  /// Whether the replica has the state of the zone.
  var isWhole = false
  /// The position after the parts of the zone that were kept; nil for a zone that does not come in parts.
  var position: String?
  /// True while the rows begin to show a zone that came in parts.
  var isShowing: Bool?
  /// True for a share of the account that a restored server does not have, until the account's own zone is here.
  var isLost: Bool?
  /// The shared record; nil for the account's own zone.
  var root: RecordName?
  /// The account that made the share.
  var owner: String
  /// The newest generation of the zone's key that the account can get from the server; nil for none.
  var keyGeneration: Int?
  /// True if the account owns the zone and has to wrap its key for a participant, or to make a new one.
  var needsKeys: Bool?

  /// Whether not all records of the zone are shown yet.
  var isComing: Bool { !isWhole || position != nil || isShowing == true }
}

private struct StoredZone: Codable {
  var zoneName: ZoneName
  /// The rights of the account; nil for a zone that it cannot read any more.
  var info: KnownZone?

  init(_ zone: ZoneName, _ info: KnownZone?) { (zoneName, self.info) = (zone, info) }
}

/// The facts about a replica.
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
  /// Whether the log has more than was taken in. Nil says that it has not.
  var isBehind: Bool?
  /// The name of the list of zones that the replica has.
  var zoneList: String?
  /// The number of invitations in that list.
  var invitations: Int?
  var clock: HybridClock
  /// The difference between the server's time and the wall clock, in milliseconds.
  var clockOffset: Int64 = 0
  /// The number of the newest save of the user's store that was captured; nil before the replica looked at the store.
  var seenTransaction: Int64?
  /// How far the first scan of the store came; nil if it is over.
  var firstScan: FirstScan?
  /// The models that the rows were shown with.
  var models: String?
  /// The models that the tables of rows and of unique values were made with.
  var indexed: String?
  /// The properties that the rows were shown with, by class.
  var shownProperties: [String: [String]]?
  /// The number of transactions that wrote to the tables.
  var writes: Int64?
  /// Whether objects wait for records that left for a zone which comes in parts.
  var hasLeaving: Bool?
  /// The newest generation of each zone's key that values are shown with.
  var keyGenerations: [String: Int]?
  /// The zones whose keys a restored server may lack.
  var uncheckedKeys: Set<ZoneName>?
  /// The public keys of other accounts that the replica trusts: the first one that it saw of each.
  var trustedKeys: [String: Data]?
  /// The accounts that get no keys of a zone any more, by zone.
  var revoked: [String: Set<String>]?
  /// The generation of a zone's key that a removed account knows.
  var revokedGenerations: [String: Int]?

  init(session: UInt64) { clock = HybridClock(replica: session) }
}
#endif
