#if Sync
import Foundation
import SwiftData
import SyncProtocol

/// The bookkeeping of a replica: records with their states in the log, and what is still to be sent.
///
/// All changes belong to a transaction of the database. Records, objects and what the replica knows of itself are in memory until
/// ``save()``; the rest is written at once. After a transaction that failed, the memory is worth nothing, and a new ledger has to be made.
final class Ledger: RecordSource {
  let tables: SyncTables
  /// Knows the old names of properties; nil for a ledger without unsent transactions.
  private let schema: SyncSchema?

  // MARK: - Mutable State
  // A ledger belongs to one replica and is used by one thread at a time.

  var replica: ReplicaState
  /// What the replica knows of zones.
  var places = KnownPlaces()
  /// The transactions that the log does not have yet, in order.
  private(set) var pending: [Pending] = []
  private var pendingIDs: Set<UUID> = []
  var aliases: [RecordName: RecordName] = [:]
  /// The records that were used since the last save.
  private(set) var records = RecordMap<Slot>()
  /// The indices of the records that are not in the pages as they are in memory.
  private var changed: [Int] = []
  /// The zones of those that are kept apart, by record.
  private(set) var changedApart: [RecordName: Set<String>] = [:]
  let pages: RecordPages
  private let objectNames: ObjectNames
  /// The greatest name that has a record, or may have one; nil if there are no records.
  private(set) var newestName: RecordName?
  /// The holders of unique values that were used since the last save; an inner nil is a value without a holder.
  private var uniques: [String: RecordName?] = [:]
  /// The state of the replica as its row has it.
  private var writtenState: Data?

  /// A record in memory; nil for a name without one.
  struct Slot {
    fileprivate(set) var record: LedgerRecord?
    fileprivate(set) var isChanged = false
  }

  struct Pending {
    let number: Int
    let zone: String
    /// What is sent. A program with older models may have made it.
    fileprivate(set) var sent: SyncTransaction
    /// What is sent, with the names that properties have now.
    fileprivate(set) var transaction: SyncTransaction
    /// The size of the encoded transaction, in bytes.
    fileprivate(set) var size: Int
  }

  /// - Parameters:
  ///   - schema: the models that sync; nil for a ledger without unsent transactions.
  ///   - replica: makes the number of a new replica.
  init(_ tables: SyncTables, _ schema: SyncSchema? = nil, replica: () -> UInt64) throws {
    (self.tables, self.schema) = (tables, schema)
    try tables.database.transaction { try tables.make() }
    if let data = try tables.rows(.replica).first?[1].syncData {
      self.replica = try SyncWire.decode(ReplicaState.self, from: data)
      guard self.replica.format == ReplicaState.format else { throw ReplicaError.otherFormat }
      writtenState = data
    } else {
      self.replica = ReplicaState(replica: replica())
    }
    pages = try RecordPages(tables)
    objectNames = ObjectNames(tables)
    pending = try tables.rows(.pending, nil, "ORDER BY 1").map { row in
      let data = row[2].syncData ?? Data()
      let sent = try SyncTransaction(encoded: data)
      return Pending(
        number: Int(row[0].syncInteger ?? 0), zone: row[1].syncText, sent: sent,
        transaction: schema?.current(sent) ?? sent, size: data.count)
    }
    pendingIDs = Set(pending.map(\.transaction.id))
    for row in try tables.rows(.aliases) { aliases[RecordName(row[0].syncText)] = RecordName(row[1].syncText) }
    try readPlaces()
    newestName = try pages.newestName()
    pages.forget()
  }

  private func cell(_ text: String) -> SQLValue { tables.database.cell(text) }

  // MARK: - Records

  /// Whether it knows of no record.
  var isEmpty: Bool { newestName == nil }

  /// Reads records in few statements.
  ///
  /// Names begin with the time, so that a name behind the newest one has no record. Most names that arrive are such names.
  func prefetch(_ names: some Sequence<RecordName>) throws {
    var missing: [Int] = []
    records.reserve(records.count + names.underestimatedCount)
    for name in names {
      let (index, isNew) = records.insert(name, Slot())
      if isNew, let newest = newestName, name <= newest { missing.append(index) }
    }
    guard !missing.isEmpty else { return }
    try pages.load(missing.lazy.map { self.records.names[$0] })
    for index in missing { records.values[index].record = try pages.record(records.names[index]) }
  }

  /// The index of a record in ``records``.
  private func slot(_ name: RecordName) throws -> Int {
    if let index = records.index(of: name) { return index }
    try prefetch(CollectionOfOne(name))
    return records.count - 1
  }

  private func record(_ name: RecordName) throws -> LedgerRecord? { try records.values[slot(name)].record }

  /// Changes a record, if there is one.
  func change(_ name: RecordName, _ body: (inout LedgerRecord) throws -> Void) throws {
    let index = try slot(name)
    guard records.values[index].record != nil else { return }
    try body(&records.values[index].record!)
    noteChange(index)
  }

  private func noteChange(_ index: Int) {
    if !records.values[index].isChanged { changed.append(index) }
    records.values[index].isChanged = true
    guard records.values[index].record != nil else { return }
    let name = records.names[index]
    if let zone = name.zoneApart { changedApart[name.joined, default: []].insert(zone) }
    if newestName.map({ $0 < name }) ?? true { newestName = name }
  }

  func remove(_ name: RecordName) throws {
    let index = try slot(name)
    if let object = records.values[index].record?.object { try objectNames.remove(object, name) }
    records.values[index].record = nil
    noteChange(index)
  }

  /// Reads all records in the order of their names.
  func forEach(_ body: (RecordName, LedgerRecord) throws -> Void) throws {
    try putRecords()
    try pages.forEach(body)
  }

  func state(_ name: RecordName) throws -> RecordState? {
    try state(at: slot(name))
  }

  private func state(at index: Int) throws -> RecordState? {
    switch records.values[index].record?.state {
    case nil: return nil
    case .value(let state): return state
    case .bytes(let data):
      let state = try RecordState(encoded: data)
      records.values[index].record!.state = .value(state)
      return state
    }
  }

  func alias(_ name: RecordName) throws -> RecordName? { aliases[name] }

  func holder(of unique: String) throws -> RecordName? {
    if let known = uniques[unique] { return known }
    try prefetch(uniques: [unique])
    return uniques[unique] ?? nil
  }

  /// Reads the holders of the unique values that changes write, in few statements.
  func prefetchUniques(_ changes: some Sequence<RecordChange>, _ schema: SyncSchema) throws {
    let texts = changes.flatMap { change in
      UniqueText.all(of: change.entity, schema) { change.fields[$0]?.value }
    }
    try prefetch(uniques: Set(texts))
  }

  private func prefetch(uniques texts: Set<String>) throws {
    let missing = texts.filter { uniques[$0] == nil }.sorted()
    guard !missing.isEmpty else { return }
    for text in missing { uniques[text] = .some(nil) }
    for row in try tables.rows(.uniques, where: "hash", in: missing.map { cell(Self.hash($0)) }) {
      uniques[Self.uniqueText(row)] = RecordName(row[2].syncText)
    }
  }

  /// What a unique value is found by: a short text itself, or the hash of a long one.
  private static func hash(_ text: String) -> String {
    text.utf8.count <= 200 ? text : "#" + UserStore.sha256(Data(text.utf8))
  }

  /// The row of a unique value.
  static func row(_ text: String, _ holder: String, _ database: SyncDatabase) -> [SQLValue] {
    let hash = hash(text)
    return [database.cell(hash), hash == text ? .null : database.cell(text), database.cell(holder)]
  }

  private static func uniqueText(_ row: [SQLValue]) -> String { (row[1] == .null ? row[0] : row[1]).syncText }

  /// All records that have unique values, by the texts of these.
  func holders() throws -> [String: RecordName] {
    let rows = try tables.rows(.uniques).map { (Self.uniqueText($0), RecordName($0[2].syncText)) }
    return Dictionary(rows) { first, _ in first }
  }

  func possibleReferrers(to target: RecordName) throws -> Set<Referrer> {
    let found = try tables.rows(.references, where: "target", in: [cell(target.text)])
      .map { Referrer(owner: RecordName($0[0].syncText), property: $0[1].syncText) }
    try prefetch(found.map(\.owner))
    return Set(found)
  }

  // MARK: - Objects

  func object(of name: RecordName) throws -> String? { try record(name)?.object }

  /// Notes the object of a record that has just got its name, so that there is no record yet.
  func addObject(_ object: String, of name: RecordName, _ entity: String) throws {
    try objectNames.set(object, name)
    let index = records.insert(name, Slot()).index
    records.values[index].record = LedgerRecord(entity: entity, zone: SyncWire.privateZone)
    records.values[index].record!.object = object
    noteChange(index)
  }

  /// Reads what ``setObject(_:of:_:zone:)`` needs of objects, in few statements.
  func prefetch(objects: [String]) throws { _ = try objectNames.names(of: objects) }

  func setObject(_ object: String?, of name: RecordName, _ entity: String, zone: String) throws {
    let index = try slot(name)
    guard object != nil || records.values[index].record != nil else { return }
    if let old = records.values[index].record?.object, old != object { try objectNames.remove(old, name) }
    if let object { try objectNames.set(object, name) }
    if records.values[index].record == nil { records.values[index].record = LedgerRecord(entity: entity, zone: zone) }
    records.values[index].record!.object = object
    noteChange(index)
  }

  /// The records that objects are, by the texts of their identifiers; nil for an object that is no record.
  func names(of objects: [String]) throws -> [RecordName?] {
    let names = try objectNames.names(of: objects)
    try prefetch(names.compactMap(\.self))
    return names
  }

  /// All records that are objects of a class.
  func objects(of entity: String) throws -> [(name: RecordName, object: String)] {
    var found: [(RecordName, String)] = []
    try forEach { name, record in
      if let object = record.object, record.entity == entity { found.append((name, object)) }
    }
    return found
  }

  func held(_ name: RecordName) throws -> [String: FieldValue] {
    guard let data = try record(name)?.held else { return [:] }
    return try SyncWire.decode([String: FieldValue].self, from: data)
  }

  func setHeld(_ values: [String: FieldValue], of name: RecordName) throws {
    let data = values.isEmpty ? nil : try SyncWire.encode(values)
    try change(name) { $0.held = data }
  }

  // MARK: - Writing

  /// Takes over what a fold of the log changed.
  func take(_ fold: Fold) throws {
    try prefetch(fold.states.names)
    var led: [[SQLValue]] = []
    for (name, state) in fold.states {
      let index = try slot(name)
      let old = try self.state(at: index)
      guard old != state else { continue }
      var record = records.values[index].record ?? LedgerRecord(entity: state.entity, zone: state.place)
      (record.entity, record.zone, record.state) = (state.entity, state.place, .value(state))
      records.values[index].record = record
      noteChange(index)
      try setAlias(state.alias, of: name)
      let (new, former) = (state.references, old?.references ?? [])
      guard new != former else { continue }
      // A list may lead to many.
      let owner = cell(name.text)
      for gone in former.subtracting(new) {
        try tables.remove(
          .references, where: "owner = ? AND property = ? AND target = ?",
          [owner, cell(gone.property), cell(gone.target.text)])
      }
      led += new.subtracting(former).map { [owner, cell($0.property), cell($0.target.text)] }
    }
    try tables.put(.references, led)
    var (gone, held): ([SQLValue], [[SQLValue]]) = ([], [])
    try prefetch(uniques: Set(fold.uniques.keys))
    for (text, holder) in fold.uniques where try self.holder(of: text) != holder {
      uniques[text] = .some(holder)
      if let holder {
        held.append(Self.row(text, holder.text, tables.database))
      } else {
        gone.append(cell(Self.hash(text)))
      }
    }
    try tables.remove(.uniques, where: "hash", in: gone)
    try tables.put(.uniques, held)
  }

  func setAlias(_ alias: RecordName?, of name: RecordName) throws {
    guard aliases[name] != alias else { return }
    if let alias {
      try tables.put(.aliases, [[cell(name.text), cell(alias.text)]])
    } else {
      try tables.remove(.aliases, where: "name", in: [cell(name.text)])
    }
    aliases[name] = alias
  }

  /// Whether the log does not have a transaction of this store yet.
  func isPending(_ id: UUID) -> Bool { pendingIDs.contains(id) }

  /// Adds a transaction to those that are to be sent.
  func append(_ transaction: SyncTransaction, zone: String) throws {
    let number = replica.nextPending
    replica.nextPending += 1
    var transaction = transaction
    transaction.keepEncoded()
    let data = transaction.encoded
    pending.append(
      Pending(
        number: number, zone: zone, sent: transaction, transaction: schema?.current(transaction) ?? transaction,
        size: data.count))
    pendingIDs.insert(transaction.id)
    try tables.put(.pending, [[.integer(Int64(number)), cell(zone), .blob(data)]])
  }

  /// Removes transactions, but not their assets.
  func takePending(_ ids: Set<UUID>) throws -> [Pending] {
    let taken = pending.filter { ids.contains($0.transaction.id) }
    guard !taken.isEmpty else { return [] }
    pending.removeAll { ids.contains($0.transaction.id) }
    pendingIDs.subtract(ids)
    replica.replaced?.subtract(ids)
    try tables.remove(.pending, where: "number", in: taken.map { .integer(Int64($0.number)) })
    return taken
  }

  /// Puts other transactions in the place of those that are to be sent, with the same numbers.
  func replacePending(_ change: (SyncTransaction) throws -> SyncTransaction) throws {
    for index in pending.indices {
      let new = try change(pending[index].sent)
      guard new != pending[index].sent else { continue }
      (pending[index].sent, pending[index].transaction) = (new, schema?.current(new) ?? new)
      // The server may have the former contents, if an answer was lost.
      replica.replaced = (replica.replaced ?? []).union([new.id])
      let data = new.encoded
      pending[index].size = data.count
      let (number, zone) = (pending[index].number, pending[index].zone)
      try tables.put(.pending, [[.integer(Int64(number)), cell(zone), .blob(data)]])
    }
  }

  /// Writes what is in memory, and forgets what was only read.
  func save() throws {
    try writePlaces()
    let data = try SyncWire.encode(replica)
    if data != writtenState { try tables.put(.replica, [[.integer(1), .blob(data)]]) }
    writtenState = data
    try putRecords()
    try pages.write()
    try objectNames.write()
    forgetRead()
  }

  /// Forgets what was only read. What changed has to be saved.
  func forgetRead() {
    (records, uniques) = (RecordMap(), [:])
    pages.forget()
    objectNames.forget()
  }

  /// Forgets the holders of unique values that were read.
  func forgetUniques() { uniques = [:] }

  /// Puts the records that changed into their pages.
  private func putRecords() throws {
    // They are nearly in order, because new names are later than old ones.
    changed.sort { records.names[$0] < records.names[$1] }
    try pages.put(changed.map { records.names[$0] }) { records.values[changed[$0]].record }
    for index in changed { records.values[index].isChanged = false }
    (changed, changedApart) = ([], [:])
  }
}
#endif
