import Foundation
import SwiftData
import SyncProtocol

/// The bookkeeping of a replica: records with their states in the log, and what is still to be sent.
///
/// Changes are made in memory and written by ``save()``, all at once.
final class Ledger: RecordSource {
  let context: ModelContext

  // MARK: - Mutable State
  // A ledger belongs to one replica and is used by one thread at a time.

  var replica: ReplicaState
  /// The transactions that the log does not have yet, in order.
  private(set) var pending: [Pending] = []
  var aliases: [RecordName: RecordName] = [:]
  /// Rows and decoded states that were used since the last save.
  var rows: [RecordName: LedgerRecord?] = [:]
  var states: [RecordName: RecordState] = [:]
  /// The greatest name that has a row, or may have one; nil if there are no rows.
  private var newestName: RecordName?
  /// The holders of unique values that were used since the last save; an inner nil is a value without a holder.
  var uniques: [String: LedgerUnique?] = [:]

  struct Pending {
    let number: Int
    let zone: String
    var transaction: SyncTransaction
    /// The size of the encoded transaction, in bytes.
    var size: Int
  }

  static let models: [any PersistentModel.Type] = [
    LedgerRecord.self, LedgerReference.self, LedgerUnique.self, LedgerPending.self, LedgerAsset.self,
    LedgerConflict.self, LedgerReplica.self,
  ]

  /// - Parameter url: the file; nil is memory.
  /// - Throws: ``SwiftDataError`` if the file cannot be opened.
  static func container(at url: URL?) throws -> ModelContainer {
    let schema = Schema(models)
    var configuration =
      url.map { ModelConfiguration("sync", schema: schema, url: $0, cloudKitDatabase: .none) }
      ?? ModelConfiguration("sync", schema: schema, isStoredInMemoryOnly: true, cloudKitDatabase: .none)
    configuration.historyRetention = 60
    // What it says about the user's store must be there before what it says happens.
    configuration.durability = .full
    return try ModelContainer(for: schema, configurations: configuration)
  }

  /// - Parameter replica: makes the number of a new replica.
  init(_ container: ModelContainer, replica: () -> UInt64) throws {
    context = ModelContext(container)
    if let row = try context.fetch(FetchDescriptor<LedgerReplica>()).first {
      self.replica = try SyncWire.decode(ReplicaState.self, from: row.state)
    } else {
      self.replica = ReplicaState(replica: replica())
    }
    try load()
  }

  private func load() throws {
    let rows = try context.fetch(FetchDescriptor<LedgerPending>(sortBy: [SortDescriptor(\.number)]))
    pending = try rows.map {
      Pending(
        number: $0.number, zone: $0.zone, transaction: try SyncTransaction(encoded: $0.transaction),
        size: $0.transaction.count)
    }
    let merged = try context.fetch(
      FetchDescriptor<LedgerRecord>(predicate: #Predicate<LedgerRecord> { $0.alias != nil }))
    for row in merged { aliases[RecordName(row.name)] = row.alias.map(RecordName.init) }
    var newest = FetchDescriptor<LedgerRecord>(sortBy: [SortDescriptor(\.name, comparator: .lexical, order: .reverse)])
    newest.fetchLimit = 1
    newestName = try context.fetch(newest).first.map { RecordName($0.name) }
  }

  // MARK: - Records

  /// Reads the rows of records in few statements.
  ///
  /// Names begin with the time, so that a name behind the newest one has no row. Most names that arrive are such names.
  func prefetch(_ names: some Sequence<RecordName>) throws {
    var missing: [String] = []
    for name in names where rows[name] == nil {
      rows[name] = .some(nil)
      if let newest = newestName, name <= newest { missing.append(name.text) }
    }
    for start in stride(from: 0, to: missing.count, by: 500) {
      let part = Array(missing[start..<min(start + 500, missing.count)])
      let found = try context.fetch(
        FetchDescriptor<LedgerRecord>(predicate: #Predicate<LedgerRecord> { part.contains($0.name) }))
      for row in found { rows[RecordName(row.name)] = row }
    }
  }

  func row(_ name: RecordName) throws -> LedgerRecord? {
    if let row = rows[name] { return row }
    try prefetch([name])
    return rows[name] ?? nil
  }

  private func makeRow(_ name: RecordName, _ entity: String, zone: String) throws -> LedgerRecord {
    if let row = try row(name) { return row }
    let row = LedgerRecord(name: name.text, entity: entity, zone: zone)
    context.insert(row)
    rows[name] = row
    newestName = newestName.map { max($0, name) } ?? name
    return row
  }

  func state(_ name: RecordName) throws -> RecordState? {
    if let state = states[name] { return state }
    guard let data = try row(name)?.state else { return nil }
    let state = try RecordState(encoded: data)
    states[name] = state
    return state
  }

  func alias(_ name: RecordName) throws -> RecordName? { aliases[name] }

  func holder(of unique: String) throws -> RecordName? {
    try uniqueRow(unique).map { RecordName($0.record) }
  }

  private func uniqueRow(_ text: String) throws -> LedgerUnique? {
    if let known = uniques[text] { return known }
    try prefetch(uniques: [text])
    return uniques[text] ?? nil
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
    for start in stride(from: 0, to: missing.count, by: 500) {
      let part = Array(missing[start..<min(start + 500, missing.count)])
      for text in part { uniques[text] = .some(nil) }
      let found = try context.fetch(
        FetchDescriptor<LedgerUnique>(predicate: #Predicate<LedgerUnique> { part.contains($0.text) }))
      for row in found { uniques[row.text] = row }
    }
  }

  /// All records that have unique values, by the texts of these.
  func holders() throws -> [String: RecordName] {
    let rows = try context.fetch(FetchDescriptor<LedgerUnique>())
    return Dictionary(rows.map { ($0.text, RecordName($0.record)) }) { first, _ in first }
  }

  func referrers(to target: RecordName) throws -> Set<Referrer> {
    let name = target.text
    let found = try context.fetch(
      FetchDescriptor<LedgerReference>(predicate: #Predicate<LedgerReference> { $0.target == name }))
    try prefetch(found.map { RecordName($0.owner) })
    return Set(found.map { Referrer(owner: RecordName($0.owner), property: $0.property) })
  }

  // MARK: - Objects

  func object(of name: RecordName) throws -> String? { try row(name)?.object }

  /// Notes the object of a record that has just got its name, so that there is no row yet.
  func addObject(_ object: String, of name: RecordName, _ entity: String) throws {
    rows[name] = .some(nil)
    try setObject(object, of: name, entity, zone: SyncWire.privateZone)
  }

  func setObject(_ object: String?, of name: RecordName, _ entity: String, zone: String) throws {
    if object == nil, try row(name) == nil { return }
    try makeRow(name, entity, zone: zone).object = object
  }

  /// The records that objects are, by the texts of their identifiers.
  func names(of objects: [String]) throws -> [String: RecordName] {
    var names: [String: RecordName] = [:]
    for start in stride(from: 0, to: objects.count, by: 500) {
      let part: [String?] = objects[start..<min(start + 500, objects.count)].map(Optional.some)
      let found = try context.fetch(
        FetchDescriptor<LedgerRecord>(predicate: #Predicate<LedgerRecord> { part.contains($0.object) }))
      for row in found {
        rows[RecordName(row.name)] = row
        if let object = row.object { names[object] = RecordName(row.name) }
      }
    }
    return names
  }

  /// All records that are objects of a class.
  func objects(of entity: String) throws -> [(name: RecordName, object: String)] {
    let found = try context.fetch(
      FetchDescriptor<LedgerRecord>(predicate: #Predicate<LedgerRecord> { $0.entity == entity && $0.object != nil }))
    return found.compactMap { row in row.object.map { (RecordName(row.name), $0) } }
  }

  /// The names of all records of a class that the log has.
  func records(of entity: String) throws -> [RecordName] {
    let found = try context.fetch(
      FetchDescriptor<LedgerRecord>(predicate: #Predicate<LedgerRecord> { $0.entity == entity && $0.state != nil }))
    return found.map { RecordName($0.name) }
  }

  /// How many records the log has that are not deleted.
  func recordCount() throws -> Int {
    try context.fetchCount(FetchDescriptor<LedgerRecord>(predicate: #Predicate<LedgerRecord> { $0.object != nil }))
  }

  func held(_ name: RecordName) throws -> [String: FieldValue] {
    guard let data = try row(name)?.held else { return [:] }
    return try SyncWire.decode([String: FieldValue].self, from: data)
  }

  func setHeld(_ values: [String: FieldValue], of name: RecordName) throws {
    try row(name)?.held = values.isEmpty ? nil : try SyncWire.encode(values)
  }

  // MARK: - Writing

  /// Takes over what a fold of the log changed.
  func take(_ fold: Fold, zone: String) throws {
    try prefetch(fold.states.keys)
    for (name, state) in fold.states {
      let old = try self.state(name)
      guard old != state else { continue }
      let row = try makeRow(name, state.entity, zone: zone)
      row.state = state.encoded
      row.entity = state.entity
      if let zone = state.home.map(self.zone(ofHome:)), row.zone != zone { row.zone = zone }
      if row.alias != state.alias?.text { row.alias = state.alias?.text }
      aliases[name] = state.alias
      states[name] = state
      try write(state.references, of: name, old?.references ?? [])
    }
    try prefetch(uniques: Set(fold.uniques.keys))
    for (text, holder) in fold.uniques {
      switch (try uniqueRow(text), holder) {
      case (let found?, let holder?): if found.record != holder.text { found.record = holder.text }
      case (nil, let holder?):
        let row = LedgerUnique(text: text, record: holder.text)
        context.insert(row)
        uniques[text] = row
      case (let found?, nil):
        context.delete(found)
        uniques[text] = .some(nil)
      case (nil, nil): break
      }
    }
  }

  private func write(
    _ new: Set<RecordState.Reference>, of name: RecordName, _ old: Set<RecordState.Reference>
  ) throws {
    guard new != old else { return }
    if !old.isEmpty {
      let owner = name.text
      let rows = try context.fetch(
        FetchDescriptor<LedgerReference>(predicate: #Predicate<LedgerReference> { $0.owner == owner }))
      for row in rows where !new.contains(.init(row.property, RecordName(row.target))) { context.delete(row) }
    }
    for reference in new.subtracting(old) {
      context.insert(
        LedgerReference(owner: name.text, property: reference.property, target: reference.target.text))
    }
  }

  /// Adds a transaction to those that are to be sent.
  func append(_ transaction: SyncTransaction, zone: String) throws {
    let number = replica.nextPending
    replica.nextPending += 1
    let data = transaction.encoded
    pending.append(Pending(number: number, zone: zone, transaction: transaction, size: data.count))
    context.insert(LedgerPending(number: number, zone: zone, transaction: data))
  }

  /// Removes transactions that the log has now.
  func removePending(_ ids: Set<UUID>) throws {
    let numbers = pending.filter { ids.contains($0.transaction.id) }.map(\.number)
    guard !numbers.isEmpty else { return }
    pending.removeAll { ids.contains($0.transaction.id) }
    try context.delete(model: LedgerPending.self, where: #Predicate<LedgerPending> { numbers.contains($0.number) })
  }

  /// Puts other transactions in the place of those that are to be sent, with the same numbers.
  func replacePending(_ change: (SyncTransaction) throws -> SyncTransaction) throws {
    let rows = try context.fetch(FetchDescriptor<LedgerPending>(sortBy: [SortDescriptor(\.number)]))
    for (index, row) in rows.enumerated() where index < pending.count {
      let new = try change(pending[index].transaction)
      guard new != pending[index].transaction else { continue }
      pending[index].transaction = new
      row.transaction = new.encoded
      pending[index].size = row.transaction.count
    }
  }

  /// Writes all changes at once.
  /// - Parameter isHalf: whether the same records are written again at once, so that what is in memory is kept.
  func save(isHalf: Bool = false) throws {
    let data = try SyncWire.encode(replica)
    if let row = try context.fetch(FetchDescriptor<LedgerReplica>()).first {
      if row.state != data { row.state = data }
    } else {
      context.insert(LedgerReplica(state: data))
    }
    try context.save()
    if !isHalf { (rows, states, uniques) = ([:], [:], [:]) }
  }

  /// Forgets the changes since the last save.
  func rollback() throws {
    context.rollback()
    (rows, states, uniques) = ([:], [:], [:])
    if let row = try context.fetch(FetchDescriptor<LedgerReplica>()).first {
      replica = try SyncWire.decode(ReplicaState.self, from: row.state)
    }
    aliases = [:]
    try load()
  }

  // MARK: - Assets

  func keepAsset(_ sha256: String, _ bytes: Data, isOutgoing: Bool) throws {
    guard try asset(sha256) == nil else { return }
    context.insert(LedgerAsset(sha256: sha256, bytes: bytes, isOutgoing: isOutgoing))
  }

  func asset(_ sha256: String) throws -> Data? {
    try context.fetch(FetchDescriptor<LedgerAsset>(predicate: #Predicate<LedgerAsset> { $0.sha256 == sha256 }))
      .first?.bytes
  }

  /// Removes assets that have arrived where they were sent to.
  func dropAssets(_ names: [String]) throws {
    guard !names.isEmpty else { return }
    for row in try context.fetch(
      FetchDescriptor<LedgerAsset>(predicate: #Predicate<LedgerAsset> { names.contains($0.sha256) }))
    { context.delete(row) }
  }

  // MARK: - Conflicts

  func log(_ conflict: Fold.Conflict, at date: Date) throws {
    context.insert(
      LedgerConflict(
        date: date, record: conflict.record.text, entity: conflict.entity, property: conflict.property,
        lost: conflict.lost.encoded, kept: conflict.kept.encoded))
  }

  func conflicts() throws -> [LedgerConflict] {
    try context.fetch(FetchDescriptor<LedgerConflict>(sortBy: [SortDescriptor(\.date)]))
  }

  func dropConflicts(before date: Date) throws {
    try context.delete(model: LedgerConflict.self, where: #Predicate<LedgerConflict> { $0.date < date })
  }
}
