#if Sync
import SyncProtocol

// A record is in one zone, and only the log of that zone says what it is. What the log of another zone says is kept apart, under
// a name of its own, until the record is in that zone. So it does not matter in which order a replica reads the logs, and
// a write to the log of another zone does not change the record.

/// The zones that an account can read.
struct ReadableZones {
  /// The name of the private zone in logs; empty before the server named the account.
  private var ownHome = ""
  /// Whether the account has shares or had some, so that records can be in different zones.
  private(set) var areSeveral = false
  /// The shares of the account itself.
  private var own: Set<String> = []
  /// The shares by zone.
  private var infos: [String: ZoneInfo] = [:]

  /// All zones.
  private(set) var all = [SyncWire.privateZone]

  /// The private zone of any account.
  init() {}

  /// - Parameter shares: the zones of shares; nil for an account that never had one.
  init(account: String, shares: [ZoneInfo]?) {
    ownHome = Self.privateHome(of: account)
    areSeveral = shares != nil
    all += shares?.map(\.name) ?? []
    own = Set(shares?.filter { $0.owner == account }.map(\.name) ?? [])
    for share in shares ?? [] { infos[share.name] = share }
  }

  /// The name of the private zone of an account in logs.
  static func privateHome(of account: String) -> String { "\(SyncWire.privateZone)/\(account)" }

  /// The name of a zone in logs, where it means the same to every account.
  func home(of zone: String) -> String { zone == SyncWire.privateZone ? ownHome : zone }

  /// The zone that a record left its zone for; nil if it did not leave, or if the account cannot read that zone.
  func destination(of state: RecordState) -> String? {
    guard !state.claims(self), let home = state.home else { return nil }
    return home == ownHome ? SyncWire.privateZone : infos[home]?.name
  }

  /// What the account may do in the zone of a share; nil for other zones.
  func share(_ zone: String) -> ZoneInfo? { infos[zone] }

  /// The zones among some that the account can read, in the order of ``all``.
  func readable(of names: Set<String>) -> [String] {
    let shares = names.filter { infos[$0] != nil }.sorted()
    return names.contains(SyncWire.privateZone) ? [SyncWire.privateZone] + shares : shares
  }

  func canRead(home: String) -> Bool { home == ownHome || infos[home] != nil }

  func isOwn(_ zone: String) -> Bool { own.contains(zone) }

  /// Whether a record is what the share of its zone was made of.
  func isRoot(_ name: RecordName, in zone: String) -> Bool { infos[zone]?.root == name }
}

extension RecordName {
  /// The name under which a replica keeps what the log of a zone says of the record while it is in another zone.
  func apart(_ zone: String) -> RecordName { RecordName("\(text)@\(zone)") }

  /// The record that this is what a log says of; the name itself for a record.
  var joined: RecordName { text.firstIndex(of: "@").map { RecordName(String(text[..<$0])) } ?? self }

  var isApart: Bool { zoneApart != nil }

  /// The zone whose log says this of the record; nil for a record.
  var zoneApart: String? {
    if isUUID { return nil }
    let text = text
    return text.firstIndex(of: "@").map { String(text[text.index(after: $0)...]) }
  }
}

extension RecordState {
  /// Whether the log of its zone says that the record is there.
  func claims(_ zones: ReadableZones) -> Bool { home == nil || home == zones.home(of: place) }

  mutating func delete(_ time: HybridTime) {
    deleted = time
    // Where it moved to decides which log counts.
    fields = fields.filter { $0.key == SyncSchema.home }
    members = [:]
  }
}

extension Fold {
  /// A mark that lost against another one: two replicas moved a record without having seen each other's move.
  struct LostMark {
    let record: RecordName
    /// Where the losing replica moved the record; the zone of the log itself, if the replica moved it there.
    let home: FieldValue
    let time: HybridTime
  }

  /// The name under which a replica keeps what the log of a zone says of a record.
  func key(_ name: RecordName, in zone: String) throws -> RecordName {
    try !zones.areSeveral || state(name)?.place == zone ? name : name.apart(zone)
  }

  /// Applies an entry of the log of a zone.
  func apply(_ entry: LogEntry, zone: String) throws {
    try apply(entry.transaction.changes, zone: zone, by: entry.account)
  }

  /// Applies changes to the log of a zone.
  /// - Parameter account: the account that made them; nil for the account of this replica.
  func apply(_ changes: [RecordChange], zone: String, by account: String? = nil) throws {
    sender = account.map(ReadableZones.privateHome(of:)) ?? zones.home(of: SyncWire.privateZone)
    seen = try SeenByDeletions(changes, resolve: resolve)
    for change in changes {
      if case .record(let survivor)? = change.fields[SyncWire.aliasField]?.value {
        try become(change.record, survivor, change.entity, zone)
      } else {
        try apply(change, zone: zone)
      }
    }
    try mergeChanged()
  }

  private func apply(_ change: RecordChange, zone: String) throws {
    guard zones.areSeveral else { return try apply(change) }
    let name = change.record
    // These names are the replica's own.
    guard !name.isApart else { return }
    let isNew = try state(name) == nil
    if isNew { try begin(name, change.entity, zone) }
    let isHere = try state(name)?.place == zone
    if isHere { try apply(change) } else { try applyApart(change, zone) }
    if isNew || !isHere || change.fields[SyncSchema.home] != nil { try settle(name) }
  }

  /// A record that the replica did not know is where it is first heard of.
  private func begin(_ name: RecordName, _ entity: String, _ zone: String) throws {
    if let apart = try state(name.apart(zone)), apart.alias == nil { return try bring(apart, name) }
    var state = RecordState(entity: entity)
    if zone != SyncWire.privateZone { state.zone = zone }
    put(name, state)
  }

  /// Puts a new record of this replica into a zone.
  func place(_ name: RecordName, in zone: String) throws {
    guard var state = try state(name) else { return }
    state.zone = zone == SyncWire.privateZone ? nil : zone
    put(name, state)
  }

  private func applyApart(_ change: RecordChange, _ zone: String) throws {
    let name = change.record.apart(zone)
    var change = change
    var state = try state(name) ?? RecordState(entity: change.entity)
    if state.alias != nil { state = RecordState(entity: change.entity) }
    if zone != SyncWire.privateZone { state.zone = zone }
    try move(&change, &state, name)
    let isDeleted = state.deleted != nil
    if !isDeleted { try write(change, to: &state, name) }
    state.isAway = true
    put(name, state)
    if isDeleted { return try orphan(change, state) }
    if let time = change.deleted { return try delete(change.record, time, in: zone) }
    try followDeletedOwner(change.record, state)
  }

  /// Notes where a record goes, also a deleted one: where it is decides which deletion counts.
  ///
  /// A record that comes back to a zone brings all that it is. What the zone knew of it before does not count.
  ///
  /// An account may have moved the record into its private zone, and a device of another account, which has not seen this, moves the record
  /// here. That move does not count. The log of the private zone, which only its own account reads, still says that the record is there.
  func move(_ change: inout RecordChange, _ state: inout RecordState, _ name: RecordName) throws {
    guard let mark = change.fields[SyncSchema.home] else { return }
    let (old, here) = (state.fields[SyncSchema.home], FieldValue.text(zones.home(of: state.place)))
    // A replica that sends once more what it knows of a record says that it has seen its own mark.
    if let old, old.value == here, mark.value != here, mark.over != mark.time, mark.over ?? .zero < old.time {
      // The mark takes the record out of this zone, and its writer had not seen the newest move into this zone. The mark does not count.
      // Otherwise each log could name another zone, and an account that cannot read all of these zones would not show the record.
      lostMarks.append(LostMark(record: name.joined, home: mark.value, time: mark.time))
      change.fields[SyncSchema.home] = nil
      return
    }
    let wins = old.map { mark.time > $0.time } ?? true
    if wins, !state.claims(zones), mark.value == here {
      if let old, mark.over ?? .zero < old.time, isPrivateHomeOfOther(old.value) {
        change.fields[SyncSchema.home] = nil
        return
      }
      if state.isAlive { try release(state, name) }
      (state.fields, state.members, state.deleted) = ([:], [:], nil)
    } else if let old, old.time != mark.time, old.value != mark.value {
      // A record that left the zone is elsewhere. So another mark does not move it, even if its writer saw the first one.
      let leftTwice = old.value != here && mark.value != here
      if old.time != mark.over || leftTwice {
        let (home, time) = wins ? (old.value, old.time) : (mark.value, mark.time)
        lostMarks.append(LostMark(record: name.joined, home: home, time: time))
      }
    }
    if wins, state.deleted != nil { state.fields[SyncSchema.home] = .init(value: mark.value, time: mark.time) }
  }

  /// Whether a mark names the private zone of another account than the one that made the current transaction.
  private func isPrivateHomeOfOther(_ mark: FieldValue) -> Bool {
    guard case .text(let home) = mark else { return false }
    return home.hasPrefix(ReadableZones.privateHome(of: "")) && home != sender
  }

  /// Chooses the log that counts for a record: that of the zone where it is.
  func settle(_ name: RecordName) throws {
    let current = try state(name)
    if current?.alias != nil { return }
    var known = current.map { [$0] } ?? []
    // An account can have many shares, and few of their logs say something of one record.
    for zone in zones.readable(of: try zonesApart(of: name)) where zone != current?.place {
      if let apart = try state(name.apart(zone)), apart.alias == nil { known.append(apart) }
    }
    guard let best = known.max(by: { isLess($0, $1, known) }), best.place != current?.place else { return }
    if var current {
      try release(current, name)
      left[name] = current.place
      current.isAway = true
      put(name.apart(current.place), current)
    }
    try bring(best, name)
  }

  /// Puts a state that was kept apart into the place of its record.
  private func bring(_ state: RecordState, _ name: RecordName) throws {
    var apart = RecordState(entity: state.entity)
    (apart.zone, apart.alias) = (state.zone, name)
    put(name.apart(state.place), apart)
    var state = state
    state.isAway = state.home.map(zones.canRead) ?? true ? nil : true
    put(name, state)
    guard state.isAlive else { return }
    try followDeletedOwner(name, state)
    noteChange(name, state)
  }

  /// Whether one log counts less than another for a record.
  ///
  /// A log counts until it says that the record left. If several logs say that it is there, it is on its way, or somebody put a
  /// record there that is not theirs. The account's own log goes before those of shares, and a log that another one names
  /// goes before one that none names.
  private func isLess(_ one: RecordState, _ other: RecordState, _ known: [RecordState]) -> Bool {
    let claims = (one.claims(zones), other.claims(zones))
    guard claims.0, claims.1 else {
      if claims.0 != claims.1 { return claims.1 }
      // A record that went from zone to zone: the last one says where it is. Clocks are wrong, so that times do not tell.
      func isLast(_ state: RecordState) -> Bool { !known.contains { zones.home(of: $0.place) == state.home } }
      if isLast(one) != isLast(other) { return isLast(other) }
      let times = [one, other].map { $0.fields[SyncSchema.home]?.time ?? .zero }
      return (times[0], other.place) < (times[1], one.place)
    }
    func rank(_ state: RecordState) -> [Bool] {
      let home = zones.home(of: state.place)
      return [
        state.zone == nil, known.contains { $0.place != state.place && $0.home == home }, state.home == nil,
        zones.isOwn(state.place),
      ]
    }
    let ranks = (rank(one), rank(other))
    for (left, right) in zip(ranks.0, ranks.1) where left != right { return right }
    return other.place < one.place
  }
}
#endif
