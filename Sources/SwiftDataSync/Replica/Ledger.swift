#if Sync
import Foundation
import SwiftData
import SyncProtocol

/// The bookkeeping of a replica: records with their states in the log, and what is still to be sent.
///
/// Changes are made in memory and written by ``save()``, all at once.
final class Ledger: RecordSource {
  let context: ModelContext
  /// Knows the old names of properties; nil for a ledger without unsent transactions.
  private let schema: SyncSchema?

  // MARK: - Mutable State
  // A ledger belongs to one replica and is used by one thread at a time.

  var replica: ReplicaState
  /// What the replica knows of zones.
  var places = KnownPlaces()
  /// The transactions that the log does not have yet, in order.
  private(set) var pending: [Pending] = []
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
  var uniques: [String: LedgerUnique?] = [:]

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

  static let models: [any PersistentModel.Type] = [
    LedgerPage.self, LedgerObjects.self, LedgerAlias.self, LedgerReference.self, LedgerUnique.self,
    LedgerPending.self, LedgerZone.self, LedgerAsset.self, LedgerConflict.self, LedgerReplica.self,
  ]

  /// - Parameter url: the file; nil is memory.
  /// - Throws: ``SwiftDataError`` if the file cannot be opened.
  static func container(at url: URL?) throws -> ModelContainer {
    let schema = Schema(models)
    var configuration =
      url.map { ModelConfiguration("sync", schema: schema, url: $0, cloudKitDatabase: .none) }
      ?? ModelConfiguration("sync", schema: schema, isStoredInMemoryOnly: true, cloudKitDatabase: .none)
    configuration.historyRetention = .seconds(60)
    // What it says about the user's store must be there before what it says happens.
    configuration.durability = .full
    return try ModelContainer(for: schema, configurations: configuration)
  }

  /// - Parameters:
  ///   - schema: the models that sync; nil for a ledger without unsent transactions.
  ///   - replica: makes the number of a new replica.
  init(_ container: ModelContainer, _ schema: SyncSchema? = nil, replica: () -> UInt64) throws {
    self.schema = schema
    context = ModelContext(container)
    if let row = try context.fetch(FetchDescriptor<LedgerReplica>()).first {
      self.replica = try SyncWire.decode(ReplicaState.self, from: row.state)
      guard self.replica.format == ReplicaState.format else { throw ReplicaError.otherFormat }
      self.replica.intent = try row.intent.map(ReplicaState.Intent.init)
    } else {
      self.replica = ReplicaState(replica: replica())
    }
    pages = try RecordPages(context)
    objectNames = ObjectNames(context)
    let rows = try context.fetch(FetchDescriptor<LedgerPending>(sortBy: [SortDescriptor(\.number)]))
    pending = try rows.map { row in
      let sent = try SyncTransaction(encoded: row.transaction)
      return Pending(
        number: row.number, zone: row.zone, sent: sent, transaction: schema?.current(sent) ?? sent,
        size: row.transaction.count)
    }
    for row in try context.fetch(FetchDescriptor<LedgerAlias>()) {
      aliases[RecordName(row.name)] = RecordName(row.target)
    }
    try readPlaces()
    newestName = try pages.newestName()
    pages.forget()
  }

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
    try writePages()
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

  func possibleReferrers(to target: RecordName) throws -> Set<Referrer> {
    let name = target.text
    let found = try context.fetch(
      FetchDescriptor<LedgerReference>(predicate: #Predicate<LedgerReference> { $0.target == name }))
    try prefetch(found.map { RecordName($0.owner) })
    return Set(found.map { Referrer(owner: RecordName($0.owner), property: $0.property) })
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
    for (name, state) in fold.states {
      let index = try slot(name)
      let old = try self.state(at: index)
      guard old != state else { continue }
      var record = records.values[index].record ?? LedgerRecord(entity: state.entity, zone: state.place)
      (record.entity, record.zone, record.state) = (state.entity, state.place, .value(state))
      records.values[index].record = record
      noteChange(index)
      try setAlias(state.alias, of: name)
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

  func setAlias(_ alias: RecordName?, of name: RecordName) throws {
    guard aliases[name] != alias else { return }
    let text = name.text
    for row in try context.fetch(FetchDescriptor<LedgerAlias>(predicate: #Predicate<LedgerAlias> { $0.name == text })) {
      context.delete(row)
    }
    if let alias { context.insert(LedgerAlias(name: text, target: alias.text)) }
    aliases[name] = alias
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
    var transaction = transaction
    transaction.keepEncoded()
    let data = transaction.encoded
    pending.append(
      Pending(
        number: number, zone: zone, sent: transaction, transaction: schema?.current(transaction) ?? transaction,
        size: data.count))
    context.insert(LedgerPending(number: number, zone: zone, transaction: data))
  }

  /// Removes transactions, but not their assets.
  func takePending(_ ids: Set<UUID>) throws -> [Pending] {
    let taken = pending.filter { ids.contains($0.transaction.id) }
    guard !taken.isEmpty else { return [] }
    let numbers = taken.map(\.number)
    pending.removeAll { ids.contains($0.transaction.id) }
    replica.replaced?.subtract(ids)
    try context.delete(model: LedgerPending.self, where: #Predicate<LedgerPending> { numbers.contains($0.number) })
    return taken
  }

  /// Puts other transactions in the place of those that are to be sent, with the same numbers.
  func replacePending(_ change: (SyncTransaction) throws -> SyncTransaction) throws {
    let rows = try context.fetch(FetchDescriptor<LedgerPending>(sortBy: [SortDescriptor(\.number)]))
    for (index, row) in rows.enumerated() where index < pending.count {
      let new = try change(pending[index].sent)
      guard new != pending[index].sent else { continue }
      (pending[index].sent, pending[index].transaction) = (new, schema?.current(new) ?? new)
      // The server may have the former contents, if an answer was lost.
      replica.replaced = (replica.replaced ?? []).union([new.id])
      row.transaction = new.encoded
      pending[index].size = row.transaction.count
    }
  }

  /// Writes all changes at once.
  /// - Parameter isHalf: whether the same records are written again at once, so that what is in memory is kept.
  func save(isHalf: Bool = false) throws {
    try writePlaces()
    var state = replica
    state.intent = nil
    let (data, intent) = (try SyncWire.encode(state), replica.intent?.encoded)
    if let row = try context.fetch(FetchDescriptor<LedgerReplica>()).first {
      if row.state != data { row.state = data }
      if row.intent != intent { row.intent = intent }
    } else {
      context.insert(LedgerReplica(state: data, intent: intent))
    }
    try writePages()
    try context.save()
    guard !isHalf else { return }
    (records, uniques) = (RecordMap(), [:])
    pages.forget()
    objectNames.forget()
  }

  /// Puts the records that changed into the context.
  private func writePages() throws {
    // They are nearly in order, because new names are later than old ones.
    changed.sort { records.names[$0] < records.names[$1] }
    try pages.write(changed.map { records.names[$0] }) { records.values[changed[$0]].record }
    for index in changed { records.values[index].isChanged = false }
    (changed, changedApart) = ([], [:])
    objectNames.write()
  }
}
#endif
