#if Sync
import Foundation
import SwiftData
import SyncProtocol

// A fold of the log depends on the models: on cascades and on unique values. A program that did not know a class has folded the
// log otherwise than one that does. When its models change, it reads the log again from the start and folds it in a second
// ledger, which is in the same database. The first one goes on meanwhile. In the end it takes over what the second one has otherwise.

extension Replica {
  /// Compares the rules of the models with those that the log was folded with.
  func noteRules() throws {
    let rules = user.schema.rules
    guard let old = ledger.replica.foldRules else {
      ledger.replica.foldRules = rules
      return
    }
    guard old != rules else { return }
    // A fold that was begun has other rules, and maybe old names of properties.
    let isBegun = ledger.replica.refolding != nil
    if isBegun || ledger.replica.sawUnknown == true || SyncSchema.isFoldOther(with: rules, than: old) {
      try dropSpare()
      ledger.replica.refolding = ledger.places.positions.filter { $0.value > 0 }.keys.sorted()
      ledger.replica.sawUnknown = nil
    }
    ledger.replica.foldRules = rules
    // By the new rules an unsent deletion may take what the store kept by the old ones.
    try noteTaken(view.states.names)
    try ledger.save()
  }

  /// Gives the properties of all records the names that they have now.
  ///
  /// The log may have to be folded again as well, which needs the network. Until then the program's changes are compared with these
  /// records.
  func renameProperties() throws {
    guard let old = ledger.replica.foldRules, user.schema.isRenamed(since: old) else { return }
    var names: [RecordName] = []
    try ledger.forEach { name, record in if record.state != nil { names.append(name) } }
    for start in stride(from: 0, to: names.count, by: 500) {
      let part = names[start..<min(start + 500, names.count)]
      try ledger.prefetch(part)
      let fold = makeFold(over: ledger)
      for name in part {
        guard let state = try ledger.state(name) else { continue }
        let renamed = user.schema.current(state, of: name)
        if renamed != state {
          fold.put(name, renamed)
          try fold.renameUniques(of: name, renamed)
        }
      }
      try ledger.take(fold)
      // A crash between two parts does no harm: the rules are not noted yet, so that the next start goes on.
      try ledger.save()
    }
  }

  /// The zones whose logs are folded again: all that the replica has read. A record may have moved into one that came later.
  var refoldingZones: [String] {
    ledger.replica.refolding == nil ? [] : ledger.places.positions.filter { $0.value > 0 }.keys.sorted()
  }

  /// Begins to fold the logs again from their starts, if they are folded again: what was folded of a zone does not count any more.
  func restartRefolding() throws { if ledger.replica.refolding != nil { try dropSpare() } }

  /// The number up to which the log of a zone was folded again; nil if all that the replica has seen was. A snapshot is read to its end,
  /// which may be behind what the replica has seen.
  func refoldPosition(_ zone: String) throws -> Int64? {
    guard refoldingZones.contains(zone) else { return nil }
    let places = try spareLedger().places
    let folded = places.position(zone) ?? 0
    return folded < position(zone) || places.unfinishedSnapshot(zone) != nil ? folded : nil
  }

  /// The snapshot of which the second ledger has some parts and lacks others.
  func refoldSnapshot(_ zone: String) throws -> Int64? { try spareLedger().places.unfinishedSnapshot(zone) }

  /// Begins to fold all logs again, since a replica with other rules made the snapshot of a zone, or since the server deleted what this
  /// replica has not seen of a log. The unsent changes stay unsent changes.
  func refoldAll() throws {
    try transaction {
      try dropSpare()
      ledger.replica.refolding = ledger.places.positions.filter { $0.value > 0 }.keys.sorted()
      isCaughtUp = false
    }
  }

  /// Folds a part of the log of a zone again.
  func didRefold(_ response: ChangesResponse, zone: String) throws {
    guard let folded = try refoldPosition(zone) else { return }
    let spare = try spareLedger()
    let snapshot = response.isSnapshot == true ? response.snapshot?.through : nil
    guard spare.places.fits(snapshot, zone) else { return }
    let entries = response.entries.filter {
      $0.sequence > folded && (snapshot != nil || $0.sequence <= position(zone))
    }.map { user.schema.current($0).readable(in: zone) }
    guard let last = entries.last, entries[0].sequence == folded + 1 || (snapshot != nil && folded == 0) else { return }
    try transaction { try refold(entries, spare, zone, snapshot, upTo: last.sequence) }
  }

  private func refold(
    _ entries: [LogEntry], _ spare: Ledger, _ zone: String, _ snapshot: Int64?, upTo last: Int64
  ) throws {
    spare.replica.account = ledger.replica.account
    spare.places.setShares(ledger.places.shares)
    try spare.prefetch(entries.flatMap { $0.transaction.changes.map(\.record) })
    let fold = makeFold(over: spare)
    for entry in entries { try fold.apply(entry, zone: zone) }
    try spare.take(fold)
    if let snapshot {
      spare.places.didTake(snapshot, upTo: last, of: zone)
    } else {
      spare.places.setPosition(last, of: zone)
    }
    try spare.save()
    if !entries.allSatisfy({ user.schema.knows($0.transaction) }) { ledger.replica.sawUnknown = true }
  }

  /// The unsent transactions that may be in the second ledger: it may have a snapshot, and the log that says what is in it is gone.
  /// - Returns: for each such zone, how far the second ledger has its log, and the transactions.
  func unsentInSnapshots() throws -> [(zone: String, through: Int64, transactions: [UUID])] {
    try refoldingZones.compactMap { zone in
      let unsent = ledger.pending.filter { $0.zone == zone }.map(\.transaction.id)
      guard !unsent.isEmpty, let folded = try spareLedger().places.position(zone), folded > position(zone) else {
        return nil
      }
      return (zone, folded, unsent)
    }
  }

  /// Shows what the models have now and did not have before, as far as the log was folded with them, and what is left after
  /// changes were undone.
  /// - Parameter sent: the transactions of ``unsentInSnapshots()`` that the server has.
  /// - Throws: ``MissingAsset`` if the bytes of a value have to be fetched first; an error of a store.
  func catchUp(sent: Set<UUID> = []) throws {
    try followOwners()
    try showRemaining()
    guard !isCaughtUp else { return }
    if ledger.replica.refolding != nil {
      guard try refoldingZones.allSatisfy({ try refoldPosition($0) == nil }) else { return }
    }
    try transaction {
      if ledger.replica.refolding != nil {
        try scan()
        let refolded = try refolded()
        let shadow = makeFold(over: ledger)
        shadow.take(refolded.states.lazy.map { ($0, $1) }, refolded.holders)
        try write(
          shadow, Batch(zone: SyncWire.privateZone, refolded: refolded, sent: sent), without: sent)
        try dropSpare()
      }
      try showNewProperties()
      isCaughtUp = true
    }
  }

  /// Shows records that the user's store did not show when they changed.
  func showRemaining() throws {
    guard let records = ledger.replica.recordsToShow, !records.isEmpty else { return }
    try transaction { try show(records) }
  }

  private func show(_ records: [RecordName: Set<String>]) throws {
    var undone: [RecordName: Set<String>] = [:]
    for (name, properties) in records { undone[try view.resolve(name), default: []].formUnion(properties) }
    postponed = []
    try show(undone.keys.sorted(), undone: undone)
    // What was noted meanwhile is shown the next time.
    ledger.replica.recordsToShow = try ledger.replica.recordsToShow?.filter { name, properties in
      try records[name] != properties || postponed.contains(view.resolve(name))
    }
    try ledger.save()
  }

  /// The records of classes that the log has, or that the replica has to send again after it started anew.
  private func records(of entities: Set<String>) throws -> [RecordName] {
    let unsent = ledger.pending.lazy.flatMap(\.transaction.changes).filter { entities.contains($0.entity) }
    return Array(Set(try ledger.records(of: entities)).union(unsent.map(\.record)))
  }

  /// What the second fold has otherwise.
  private func refolded() throws -> Batch.Refolded {
    let spare = try spareLedger()
    var refolded = Batch.Refolded()
    for zone in refoldingZones {
      if let folded = spare.places.position(zone), folded > position(zone) { refolded.positions[zone] = folded }
      let names = try spare.recordNames(zone: zone)
      for start in stride(from: 0, to: names.count, by: 500) {
        let part = names[start..<min(start + 500, names.count)]
        try spare.prefetch(part)
        try ledger.prefetch(part)
        for name in part {
          if let state = try spare.state(name), try state != ledger.state(name) { refolded.states[name] = state }
        }
      }
    }
    let (before, now) = (try ledger.holders(), try spare.holders())
    for (unique, holder) in now where before[unique] != holder { refolded.holders[unique] = holder }
    for (unique, holder) in before where try now[unique] == nil && spare.state(holder) != nil {
      refolded.holders[unique] = .some(nil)
    }
    return refolded
  }

  /// Notes that the ledger has what was folded again.
  func noteRefolded(_ refolded: Batch.Refolded) {
    ledger.replica.refolding = nil
    for (zone, position) in refolded.positions {
      ledger.places.setPosition(position, of: zone)
      ledger.places.setSnapshot(KnownSnapshot(compared: position), of: zone)
    }
    // The replica has not seen these moments, if they are from a snapshot.
    guard !refolded.positions.isEmpty else { return }
    for state in refolded.states.values { if let time = state.latestTime { ledger.replica.clock.witness(time) } }
  }

  /// Gives the user's store the values of properties and entities that it did not have before.
  private func showNewProperties() throws {
    let known = ledger.replica.knownProperties
    let current = user.propertyNames
    guard known != current else { return }
    if !known.isEmpty {
      try scan()
      try show(try records(of: Set(current.keys.filter { known[$0] != current[$0] })))
    }
    ledger.replica.knownProperties = current
    try ledger.save()
  }
}

extension SyncSchema {
  /// What a fold of the log depends on, by class.
  var rules: [String: [String]] {
    entities.mapValues { entity in
      var rules = entity.unique.map { "unique \($0.entity): \($0.properties.joined(separator: ", "))" }
      for (old, new) in entity.renamed { rules.append("renamed \(old): \(new)") }
      if let superentity = entity.superentity { rules.append("kind of \(superentity)") }
      for property in entity.properties.values where !property.destination.isEmpty {
        rules.append(
          "\(property.name): \(property.kind), \(property.destination).\(property.inverse ?? "")"
            + ", \(property.cascades), \(property.isExclusive)")
      }
      return rules.sorted()
    }
  }

  /// Whether the models name old names of properties that older rules do not name.
  func isRenamed(since old: [String: [String]]) -> Bool {
    rules.contains { entity, rules in
      rules.contains { $0.hasPrefix("renamed ") && old[entity]?.contains($0) != true }
    }
  }

  /// Whether rules can have another outcome than older ones, for a log in which the older models knew all names.
  ///
  /// New relationships and classes do not matter: such a log does not have them. ``Replica/renameProperties()`` renames attributes.
  static func isFoldOther(with rules: [String: [String]], than old: [String: [String]]) -> Bool {
    old.contains { entity, old in
      let new = Set(rules[entity] ?? [])
      // A model that does not name the old name of a property any more says nothing about the values that were written under it.
      return !new.isSuperset(of: old.filter { !$0.hasPrefix("renamed ") })
        || new.subtracting(old).contains { $0.hasPrefix("unique ") }
    }
  }

  /// Whether the models have all that a transaction names.
  func knows(_ transaction: SyncTransaction) -> Bool {
    var last: RecordChange?
    return transaction.changes.allSatisfy { change in
      // Most changes name the same as the one before.
      if let last, last.entity == change.entity, last.fields.hasNames(of: change.fields), change.members == nil,
        change.record.isUUID
      {
        return true
      }
      last = change.record.isUUID ? change : nil
      return knows(change)
    }
  }

  private func knows(_ change: RecordChange) -> Bool {
    let subject = change.record.subject == nil ? change.entity : Self.subject(change.entity)
    guard let entity = entities[subject] else { return false }
    func knows(_ name: String) -> Bool {
      entity.properties[name] != nil || Self.isPlace(name)
        || [Self.home, SyncWire.aliasField, SyncWire.seenField].contains(name)
    }
    return change.fields.keys.allSatisfy(knows) && (change.members ?? [:]).keys.allSatisfy(knows)
  }
}
#endif
