#if Sync
import Foundation
import SwiftData
import SyncProtocol

// A record is in the zone of what owns it. An owner is a record whose relationship to the record has the delete rule
// `.cascade`.

extension Replica {
  // MARK: - Owners

  /// The record that owns a record; nil for one without an owner.
  ///
  /// A record itself says by its reference who owns it. An owner of another zone that says so does not count: anybody who can
  /// write to that zone could have said it.
  /// - Parameter claims: what the program gave an owner just now, with the owners.
  /// - Complexity: one statement of the ledger.
  private func owner(of name: RecordName, _ claims: [RecordName: Set<RecordName>]) throws -> RecordName? {
    guard let state = try view.state(name), let entity = user.schema[state.entity] else { return nil }
    func counts(_ owner: RecordName) throws -> Bool {
      try claims[name]?.contains(owner) == true || zone(of: owner) == state.place
    }
    for property in entity.properties.values.sorted(by: { $0.name < $1.name }) {
      guard user.schema.inverse(of: property)?.cascades == true else { continue }
      switch property.kind {
      case .reference: if let owner = try view.effectiveTarget(of: name, property) { return owner }
      case .derivedReference:
        if let owner = try view.sources(of: name, property).filter(counts).min() { return owner }
      case .attribute, .members, .derivedFromReference, .derivedFromMembers: break
      }
    }
    // Owners whose relationship has no inverse.
    let owners = try view.referrers(to: name).filter { referrer in
      let property = try view.state(referrer.owner).flatMap { user.schema[$0.entity]?.properties[referrer.property] }
      return try property.map { $0.cascades && $0.inverse == nil } ?? false && counts(referrer.owner)
    }.map(\.owner)
    return owners.filter { claims[name]?.contains($0) == true }.min() ?? owners.min()
  }

  /// What changes give an owner by a relationship that the owner holds, with the owners.
  func claims(_ changes: [RecordChange]) -> [RecordName: Set<RecordName>] {
    var claims: [RecordName: Set<RecordName>] = [:]
    for change in changes {
      for property in user.schema[change.entity]?.properties.values.map(\.self) ?? [] where property.cascades {
        if case .record(let target)? = change.fields[property.name]?.value {
          claims[target, default: []].insert(change.record)
        }
        for (member, write) in change.members?[property.name] ?? [:] where write.add != nil {
          claims[member, default: []].insert(change.record)
        }
      }
    }
    return claims
  }

  /// A record and all that it owns, directly or through others, as far as it is in the same zone.
  func owned(by root: RecordName) throws -> [RecordName] {
    let zone = try zone(of: root)
    var found: [RecordName] = []
    var seen: Set<RecordName> = [root]
    var next = [root]
    while let name = next.popLast() {
      guard let state = try view.state(name), state.isAlive, state.place == zone else { continue }
      found.append(name)
      next += try view.cascade(of: name, state).sorted().filter { seen.insert($0).inserted }
    }
    return found
  }

  /// The zone that a record is in: what the log says, with what is unsent on top.
  func zone(of name: RecordName) throws -> String { try view.state(name)?.place ?? SyncWire.privateZone }

  /// The zone that a record belongs to: the zone of its outermost owner, or of the root of the share that it is in.
  func zone(belonging name: RecordName, _ claims: [RecordName: Set<RecordName>]) throws -> String {
    var (current, seen) = (name, Set([name]))
    while try !isRoot(current), let owner = try owner(of: current, claims), seen.insert(owner).inserted {
      current = owner
    }
    // One that is on its way takes along what it owns.
    guard let state = try view.state(current) else { return SyncWire.privateZone }
    return ledger.zones.destination(of: state) ?? state.place
  }

  private func isRoot(_ name: RecordName) throws -> Bool { ledger.zones.isRoot(name, in: try zone(of: name)) }

  /// Those of the deleted records that were deleted together with an owner which the account may not delete. The server refuses the owner's
  /// deletion. It would accept the deletion of these records, because they are in a zone of the account.
  func goneWithUndeletable(_ names: [RecordName]) throws -> Set<RecordName> {
    // Most accounts may write in all their zones.
    guard shares.contains(where: { !$0.isWritable }) else { return [] }
    let deleted = Set(names)
    return try deleted.filter { name in
      var (current, seen) = (name, Set([name]))
      while try ledger.isWritable(zone(of: current)) {
        guard let owner = try owner(of: current, [current: deleted]), deleted.contains(owner),
          seen.insert(owner).inserted
        else { return false }
        current = owner
      }
      return current != name
    }
  }

  // MARK: - Moving

  /// Divides changes by zone, and moves the records whose owner is in another zone now.
  /// - Parameters:
  ///   - changes: what the program changed. The view shows it already.
  ///   - new: the records that no transaction had before.
  /// - Returns: one transaction's changes for each zone. In the zone that a record moves to, its whole state comes first.
  func distribute(
    _ changes: [RecordChange], new: Set<RecordName>
  ) throws -> [(zone: String, changes: [RecordChange])] {
    guard ledger.zones.areSeveral else { return [(SyncWire.privateZone, changes)] }
    var moved = Distribution()
    let claims = claims(changes)
    for name in Set(changes.map(\.record)).union(claims.keys).sorted() where try view.isAlive(name) {
      let (old, zone) = (try zone(of: name), try zone(belonging: name, claims))
      guard old != zone else { continue }
      guard ledger.isWritable(old), ledger.isWritable(zone) else {
        // The account may get the permission before the server refuses the changes.
        ledger.replica.noteToFollow(name, claims[name] ?? [])
        continue
      }
      if new.contains(name) {
        try view.place(name, in: zone)
        try ledger.setZone(zone, of: name)
      } else {
        try move(try owned(by: name), to: zone, &moved)
      }
    }
    for change in changes { moved.add(change, try zone(of: change.record)) }
    return moved.all
  }

  /// Moves a record with what it owns to the zone of a share, to be sent there.
  func move(_ root: RecordName, to zone: String) throws {
    try transaction {
      var moved = Distribution()
      try move(try owned(by: root), to: zone, &moved)
      for (zone, changes) in moved.all { try ledger.append(makeTransaction(changes), zone: zone) }
      try correctView()
    }
  }

  /// The new zone gets the state of each record. The old zone gets a mark that says where the record is now.
  func move(_ names: [RecordName], to zone: String, _ moved: inout Distribution) throws {
    for name in names {
      guard let state = try view.state(name) else { continue }
      let old = state.place
      let mark = mark(name, state, in: zone)
      try show(mark)
      guard let state = try view.state(name) else { continue }
      var changes = Self.changes(of: name, state)
      // The log of the new zone may know of other moves, which this replica has not seen.
      changes[0].fields[SyncSchema.home]?.over = mark.fields[SyncSchema.home]?.over
      for change in changes { try keepAssets(of: change) }
      for change in changes { moved.add(change, zone) }
      moved.add(mark, old)
      try view.place(name, in: zone)
    }
  }

  /// The change which says that a record is in a zone from now on.
  func mark(_ name: RecordName, _ state: RecordState, in zone: String) -> RecordChange {
    var mark = RecordChange(name, state.entity)
    mark.fields[SyncSchema.home] = FieldWrite(
      .text(ledger.zones.home(of: zone)), tick(), over: state.fields[SyncSchema.home]?.time)
    return mark
  }

  /// Changes by zone, in the order of their first changes.
  struct Distribution {
    private(set) var all: [(zone: String, changes: [RecordChange])] = []

    mutating func add(_ change: RecordChange, _ zone: String) {
      if let index = all.firstIndex(where: { $0.zone == zone }) {
        all[index].changes.append(change)
      } else {
        all.append((zone, [change]))
      }
    }
  }

  // MARK: - Zones that come and go

  /// The shares that the account cannot read any more.
  /// - Parameter zones: all that it can read.
  private func lostShares(_ zones: [ZoneInfo]) -> [String] {
    let readable = Set(zones.map(\.name))
    return shares.map(\.name).filter { !readable.contains($0) }
  }

  /// The unsent transactions of shares that the account cannot read any more, by share. The server may have taken some: its answers
  /// may have been lost.
  /// - Parameter zones: all that the account can read.
  func unsentInLostShares(_ zones: [ZoneInfo]) -> [String: [UUID]] {
    let lost = Set(lostShares(zones))
    guard !lost.isEmpty else { return [:] }
    return Dictionary(grouping: ledger.pending.filter { lost.contains($0.zone) }, by: \.zone).mapValues {
      $0.map(\.transaction.id)
    }
  }

  /// Takes over which zones the account can read. Objects of zones that it cannot read any more leave the user's store.
  /// - Parameter taken: the transactions of ``unsentInLostShares(_:)`` that the server took.
  func didSee(_ zones: [ZoneInfo], taken: Set<UUID> = []) throws {
    guard let own = zones.first(where: { $0.name == SyncWire.privateZone }) else { return }
    // A server that is older than `SyncWire.accountHeader` does not check the account.
    if let account = ledger.replica.account, account != own.owner { throw SyncFailure.otherAccount(account, own.owner) }
    let shares = zones.filter { $0.name != SyncWire.privateZone }.sorted { $0.name < $1.name }
    let (lost, known) = (lostShares(zones), self.shares)
    let isOther = own.owner != ledger.replica.account || known.map(\.identity) != shares.map(\.identity)
    guard isOther || !lost.isEmpty else { return }
    try transaction {
      for zone in lost { try drop(zone, taken) }
      ledger.replica.account = own.owner
      if !shares.isEmpty || ledger.places.shares != nil { ledger.places.setShares(shares) }
      // Without shares the view does not depend on zones.
      try correctView()
    }
  }

  /// Whether a list of zones is the one that the replica took over last, but for newest numbers, so that ``didSee(_:taken:)`` has nothing
  /// to do.
  func hasTaken(_ zones: [ZoneInfo]) -> Bool {
    let own = zones.first { $0.name == SyncWire.privateZone }
    guard own?.owner == ledger.replica.account else { return false }
    let shares = zones.filter { $0.name != SyncWire.privateZone }.sorted { $0.name < $1.name }
    return self.shares.map(\.identity) == shares.map(\.identity)
  }

  /// Removes the objects of a zone from the user's store, and all that the ledger knows of the zone.
  private func drop(_ zone: String, _ taken: Set<UUID>) throws {
    try scan()
    let names = try ledger.shownNames(zone: zone)
    for start in stride(from: 0, to: names.count, by: 500) {
      try dismiss(Array(names[start..<min(start + 500, names.count)]))
    }
    try removeUnsent(zone: zone, taken: taken)
    try restartRefolding()
    try secrets.setKeys(nil, of: zone)
    try settle(try ledger.forget(zone: zone), without: zone)
    loadKeys()
  }

  /// Undoes unsent changes of a zone that the account may not change. ``catchUp()`` shows the outcome.
  /// - Returns: how many transactions it undid.
  @discardableResult
  func undoUnsent(zone: String) throws -> Int {
    try transaction {
      try scan()
      return try removeUnsent(zone: zone)
    }
  }
}

extension ZoneInfo {
  /// What a replica keeps of a zone: all but its newest number, which changes with each save.
  fileprivate var identity: ZoneInfo {
    ZoneInfo(
      name: name, owner: owner, isWritable: isWritable, latest: 0, root: root, keyGeneration: keyGeneration,
      needsKeys: needsKeys)
  }
}
#endif
