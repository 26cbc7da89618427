#if Sync
import Foundation
import SwiftData
import SyncProtocol

// What a replica does with its changes of records that are in another zone than it thought, and with moves that the server
// refuses.

/// What follows from entries about records that left the zone.
struct LateChanges {
  /// Changes that have to be sent to the zone where their records are now, by zone.
  var changes: [(zone: String, changes: [RecordChange])] = []
  /// Records that may have to follow their owners, with the owners that the changes gave them.
  var claims: [RecordName: Set<RecordName>] = [:]
  /// Records with a mark by which this replica moved them, without an unsent transaction for the other zone. The replica was restored from an
  /// older copy then, and may never have sent that transaction.
  var moves: Set<RecordName> = []

  var isEmpty: Bool { changes.isEmpty && claims.isEmpty && moves.isEmpty }
}

extension Replica {
  /// Reads what the ledger has of the records in entries, in few statements.
  func prefetch(_ entries: [LogEntry]) throws {
    let names = entries.flatMap { $0.transaction.changes.map(\.record) }
    try ledger.prefetch(names)
    guard ledger.zones.areSeveral else { return }
    try ledger.prefetch(names.flatMap { name in try ledger.zonesApart(of: name).map(name.apart) })
  }

  // MARK: - Changes that come too late

  /// Finds what has to be sent to another zone, since records are there now.
  ///
  /// The log of a zone says nothing more of a record that left the zone. A change that comes after the mark is sent again by the
  /// replica that made it. One that comes before the mark, and that the replica which moved the record had not seen, is sent
  /// again by that replica. If two replicas moved a record out of the zone without having seen each other's move, the later
  /// mark wins, and the other replica takes the record out of the zone that it moved it to.
  /// - Parameters:
  ///   - entries: what is taken in. It may be among the unsent transactions still.
  ///   - shadow: a fold with these entries.
  func late(_ entries: [LogEntry], zone: String, _ shadow: Fold) throws -> LateChanges {
    guard ledger.zones.areSeveral, !entries.isEmpty else { return LateChanges() }
    let ids = Set(entries.map(\.transaction.id))
    let unsent = ledger.pending.filter { !ids.contains($0.transaction.id) }
    var moving: Set<RecordName> = []
    for change in ledger.pending.flatMap(\.transaction.changes) where change.fields[SyncSchema.home] != nil {
      moving.insert(change.record)
    }
    var late: [(change: RecordChange, zone: String)] = []
    for entry in entries {
      let isOwn = isOwn(entry.transaction)
      guard isOwn || !moving.isEmpty else { continue }
      for change in entry.transaction.changes {
        // What others say of a record in the log of another zone is not to be sent on.
        let isMoving = moving.contains(change.record) || !moving.isDisjoint(with: owners(in: change))
        if try isOwn || (isMoving && shadow.state(change.record)?.place == zone) { late.append((change, zone)) }
      }
    }
    for pending in unsent where !shadow.left.isEmpty {
      for change in pending.transaction.changes where shadow.left[change.record] == pending.zone {
        if !moving.contains(change.record) { late.append((change, pending.zone)) }
      }
    }
    let lost = shadow.lostMarks.filter { ledger.replica.isOwn($0.time.replica) }
    let moves = forgottenMoves(entries, except: moving)
    guard !late.isEmpty || !lost.isEmpty else { return LateChanges(moves: moves) }
    let view = makeFold(over: shadow)
    for pending in unsent { try view.apply(pending.transaction.changes, zone: pending.zone) }
    var (found, whole, claims) = (Distribution(), Set<RecordName>(), [RecordName: Set<RecordName>]())
    for (change, zone) in late where change.fields[SyncSchema.home] == nil {
      func isElsewhere(_ name: RecordName) throws -> Bool {
        guard let state = try view.state(name) else { return false }
        return state.place != zone || ledger.zones.destination(of: state) != nil
      }
      // A record that is in another zone does not follow its owner.
      func claim(_ name: RecordName, _ owners: Set<RecordName>) throws {
        guard let state = try view.state(name), state.isAlive, state.place == zone else { return }
        claims[name, default: []].formUnion(owners)
      }
      if try owners(in: change).contains(where: isElsewhere) { try claim(change.record, []) }
      if try isElsewhere(change.record) {
        for (name, owners) in self.claims([change]) { try claim(name, owners) }
      }
      // A record that comes back brings what this replica knew, so that the log of its zone, too, needs what it did not know.
      if let target = try view.state(change.record)?.place, target != zone || moving.contains(change.record) {
        if try ledger.isWritable(target) && view.lacks(change) { found.add(change, target) }
      } else if let state = try shadow.state(change.record), let target = ledger.zones.destination(of: state),
        ledger.isWritable(target), !moving.contains(change.record)
      {
        // The record has not come there yet. So the change does not come before the record.
        if whole.insert(change.record).inserted {
          for change in Self.changes(of: change.record, state) { found.add(change, target) }
        }
        found.add(change, target)
      }
    }
    for mark in lost {
      if mark.home == .text(ledger.zones.home(of: zone)) {
        for change in try returning(mark.record, to: zone, view) { found.add(change, zone) }
      } else if let (change, target) = try leaving(mark.record, home: mark.home, for: zone, view) {
        found.add(change, target)
      }
    }
    return LateChanges(changes: found.all, claims: claims, moves: moves)
  }

  /// The records that this replica moved according to log entries, unless an unsent transaction moves them.
  /// - Parameter moving: the records that unsent transactions move.
  private func forgottenMoves(_ entries: [LogEntry], except moving: Set<RecordName>) -> Set<RecordName> {
    var moves: Set<RecordName> = []
    for change in entries.lazy.flatMap(\.transaction.changes) {
      guard let mark = change.fields[SyncSchema.home], ledger.replica.isOwn(mark.time.replica) else { continue }
      if !moving.contains(change.record) { moves.insert(change.record) }
    }
    return moves
  }

  /// Finishes moves that this replica began before it was restored from an older copy: it may have sent one of the two transactions only. The
  /// caller has read the logs of all zones, because only they tell whether a record arrived.
  func finishMoves() throws {
    guard let moves = ledger.replica.movesToFinish else { return }
    try transaction {
      ledger.replica.movesToFinish = nil
      var leaves = Distribution()
      for name in moves.sorted() {
        guard let state = try view.state(name) else { continue }
        if ledger.zones.destination(of: state) != nil {
          ledger.replica.noteToFollow(name, [])
        } else {
          try addLeaves(name, state, to: &leaves)
        }
      }
      for (zone, changes) in leaves.all { try ledger.append(makeTransaction(changes), zone: zone) }
      if !leaves.all.isEmpty { try correctView() }
      try ledger.save()
      try followOwners()
    }
  }

  /// Adds what tells the other zones that a record left, where their logs say that it is still there.
  private func addLeaves(_ name: RecordName, _ state: RecordState, to leaves: inout Distribution) throws {
    guard state.alias == nil, state.home == ledger.zones.home(of: state.place) else { return }
    for zone in ledger.zones.readable(of: try view.zonesApart(of: name))
    where zone != state.place && ledger.isWritable(zone) {
      guard let other = try view.state(name.apart(zone)), other.alias == nil, other.deleted == nil,
        other.claims(ledger.zones)
      else { continue }
      leaves.add(mark(name, other, in: state.place), zone)
    }
  }

  /// The records that own a record by its own references, as a change says.
  private func owners(in change: RecordChange) -> [RecordName] {
    guard let entity = user.schema[change.entity] else { return [] }
    return change.fields.compactMap { name, write in
      guard case .record(let owner) = write.value, let property = entity.properties[name],
        user.schema.inverse(of: property)?.cascades == true
      else { return nil }
      return owner
    }
  }

  /// Moves the records that could not be moved with their owners: they came too late, or the account might not write in both
  /// zones. One that the account still may not move waits.
  func followOwners() throws {
    guard let noted = ledger.replica.claimsToFollow, !noted.isEmpty else { return }
    try transaction { try follow(noted) }
  }

  private func follow(_ noted: [RecordName: Set<RecordName>]) throws {
    // An owner may have become one with another record meanwhile.
    let claims = try noted.mapValues { Set(try $0.map(view.resolve)) }
    var (moved, waiting) = (Distribution(), Set<RecordName>())
    for name in noted.keys.sorted() where try view.isAlive(name) {
      let (old, zone) = (try zone(of: name), try zone(belonging: name, claims))
      guard old != zone else { continue }
      if ledger.isWritable(old), ledger.isWritable(zone) {
        try move(try owned(by: name), to: zone, &moved)
      } else {
        waiting.insert(name)
      }
    }
    guard waiting.count < noted.count else { return }
    for (zone, changes) in moved.all { try ledger.append(makeTransaction(changes), zone: zone) }
    ledger.replica.claimsToFollow = waiting.isEmpty ? nil : noted.filter { waiting.contains($0.key) }
    for name in noted.keys where !waiting.contains(name) { ledger.replica.noteToShow(name) }
    try ledger.save()
    try rebuildView()
    try showRemaining()
  }

  // MARK: - Moves that are refused

  /// Removes the unsent changes of a zone that the account may not change. A record that was to move into the zone or out of it
  /// stays where it was.
  /// - Parameter taken: transactions that the server took. What they moved has moved.
  /// - Returns: how many transactions it removed.
  @discardableResult
  func removeUnsent(zone: String, taken: Set<UUID> = []) throws -> Int {
    let removed = ledger.pending.filter { $0.zone == zone }.map(\.transaction)
    guard !removed.isEmpty else { return 0 }
    try ledger.removePending(Set(removed.map(\.id)))
    for change in removed.flatMap(\.changes) { ledger.replica.noteToShow(change.record, without: change.fields.keys) }
    let view = makeFold(over: ledger)
    for pending in ledger.pending { try view.apply(pending.transaction.changes, zone: pending.zone) }
    for change in removed.filter({ !taken.contains($0.id) }).flatMap(\.changes) {
      guard let mark = change.fields[SyncSchema.home] else { continue }
      try takeBack(change.record, mark, zone, view)
    }
    // A deletion may have hidden what others gave the object meanwhile.
    try correctView()
    return removed.count
  }

  /// Undoes the other half of a move: one zone did not take it. The server may have the other half already, so that a new change
  /// undoes it.
  private func takeBack(_ name: RecordName, _ mark: FieldWrite, _ zone: String, _ view: Fold) throws {
    let zones = ledger.zones
    if mark.value == .text(zones.home(of: zone)) {
      // It comes back to the old zone, with all that it is.
      guard var state = try view.state(name), state.place != zone, zones.destination(of: state) == zone,
        ledger.isWritable(state.place)
      else { return }
      let back = self.mark(name, state, in: state.place).fields[SyncSchema.home]!
      state.fields[SyncSchema.home] = .init(value: back.value, time: back.time)
      try send(Self.changes(of: name, state), state.place, view)
    } else if try [name, name.apart(zone)].contains(where: { try view.state($0)?.place == zone }),
      let (change, target) = try leaving(name, home: mark.value, for: zone, view)
    {
      // A record that this zone never got has nowhere to go back to.
      try send([change], target, view)
    }
  }

  /// The change by which a record leaves the zone again that this replica moved it to, or moved it on to from there.
  /// - Parameters:
  ///   - home: the zone that it was moved to first.
  ///   - zone: the zone that it came from.
  /// - Returns: the change and the zone to send it to; nil if the record is not there, or if another move took it there too.
  private func leaving(
    _ name: RecordName, home: FieldValue, for zone: String, _ view: Fold
  ) throws -> (change: RecordChange, target: String)? {
    let zones = ledger.zones
    // What the log of the zone says of the record: a later move may have taken it to one of the zones below.
    let known = try [name, name.apart(zone)].compactMap { try view.state($0) }.first {
      $0.place == zone && $0.alias == nil
    }
    var next = zones.all.first { home == .text(zones.home(of: $0)) }
    var passed: Set<String> = [zone]
    while let target = next, passed.insert(target).inserted {
      guard known?.home != zones.home(of: target) else { return nil }
      let states = try [name, name.apart(target)].compactMap { try view.state($0) }
      guard let state = states.first(where: { $0.place == target && $0.alias == nil }) else { return nil }
      if state.claims(zones) { return ledger.isWritable(target) ? (mark(name, state, in: zone), target) : nil }
      next = zones.destination(of: state)
    }
    return nil
  }

  /// The changes by which a record comes again to a zone that this replica moved it to; empty if any zone's log says that the zone has the
  /// record.
  ///
  /// Another replica took the record out of the zone and had not seen that it came there by way of other zones. So each log names another
  /// zone.
  private func returning(_ name: RecordName, to zone: String, _ view: Fold) throws -> [RecordChange] {
    guard ledger.isWritable(zone), var state = try view.state(name), state.deleted == nil, state.alias == nil else {
      return []
    }
    var known = [state]
    for other in ledger.zones.readable(of: try view.zonesApart(of: name)) {
      if let apart = try view.state(name.apart(other)), apart.alias == nil { known.append(apart) }
    }
    // The record went to a zone that the account cannot read, or it is where one of the logs says.
    guard known.allSatisfy({ !$0.claims(ledger.zones) && ledger.zones.destination(of: $0) != nil }) else { return [] }
    let mark = mark(name, state, in: zone).fields[SyncSchema.home]!
    state.fields[SyncSchema.home] = .init(value: mark.value, time: mark.time)
    return Self.changes(of: name, state)
  }

  private func send(_ changes: [RecordChange], _ zone: String, _ view: Fold) throws {
    try ledger.append(makeTransaction(changes), zone: zone)
    try view.apply(changes, zone: zone)
  }

  /// Chooses again which log counts for records after a zone is gone. ``catchUp()`` shows the outcome. The ledger has to be saved
  /// afterwards.
  func settle(_ names: Set<RecordName>, without zone: String) throws {
    guard ledger.zones.areSeveral else { return try rebuildView() }
    let fold = makeFold(over: ledger)
    for name in names { try fold.settle(name) }
    // Records that were on their way to the zone are not coming.
    for other in ledger.zones.all {
      for name in try ledger.recordNames(zone: other) where !name.isApart {
        guard var state = try fold.state(name), state.home == zone, state.isAway != true, state.alias == nil else {
          continue
        }
        state.isAway = true
        fold.put(name, state)
      }
    }
    try ledger.take(fold)
    for name in fold.states.names where !name.isApart { ledger.replica.noteToShow(name) }
    try rebuildView()
    // A record that the program moved out of the zone lost its object together with those of the zone, and needs a new one.
    for name in names where try view.isAlive(name) && ledger.object(of: name) == nil { ledger.replica.noteToShow(name) }
  }
}

extension Fold {
  /// Whether a change says something that is not known.
  func lacks(_ change: RecordChange) throws -> Bool {
    guard let state = try state(resolve(change.record)) else { return true }
    guard state.deleted == nil else { return false }
    if change.deleted != nil { return true }
    if change.fields.contains(where: { state.fields[$0.key].map { $0.time } ?? .zero < $0.value.time }) { return true }
    return (change.members ?? [:]).contains { property, members in
      members.contains { member, write in
        let entry = state.members[property]?[member] ?? .init()
        return write.add.map { !entry.tags.contains($0) } ?? false || !entry.tags.isDisjoint(with: write.remove ?? [])
          || (write.place.map { $0.time > entry.place?.time ?? .zero } ?? false && !entry.tags.isEmpty)
          || (write.inversePlace.map { $0.time > entry.inversePlace?.time ?? .zero } ?? false && !entry.tags.isEmpty)
      }
    }
  }
}
#endif
