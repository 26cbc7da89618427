#if Sync
import Foundation
import SwiftData
import SyncProtocol

extension Replica {
  /// Takes in entries of a zone's log, in one save of the user's store: whole transactions, in order, with what the log does
  /// not have yet on top.
  ///
  /// Entries that were taken in already are left out.
  /// - Parameters:
  ///   - snapshot: the number of the snapshot that the entries are parts of; nil for entries of the log.
  ///   - sent: unsent transactions that the snapshot has.
  /// - Throws: ``ReplicaError`` if entries are missing or an asset is not here; an error of a store. Then nothing was
  ///   taken in, or the next start finishes it.
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
    for batch in batches(fresh) {
      var intent = ReplicaState.Intent(zone: zone, entries: batch.map { $0.readable(in: zone) })
      (intent.snapshot, intent.sent) = (snapshot, sent)
      try integrateBetweenSaves(intent)
    }
  }

  /// Divides entries where a resolver has to be asked: this replica made its transaction without those of others that the log
  /// has before it. It is pending while these are taken in, as one that was not sent yet.
  private func batches(_ entries: [LogEntry]) -> [[LogEntry]] {
    guard !resolvers.isEmpty else { return [entries] }
    let own = ledger.replica.clock.replica
    var batches: [[LogEntry]] = []
    for entry in entries {
      let isOwn = entry.transaction.replica == own
      if let last = batches.last?.last, !isOwn || last.transaction.replica == own {
        batches[batches.count - 1].append(entry)
      } else {
        batches.append([entry])
      }
    }
    return batches
  }

  private func integrateBetweenSaves(_ intent: ReplicaState.Intent) throws {
    let own = ledger.replica.clock.replica
    let isOwn = !intent.entries.isEmpty && intent.entries.allSatisfy { $0.transaction.replica == own }
    try writeBetweenSaves(isOwn: isOwn) { try integrateOnce(intent) }
    try followOwners()
  }

  /// Repeats a write until the program does not save meanwhile.
  /// - Parameter isOwn: whether nothing is written that others made. Objects that were not looked at yet might have to become
  ///   one with those of others.
  func writeBetweenSaves(isOwn: Bool = false, _ write: () throws -> Bool) throws {
    for _ in 0..<50 {
      _ = try isOwn ? scanSaves() : scan()
      if try write() { return }
    }
    throw ReplicaError(description: "the program saves so often that changes of others cannot be saved in between")
  }

  /// Brings the user's store to the view after unsent changes got other moments: they may lose now where they won.
  func showRestamped() throws {
    try integrateBetweenSaves(ReplicaState.Intent(zone: SyncWire.privateZone))
    ledger.replica.isRestamped = false
    try ledger.save()
  }

  /// - Returns: false if the program saved meanwhile.
  private func integrateOnce(_ batch: ReplicaState.Intent) throws -> Bool {
    let expected = ledger.replica.seenTransaction
    let (entries, zone) = (batch.entries, batch.zone)
    try prefetch(entries)
    try ledger.prefetchUniques(entries.lazy.flatMap(\.transaction.changes), user.schema)
    let shadow = makeFold(over: ledger)
    shadow.reserve(entries.reduce(0) { $0 + $1.transaction.changes.count })
    for entry in entries { try shadow.apply(entry, zone: zone) }
    var intent = batch
    intent.expected = expected ?? 0
    let own = ledger.pending.filter { $0.zone == zone }.prefix(entries.count).map(\.transaction.id)
    let late = try late(entries, zone: zone, shadow)
    if !entries.isEmpty, own == entries.map(\.transaction.id), ledger.pending.allSatisfy({ $0.zone == zone }),
      late.isEmpty
    {
      // Nothing of others came in between: the user's store and the view show it already.
      try finish(intent, shadow, seen: expected, late: late)
      if ledger.pending.isEmpty { try rebuildView() }
      return true
    }
    let contested = try contested(entries, zone, shadow)
    try keepAssets(of: contested)
    return try write(shadow, intent, without: intent.taken, late: late, contested)
  }

  /// Brings the user's store to what a fold of the log says, with what is unsent on top, and the ledger to the fold.
  /// - Parameters:
  ///   - intent: what brings the ledger to the fold after a crash.
  ///   - sent: transactions that the fold has already.
  ///   - late: what follows from the batch for other zones.
  ///   - contested: the conflicts of the batch that resolvers decide.
  ///   - records: records that may differ beside those that the fold changed.
  ///   - undone: the properties of records whose changes were undone.
  /// - Returns: false if the program saved meanwhile. Then nothing was written.
  func write(
    _ shadow: Fold, _ intent: ReplicaState.Intent, without sent: Set<UUID> = [],
    late: LateChanges = LateChanges(), _ contested: [Contested] = [], also records: Set<RecordName> = [],
    undone: [RecordName: Set<String>] = [:]
  ) throws -> Bool {
    let expected = ledger.replica.seenTransaction
    let new = try makeFold(over: shadow, without: sent, late)
    let materializer = Materializer(self, new, undone: undone)
    var (touched, lists) = try reach(shadow, new)
    touched.insert(records)
    lists.insert(try self.lists(around: records, new))
    try materializer.run(touched.names.sorted(), lists: lists)
    var intent = intent
    intent.inserted = materializer.inserted
    intent.moved = materializer.moved
    intent.held = materializer.held
    var seen = expected
    if materializer.context.hasChanges {
      ledger.replica.intent = intent
      try ledger.save(isHalf: true)
      try checkpoint(.intentSaved)
      guard let number = try user.save(materializer.context, expecting: expected) else {
        materializer.context.rollback()
        ledger.replica.intent = nil
        try ledger.save()
        return false
      }
      if expected != nil { seen = number }
      try checkpoint(.userSaved)
    }
    try note(materializer, new, zone: intent.zone)
    // Before the batch counts as taken in, so that a crash does not leave a conflict without its resolver. A resolver that
    // fails does not keep the batch from being taken in.
    let resolved = Result { try resolve(contested) }
    if !contested.isEmpty { try checkpoint(.resolved) }
    try finish(intent, shadow, seen: seen, late: late)
    try rebuildView()
    try checkpoint(.integrated)
    try resolved.get()
    return true
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
  func noteMoves(_ moves: [ReplicaState.Move], _ view: Fold, zone: String) throws {
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
      // A restored store lacks objects that the ledger has records of. If the program inserts such an object again, its new record
      // becomes an alias of the known record. The alias then hands its object over.
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
    // A record that became one with another one leaves its object to it.
    let names = try Set(names).union(names.map(view.resolve)).sorted()
    for start in stride(from: 0, to: names.count, by: 500) {
      var part = Set(names[start..<min(start + 500, names.count)])
      for name in part { part.formUnion(try view.referrers(to: name).map(\.owner)) }
      try writeBetweenSaves {
        let intent = ReplicaState.Intent(
          zone: SyncWire.privateZone, expected: ledger.replica.seenTransaction ?? 0)
        return try write(makeFold(over: ledger), intent, also: part, undone: undone)
      }
    }
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
