#if Sync
import Foundation
import SyncProtocol

/// Applies transactions to records. The result is a function of the transactions and their order, so that replicas that have
/// seen the same log are equal.
///
/// It keeps what it changed and reads the rest from its source. A fold is a source itself: that of the shadow has the log,
/// and one on top of it has what this replica has not sent yet.
final class Fold: RecordSource {
  /// A write that replaced a value which its writer had not seen, or was lost to a deletion. Then the kept value is null.
  struct Conflict: Equatable {
    let record: RecordName
    let entity: String
    let property: String
    let lost: FieldValue
    let kept: FieldValue
    let lostTime: HybridTime
    let keptTime: HybridTime
  }

  let schema: SyncSchema
  let source: any RecordSource
  let zones: ReadableZones

  // MARK: - Mutable State
  // A fold belongs to one replica and is used by one thread at a time.

  /// What was changed.
  private(set) var states = RecordMap<RecordState>()
  private(set) var uniques: [String: RecordName?] = [:]
  private var referrersAdded: [RecordName: Set<Referrer>] = [:]
  /// The zones of what was kept apart here, by record.
  private var apart: [RecordName: Set<String>] = [:]
  var conflicts: [Conflict] = []
  /// What was written to records that had left for zones which the account cannot read.
  var leftBehind: [Conflict] = []
  /// What the replica of the current transaction had seen of what it deletes.
  var seen = SeenByDeletions()
  /// The private zone of the account that made the current transaction, as logs name it.
  var sender = ""
  var lostMarks: [LostMark] = []
  /// The records with unique values that the current transaction changed.
  private var changed: [RecordName] = []
  /// The records that deletions took, in order.
  private(set) var deleted: [RecordName] = []
  /// The zones that records left.
  var left: [RecordName: String] = [:]

  init(_ schema: SyncSchema, over source: any RecordSource, zones: ReadableZones = ReadableZones()) {
    (self.schema, self.source, self.zones) = (schema, source, zones)
  }

  // MARK: - Reading

  func state(_ name: RecordName) throws -> RecordState? { try states[name] ?? source.state(name) }

  func alias(_ name: RecordName) throws -> RecordName? {
    if let state = states[name] { return state.alias }
    return try source.alias(name)
  }

  func holder(of unique: String) throws -> RecordName? {
    if let holder = uniques[unique] { return holder }
    return try source.holder(of: unique)
  }

  func possibleReferrers(to target: RecordName) throws -> Set<Referrer> {
    try source.possibleReferrers(to: target).union(referrersAdded[target] ?? [])
  }

  func zonesApart(of name: RecordName) throws -> Set<String> {
    let known = try source.zonesApart(of: name)
    return apart[name].map(known.union) ?? known
  }

  /// The records that lead to a record.
  func referrers(to target: RecordName) throws -> Set<Referrer> {
    try possibleReferrers(to: target).filter { referrer in
      guard let state = try state(referrer.owner), state.isAlive else { return false }
      return state.target(referrer.property) == target || state.contains(target, in: referrer.property)
    }
  }

  /// The record that a name stands for.
  func resolve(_ name: RecordName) throws -> RecordName {
    var name = name
    while let next = try alias(name) { name = next }
    return name
  }

  /// Whether both values of a conflict are names of one record, whose objects became one.
  func isOne(_ conflict: Conflict) throws -> Bool {
    guard case (.record(let lost), .record(let kept)) = (conflict.lost, conflict.kept) else { return false }
    return try resolve(lost) == resolve(kept)
  }

  func isAlive(_ name: RecordName) throws -> Bool { try state(name)?.isAlive ?? false }

  // MARK: - Writing

  func put(_ name: RecordName, _ state: RecordState) {
    for reference in state.references {
      referrersAdded[reference.target, default: []].insert(Referrer(owner: name, property: reference.property))
    }
    if let zone = name.zoneApart { apart[name.joined, default: []].insert(zone) }
    states.set(name, state)
  }

  /// Takes over what another fold of the same log made.
  func take(_ states: some Sequence<(RecordName, RecordState)>, _ uniques: [String: RecordName?]) {
    for (name, state) in states { put(name, state) }
    self.uniques.merge(uniques) { $1 }
  }

  func setHolder(of unique: String, _ name: RecordName?) { uniques[unique] = .some(name) }

  /// Makes room for the records of transactions.
  func reserve(_ count: Int) {
    states.reserve(states.count + count)
  }

  /// Applies a change of a transaction to the record, whatever zone it is in. ``mergeChanged()`` follows the last one.
  func apply(_ change: RecordChange) throws {
    var name = change.record
    var known = try state(name)
    while let next = known?.alias {
      name = next
      known = try state(name)
    }
    var change = change
    var state = known ?? RecordState(entity: change.entity)
    if change.fields[SyncSchema.home] != nil { try move(&change, &state, name) }
    guard state.deleted == nil else {
      if state.home != nil { put(name, state) }
      noteLost(change, state, name)
      try orphan(change, state)
      return
    }
    noteLeftBehind(change, state, name)
    try write(change, to: &state, name)
    put(name, state)
    if let time = change.deleted { return try delete(name, time, in: state.place) }
    try followDeletedOwner(name, state)
    noteChange(name, state)
  }

  /// Notes a record whose unique values others may have.
  func noteChange(_ name: RecordName, _ state: RecordState) {
    if schema[state.entity]?.unique.isEmpty == false { changed.append(name) }
  }

  /// Merges the changed records whose unique values other records have.
  ///
  /// It does so at the end of a transaction, because a save can hand a unique value over: it deletes an object and inserts
  /// another one with its value, or exchanges the values of two.
  func mergeChanged() throws {
    let names = changed
    changed = []
    for name in names { try mergeEqual(name) }
  }

  /// Writes the fields and members of a change.
  func write(_ change: RecordChange, to state: inout RecordState, _ name: RecordName) throws {
    try write(change.fields, to: &state, name)
    if let home = state.home { state.isAway = zones.canRead(home: home) ? nil : true }
    for (property, members) in change.members ?? [:] {
      for (member, write) in members { try apply(write, to: &state, property, try resolve(member)) }
    }
  }

  private func write(_ fields: PropertyMap<FieldWrite>, to state: inout RecordState, _ name: RecordName) throws {
    let entity = state.entity
    try state.fields.merge(fields) { property, old, write in
      var value = write.value
      if case .record(let target) = value { value = .record(try resolve(target)) }
      let wins = old.map { write.time > $0.time } ?? true
      if let old, old.time != write.over, old.time != write.time, old.value != value, !name.isApart,
        property != SyncSchema.home, !SyncSchema.isPlace(property)
      {
        conflicts.append(
          Conflict(
            record: name, entity: entity, property: property, lost: wins ? old.value : value,
            kept: wins ? value : old.value, lostTime: wins ? old.time : write.time,
            keptTime: wins ? write.time : old.time))
      }
      return wins ? RecordState.Field(value: value, time: write.time) : nil
    }
  }

  private func apply(
    _ write: MemberWrite, to state: inout RecordState, _ property: String, _ member: RecordName
  ) throws {
    var entry = state.members[property]?[member] ?? RecordState.Member()
    entry.tags.subtract(write.remove ?? [])
    if let tag = write.add { entry.tags.insert(tag) }
    func place(_ place: inout RecordState.Field?, _ write: FieldWrite?) {
      guard let write, place.map({ write.time > $0.time }) ?? true else { return }
      place = RecordState.Field(value: write.value, time: write.time)
    }
    place(&entry.place, write.place)
    place(&entry.inversePlace, write.inversePlace)
    state.members[property, default: [:]][member] = entry.tags.isEmpty ? nil : entry
  }

  // MARK: - Deletions

  /// A deletion wins over all else. What the record owns by a cascade goes with it, also what another replica added.
  ///
  /// Who deletes in one zone has no say in another one: the cascade follows what the log of this zone says, whatever zones the
  /// records are in. A record that left the zone takes nothing along.
  ///
  /// - Parameter isUnseen: whether the replica that deleted cannot have seen the record as it is.
  func delete(_ name: RecordName, _ time: HybridTime, in zone: String, isUnseen: Bool = false) throws {
    var isUnseen = isUnseen
    // Not recursive: records can own one another in a chain of any length.
    var next = [name]
    while let name = next.popLast() {
      next += try deleteOne(name, time, in: zone, isUnseen: isUnseen)
      isUnseen = false
    }
  }

  /// - Returns: what the record owns by a cascade.
  private func deleteOne(
    _ name: RecordName, _ time: HybridTime, in zone: String, isUnseen: Bool
  ) throws -> Set<RecordName> {
    let key = try key(name, in: zone)
    guard var state = try state(key), state.deleted == nil, state.alias == nil else { return [] }
    if state.isAlive {
      try release(state, name)
      for (property, field) in state.fields where isUnseen || !seen.has(field.time, to: name, deletedAt: time) {
        noteLost(field.value, field.time, of: property, to: time, state.entity, name)
      }
    }
    let owned = state.claims(zones) ? try cascade(of: name, state) : []
    state.delete(time)
    put(key, state)
    deleted.append(name)
    return owned
  }

  /// What a record leads to by relationships whose delete rule is a cascade, as the log of its zone says.
  func cascade(of name: RecordName, _ state: RecordState) throws -> Set<RecordName> {
    guard let entity = schema[state.entity] else { return [] }
    var found = Set<RecordName>()
    for property in entity.properties.values where property.cascades {
      switch property.kind {
      case .attribute: break
      case .reference: if let target = state.target(property.name) { found.insert(target) }
      case .members: found.formUnion(state.references.filter { $0.property == property.name }.map(\.target))
      case .derivedReference, .derivedFromReference, .derivedFromMembers:
        found.formUnion(try sources(of: name, property, in: state.place))
      }
    }
    return found
  }

  /// The records that lead to a record by the inverse of its relationship. Other entities may have a property of the same
  /// name.
  func sources(of name: RecordName, _ property: SyncSchema.Property) throws -> [RecordName] {
    guard let inverse = property.inverse else { return [] }
    return try referrers(to: name).filter { referrer in
      try referrer.property == inverse && isKind(referrer.owner, of: property.destination)
    }.map(\.owner)
  }

  /// The records of which the log of a zone says that they lead to a record by the inverse of its relationship.
  private func sources(of name: RecordName, _ property: SyncSchema.Property, in zone: String) throws -> [RecordName] {
    guard zones.areSeveral else { return try sources(of: name, property) }
    return try possibleReferrers(to: name).filter { referrer in
      guard referrer.property == property.inverse, let state = try state(referrer.owner), state.place == zone,
        state.deleted == nil, state.alias == nil, try isKind(referrer.owner, of: property.destination)
      else { return false }
      return state.target(referrer.property) == name || state.contains(name, in: referrer.property)
    }.map(\.owner.joined)
  }

  private func isKind(_ name: RecordName, of entity: String) throws -> Bool {
    var current = try state(name)?.entity
    while let name = current {
      if name == entity { return true }
      current = schema[name]?.superentity
    }
    return false
  }

  /// A record that leads to a deleted owner, whose cascade would have taken it, is deleted too.
  /// - Parameter state: what the log of a zone says of the record.
  func followDeletedOwner(_ name: RecordName, _ state: RecordState) throws {
    let references = state.references
    guard !references.isEmpty, let entity = schema[state.entity] else { return }
    for reference in references {
      guard let property = entity.properties[reference.property], let inverse = schema.inverse(of: property),
        inverse.cascades, let owner = try self.state(key(reference.target, in: state.place)), owner.claims(zones),
        let time = owner.deleted
      else { continue }
      return try delete(name, time, in: state.place, isUnseen: true)
    }
  }

  /// A change of a deleted record: what it newly owns by a cascade goes too.
  func orphan(_ change: RecordChange, _ state: RecordState) throws {
    guard let time = state.deleted, state.claims(zones), let entity = schema[change.entity] else { return }
    for property in entity.properties.values where property.cascades {
      if case .record(let target)? = change.fields[property.name]?.value {
        try delete(try resolve(target), time, in: state.place, isUnseen: true)
      }
      for (member, write) in change.members?[property.name] ?? [:] where write.add != nil {
        try delete(try resolve(member), time, in: state.place, isUnseen: true)
      }
    }
  }

  // MARK: - Unique values

  /// The texts that stand for a record's unique values; a set with a null among its values is not unique.
  private func uniqueTexts(_ state: RecordState) -> [String] {
    UniqueText.all(of: state.entity, schema) { state.fields[$0]?.value }
  }

  func release(_ state: RecordState, _ name: RecordName) throws {
    for unique in uniqueTexts(state) where try holder(of: unique) == name { uniques[unique] = .some(nil) }
  }

  /// Two records with one unique value become one: the one whose name is smaller, with the later values of both.
  private func mergeEqual(_ name: RecordName) throws {
    guard let state = try state(name), state.isAlive else { return }
    for unique in uniqueTexts(state) {
      if let holder = try holder(of: unique), holder != name, let other = try self.state(holder), other.isAlive,
        uniqueTexts(other).contains(unique)
      {
        return try merge(min(name, holder), max(name, holder))
      }
      uniques[unique] = name
    }
  }

  private func merge(_ survivor: RecordName, _ other: RecordName) throws {
    guard var state = try state(survivor), var gone = try self.state(other) else { return }
    try release(gone, other)
    try release(state, survivor)
    // The survivor stays in its zone.
    for (property, field) in gone.fields where property != SyncSchema.home {
      let old = state.fields[property]
      let wins = old.map { field.time > $0.time } ?? true
      if let old, old.value != field.value, !survivor.isApart, !SyncSchema.isPlace(property) {
        let (lost, kept) = wins ? (old, field) : (field, old)
        conflicts.append(
          Conflict(
            record: survivor, entity: state.entity, property: property, lost: lost.value, kept: kept.value,
            lostTime: lost.time, keptTime: kept.time))
      }
      if wins { state.fields[property] = field }
    }
    for (property, members) in gone.members {
      state.members[property, default: [:]].merge(members) { Self.united($0, $1) }
    }
    let referrers = try referrers(to: other)
    gone.alias = survivor
    gone.fields = [:]
    gone.members = [:]
    put(survivor, state)
    put(other, gone)
    for referrer in referrers { try redirect(referrer, from: other, to: survivor) }
    try mergeEqual(survivor)
  }

  static func united(_ one: RecordState.Member, _ other: RecordState.Member) -> RecordState.Member {
    func later(_ one: RecordState.Field?, _ other: RecordState.Field?) -> RecordState.Field? {
      guard let one, let other else { return one ?? other }
      return one.time > other.time ? one : other
    }
    return RecordState.Member(
      tags: one.tags.union(other.tags), place: later(one.place, other.place),
      inversePlace: later(one.inversePlace, other.inversePlace))
  }

  func redirect(_ referrer: Referrer, from old: RecordName, to new: RecordName) throws {
    // The owner may have been merged itself.
    guard var state = try state(referrer.owner), state.isAlive else { return }
    if state.target(referrer.property) == old { state.fields[referrer.property]!.value = .record(new) }
    if let member = state.members[referrer.property]?.removeValue(forKey: old) {
      state.members[referrer.property]![new] =
        state.members[referrer.property]![new].map { Self.united($0, member) } ?? member
    }
    put(referrer.owner, state)
  }
}
#endif
