#if Sync
import Foundation
import SwiftData
import SyncProtocol

extension Replica {
  /// Takes in entries of a zone's log: whole transactions, in order, with what the log does not have yet on top.
  ///
  /// Entries that were taken in already are left out.
  /// - Parameters:
  ///   - snapshot: the number of the snapshot that the entries are parts of; nil for entries of the log.
  ///   - sent: unsent transactions that the snapshot has.
  /// - Throws: ``ReplicaError`` if entries are missing; ``MissingAsset`` if the bytes of a value are not here; an error of a store. Then
  ///   nothing was taken in of the batch that failed.
  func integrate(_ entries: [LogEntry], zone: String, snapshot: Int64? = nil, sent: Set<UUID> = []) throws {
    let position = position(zone)
    guard ledger.places.fits(snapshot, zone) else { return }
    let fresh = entries.filter { $0.sequence > position }.map(user.schema.current)
    guard let first = fresh.first else { return }
    // A snapshot begins with any number.
    guard first.sequence == position + 1 || (snapshot != nil && position == 0),
      zip(fresh, fresh.dropFirst()).allSatisfy({ $0.sequence + 1 == $1.sequence })
    else {
      throw ReplicaError(description: "the log of the zone \(zone) has a gap behind \(position)")
    }
    let batches = batches(fresh)
    for (index, entries) in batches.enumerated() {
      try integrate(
        Batch(
          zone: zone, entries: entries.map { $0.readable(in: zone) }, snapshot: snapshot,
          sent: index == batches.count - 1 ? sent : []))
    }
  }

  /// How many changes of others a batch has at most, if they are of several transactions. Saves of the program wait for a batch.
  private static let batchSize = 1000

  /// Divides entries of others into batches that take a short time, and where a resolver has to be asked: this replica made its
  /// transaction without those of others that the log has before it. It is pending while these are taken in, as one that was not sent yet.
  private func batches(_ entries: [LogEntry]) -> [[LogEntry]] {
    var batches: [[LogEntry]] = []
    var size = 0
    for entry in entries {
      let isOwn = isOwn(entry.transaction)
      size += isOwn ? 0 : entry.transaction.changes.count
      if let last = batches.last?.last, size <= Self.batchSize,
        resolvers.isEmpty || !isOwn || self.isOwn(last.transaction)
      {
        batches[batches.count - 1].append(entry)
      } else {
        batches.append([entry])
        size = isOwn ? 0 : entry.transaction.changes.count
      }
    }
    return batches
  }

  /// Takes in a batch, after what the program saved.
  private func integrate(_ batch: Batch) throws {
    let isOwn = !batch.entries.isEmpty && batch.entries.allSatisfy { self.isOwn($0.transaction) }
    // What others made might have to become one with objects that were not looked at yet.
    if !isOwn { try scan() }
    let failure = try transaction {
      _ = try isOwn ? scanSaves() : scan()
      let failure = try write(batch)
      try followOwners()
      return failure
    }
    if let failure { throw failure }
  }

  /// Brings the user's store to the view after unsent changes were replaced: they may lose now where they won.
  func showReplaced() throws {
    do {
      _ = try write(Batch(zone: SyncWire.privateZone))
      try followOwners()
    } catch is MissingAsset {
      // ``catchUp()`` shows them: bytes have to be fetched for it.
      try rebuildView()
      for name in ledger.pending.flatMap({ $0.transaction.changes.map(\.record) }) {
        ledger.replica.noteToShow(name.subject ?? name)
      }
    }
  }

  /// - Returns: the error of a resolver.
  private func write(_ batch: Batch) throws -> (any Error)? {
    let (entries, zone) = (batch.entries, batch.zone)
    try prefetch(entries)
    try ledger.prefetchUniques(entries.lazy.flatMap(\.transaction.changes), user.schema)
    let shadow = makeFold(over: ledger)
    shadow.reserve(entries.reduce(0) { $0 + $1.transaction.changes.count })
    for entry in entries { try shadow.apply(entry, zone: zone) }
    let own = ledger.pending.filter { $0.zone == zone }.prefix(entries.count).map(\.transaction.id)
    let late = try late(entries, zone: zone, shadow)
    if !entries.isEmpty, own == entries.map(\.transaction.id), ledger.pending.allSatisfy({ $0.zone == zone }),
      late.isEmpty
    {
      // Nothing of others came in between: the user's store and the view show it already.
      try finish(batch, shadow, seen: nil, late: late)
      if ledger.pending.isEmpty { try rebuildView() }
      return nil
    }
    let contested = try contested(entries, zone, shadow)
    try keepAssets(of: contested)
    return try write(shadow, batch, without: batch.taken, late: late, contested)
  }

  /// Brings the user's store to what a fold of the log says, with what is unsent on top, and the ledger to the fold.
  /// - Parameters:
  ///   - batch: what the fold has and the ledger does not have yet.
  ///   - sent: transactions that the fold has already.
  ///   - late: what follows from the batch for other zones.
  ///   - contested: the conflicts of the batch that resolvers decide.
  ///   - records: records that may differ beside those that the fold changed.
  ///   - undone: the properties of records whose changes were undone.
  /// - Returns: the error of a resolver. It does not keep the batch from being taken in.
  @discardableResult
  func write(
    _ shadow: Fold, _ batch: Batch, without sent: Set<UUID> = [], late: LateChanges = LateChanges(),
    _ contested: [Contested] = [], also records: Set<RecordName> = [], undone: [RecordName: Set<String>] = [:]
  ) throws -> (any Error)? {
    let new = try makeFold(over: shadow, without: sent, late)
    let materializer = Materializer(self, new, undone: undone)
    var (touched, lists) = try reach(shadow, new)
    touched.insert(records)
    lists.insert(try self.lists(around: records, new))
    try materializer.run(touched.names.sorted(), lists: lists)
    let seen = try save(materializer)
    try note(materializer, new, zone: batch.zone)
    let failure = try resolve(contested)
    try finish(batch, shadow, seen: seen, late: late)
    try rebuildView()
    return failure
  }

  /// Saves what was written to the user's store.
  /// - Returns: the number of the save, if it is of this transaction. Other saves may have come before it otherwise.
  private func save(_ materializer: Materializer) throws -> Int64? {
    guard materializer.context.hasChanges else { return nil }
    try checkpoint(.writing)
    try materializer.context.save()
    try checkpoint(.writing)
    return user.transactionStore == nil ? nil : try user.newestTransaction()
  }

  /// What the user's store shows after a batch: a fold with the batch, and on top what is not in the log yet.
  /// - Parameters:
  ///   - sent: transactions that the fold has already.
  ///   - late: what follows from the batch for other zones.
  func makeFold(over shadow: Fold, without sent: Set<UUID>, _ late: LateChanges) throws -> Fold {
    let fold = makeFold(over: shadow)
    for pending in ledger.pending where !sent.contains(pending.transaction.id) {
      try fold.apply(pending.transaction.changes, zone: pending.zone)
    }
    for (zone, changes) in late.changes { try fold.apply(changes, zone: zone) }
    return fold
  }

  /// Notes which records are which objects now.
  private func note(_ materializer: Materializer, _ view: Fold, zone: String) throws {
    try noteMoves(materializer.moved, view, zone: zone)
    let inserted = materializer.inserted.compactMap { name -> (name: RecordName, identifier: PersistentIdentifier)? in
      guard let object = materializer.object(of: name), !object.isDeleted else { return nil }
      return (name, object.persistentModelID)
    }
    let texts = inserted.map { UserStore.text($0.identifier) }
    try ledger.prefetch(objects: texts)
    for ((name, identifier), text) in zip(inserted, texts) {
      try ledger.setObject(text, of: name, identifier.entityName, zone: zone)
    }
    for name in materializer.removed { try ledger.setObject(nil, of: name, "", zone: zone) }
    for (name, values) in materializer.held { try ledger.setHeld(values, of: name) }
    for name in materializer.postponed { ledger.replica.noteToShow(name) }
    postponed.formUnion(materializer.postponed)
  }

  /// Gives the objects of merged records to the records that survive.
  func noteMoves(_ moves: [Batch.Move], _ view: Fold, zone: String) throws {
    for move in moves {
      let entity = try view.state(move.to)?.entity ?? ""
      try ledger.setObject(nil, of: move.from, entity, zone: zone)
      try ledger.setObject(move.object, of: move.to, entity, zone: zone)
    }
  }

  /// The records and lists that look different now.
  private func reach(
    _ shadow: Fold, _ new: Fold
  ) throws -> (records: RecordList, lists: ChangedLists) {
    var touched = RecordList()
    var lists = ChangedLists()
    var arrived = Set<RecordName>()
    var names = RecordList()
    for fold in [shadow, new] + viewFolds {
      names.reserve(names.count + fold.states.count)
      names.insert(fold.states.names)
    }
    try ledger.prefetch(names.names)
    for name in names.names {
      let (old, now) = (try view.state(name), try new.state(name))
      let isMissing = try now?.isAlive == true && ledger.object(of: name) == nil
      // A record whose object could not be made has none. If the program inserts such an object, its new record becomes an alias of the
      // known record. The alias then hands its object over.
      let hasOthersObject = try now?.alias != nil && ledger.object(of: name) != nil
      guard old != now || isMissing || hasOthersObject else { continue }
      if let subject = name.subject {
        // The object of another record shows what changed, if it is here already.
        let record = try new.resolve(subject)
        if old != now, try new.isAlive(record) { touched.insert(record) }
        continue
      }
      touched.insert(name)
      guard let now, let entity = user.schema[now.entity] else { continue }
      // A record that was not shown, though it was known, comes back into lists. One that went to another zone owns only what is there.
      let shown = old?.isAlive == true && !isMissing && old?.zone == now.zone ? old : nil
      if now.isAlive {
        lists.insert(try self.lists(of: name, now, entity, since: shown))
        if old?.isAlive != true || old?.zone != now.zone, entity.isTarget { arrived.insert(name) }
      }
      for reference in changedReferences(now.isAlive ? shown : old, now) {
        guard let property = entity.properties[reference.property] else { continue }
        if let inverse = user.schema.inverse(of: property), inverse.kind != .derivedReference {
          let list = RecordState.Reference(inverse.name, try new.resolve(reference.target))
          if shown == nil, now.isAlive { lists.insert(list, member: name) } else { lists.insert([list]) }
        }
        guard property.kind == .reference, property.isExclusive else { continue }
        for referrer in try new.referrers(to: reference.target) where referrer.property == property.name {
          touched.insert(referrer.owner)
        }
      }
    }
    if !arrived.isEmpty {
      // A record of an earlier part of a large store, or of another zone, may have led to one of these before it came.
      touched.insert(try ledger.owners(leadingTo: arrived))
      for (name, state) in new.states where state.references.contains(where: { arrived.contains($0.target) }) {
        touched.insert(name)
      }
      for name in touched.names {
        guard let state = try new.state(name), let entity = user.schema[state.entity] else { continue }
        for reference in state.references where arrived.contains(reference.target) {
          if entity.properties[reference.property]?.kind == .members { lists.insert([.init(reference.property, name)]) }
        }
      }
    }
    return (touched, lists)
  }

  /// A record's own to-manys that changed; all of them where it was not there.
  private func lists(
    of name: RecordName, _ state: RecordState, _ entity: SyncSchema.Entity, since old: RecordState?
  ) throws -> [RecordState.Reference] {
    entity.lists.compactMap { property in
      guard let old else { return .init(property.name, name) }
      guard property.kind == .members, old.members[property.name] != state.members[property.name] else { return nil }
      return .init(property.name, name)
    }
  }

  /// What a record leads to now and did not before, or the other way round, or with another place.
  private func changedReferences(_ old: RecordState?, _ now: RecordState) -> Set<RecordState.Reference> {
    let (before, after) = (old?.references ?? [], now.references)
    if before.isEmpty, after.isEmpty { return [] }
    return before.symmetricDifference(after).union(
      before.intersection(after).filter { reference in
        let place = SyncSchema.place(of: reference.property)
        return old?.fields[place] != now.fields[place]
          || old?.fields[reference.property] != now.fields[reference.property]
          || old?.members[reference.property]?[reference.target] != now.members[reference.property]?[reference.target]
      })
  }

  // MARK: - Showing again

  /// Shows records as the view says, and what leads to them.
  /// - Parameter undone: the properties whose changes were undone.
  func show(_ names: [RecordName], undone: [RecordName: Set<String>] = [:]) throws {
    try transaction {
      // A record that became one with another one leaves its object to it.
      let names = try Set(names).union(names.map(view.resolve)).sorted()
      for start in stride(from: 0, to: names.count, by: 500) {
        var part = Set(names[start..<min(start + 500, names.count)])
        for name in part { part.formUnion(try view.referrers(to: name).map(\.owner)) }
        _ = try scan()
        try write(makeFold(over: ledger), Batch(zone: SyncWire.privateZone), also: part, undone: undone)
      }
    }
  }

  /// Removes the objects of records from the user's store.
  func dismiss(_ names: [RecordName]) throws {
    let materializer = Materializer(self, view)
    try materializer.dismiss(names)
    if let seen = try save(materializer) { ledger.replica.seenTransaction = seen }
    for name in names { try ledger.setObject(nil, of: name, "", zone: "") }
  }

  /// The to-manys that have records on one of their sides.
  private func lists(around names: Set<RecordName>, _ view: Fold) throws -> Set<RecordState.Reference> {
    var lists = Set<RecordState.Reference>()
    for name in names {
      guard let state = try view.state(name), let entity = user.schema[state.entity] else { continue }
      for reference in state.references {
        if let property = entity.properties[reference.property], let inverse = user.schema.inverse(of: property),
          inverse.kind == .derivedFromReference
        {
          lists.insert(.init(inverse.name, reference.target))
        }
      }
      for property in entity.lists { lists.insert(.init(property.name, name)) }
    }
    return lists
  }
}

extension LogEntry {
  /// The entry of the log of a share without changes of ``RecordName/personal`` records. They belong into private zones: in the log of
  /// a share another participant could only have put them there to change what this account thinks of an object.
  func readable(in zone: String) -> LogEntry {
    guard zone != SyncWire.privateZone else { return self }
    var entry = self
    entry.transaction.changes.removeAll { $0.record.subject != nil }
    return entry
  }
}
#endif
