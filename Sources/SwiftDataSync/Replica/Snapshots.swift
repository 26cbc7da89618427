#if Sync
import Foundation
import SyncProtocol

// An owner's device makes the snapshot of a zone, because a server cannot fold a log: it knows no models. The rules of the models go with
// the snapshot. Every replica that has other rules folds the logs again from the snapshot, as after an update of its program. So all
// replicas with the same rules have the same state, whether they have read the log or the snapshot.

/// The snapshot of a zone, part by part.
struct ZoneSnapshot {
  let zone: String
  /// The number whose state it is.
  let through: Int64
  let rules: String
  fileprivate let names: [RecordName]
  fileprivate var next = 0

  /// How much of it was made, from 0 to 1.
  var progress: Double { names.isEmpty ? 1 : Double(next) / Double(names.count) }
  var isComplete: Bool { next == names.count }
}

extension Replica {
  /// Compares the rules of a snapshot with those of the models, once, when the replica has seen what the snapshot has.
  func compare(_ snapshot: SnapshotInfo, zone: String) throws {
    let known = ledger.places.snapshots[zone]
    guard position(zone) >= snapshot.through, known?.unfinished == nil, known?.compared != snapshot.through else {
      return
    }
    try transaction {
      ledger.places.setSnapshot(KnownSnapshot(compared: snapshot.through), of: zone)
      if snapshot.rules != user.schema.rulesDigest { try refoldAll() }
    }
  }

  /// Begins a snapshot of what the log of a zone says.
  /// - Returns: nil if there can be none now: something is unsent, or is folded again, or a record of the zone became one with a
  ///   record of another zone, which not all who can read the zone know.
  func beginSnapshot(zone: String) throws -> ZoneSnapshot? {
    let isOwn = zone == SyncWire.privateZone || ledger.share(zone)?.owner == ledger.replica.account
    guard isOwn, ledger.pending.isEmpty, !isScanning, isCaughtUp, ledger.replica.refolding == nil, position(zone) > 0,
      ledger.places.unfinishedSnapshot(zone) == nil
    else { return nil }
    var aliases: [RecordName] = []
    try ledger.prefetch(ledger.aliases.flatMap { [$0.key, $0.value] })
    for (name, target) in ledger.aliases where !name.isApart {
      let places = [try ledger.state(name)?.place, try ledger.state(view.resolve(target))?.place]
      guard places.contains(zone) else { continue }
      guard places[0] == places[1] else { return nil }
      aliases.append(name)
    }
    // What a record became comes before the records that lead to it.
    let isAlias = Set(aliases)
    let names = aliases.sorted() + (try ledger.recordNames(zone: zone)).filter { !isAlias.contains($0) }
    return ZoneSnapshot(
      zone: zone, through: position(zone), rules: user.schema.rulesDigest, names: names)
  }

  /// Makes the next part of a snapshot: about 1 MiB at most.
  /// - Parameter limit: the most records of a part.
  /// - Returns: nil if the replica has seen more of the zone meanwhile.
  func nextPart(of snapshot: inout ZoneSnapshot, limit: Int = 1000) throws -> SyncTransaction? {
    guard position(snapshot.zone) == snapshot.through, ledger.replica.refolding == nil else { return nil }
    let names = snapshot.names[snapshot.next..<min(snapshot.next + limit, snapshot.names.count)]
    try ledger.prefetch(names)
    var (changes, size) = ([RecordChange](), 0)
    for name in names {
      guard changes.isEmpty || size < TransactionSize.part else { break }
      snapshot.next += 1
      guard let state = try ledger.state(name), state.place == snapshot.zone else { continue }
      for change in try snapshotChanges(of: name, state) {
        size += change.roughSize + 64 * (change.members?.values.reduce(0) { $0 + $1.count } ?? 0)
        changes.append(change)
      }
    }
    // What was read is not needed any more.
    ledger.forgetRead()
    var transaction = makeTransaction(changes)
    // It is no save of this replica.
    transaction.replica = 0
    return transaction
  }

  /// The changes of a snapshot that make a record what the log of its zone says of it.
  private func snapshotChanges(of name: RecordName, _ state: RecordState) throws -> [RecordChange] {
    guard let alias = state.alias else {
      return Self.changes(of: name.joined, state).map(user.schema.withFormerNames)
    }
    // A record that was kept apart and is in its place now has an alias, too.
    guard !name.isApart else { return [] }
    var change = RecordChange(name, state.entity)
    change.fields[SyncWire.aliasField] = FieldWrite(.record(try view.resolve(alias)), .zero, over: nil)
    return [change]
  }
}
#endif
