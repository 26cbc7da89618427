import Foundation
import SyncCore
import SyncProtocol

/// A server without a network: `Server` of the model, as far as the named cases need it.
struct TestServer {
  enum Answer { case taken, pull, forbidden, moved }

  struct Share {
    var owner: ZoneName
    var root: RecordName
    /// Whether a member may write.
    var members: [ZoneName: Bool] = [:]
  }

  struct Pulled {
    var cursor: Int64
    /// The zones that the account may read, and whether it may write them.
    var zones: [ZoneName: Bool]
    var roots: Set<RecordKey>
    var whole: [ZoneName: ZoneState]
    var log: [ZoneStates.Entry]
    var taken: Set<UUID>
  }

  /// Milliseconds since 1970.
  var now: Int64 = 1_800_000_000_000
  var shares: [ZoneName: Share] = [:]
  private(set) var commit: Int64 = 0
  private var log: [ZoneStates.Entry] = []
  private var ids: [UUID: Int64] = [:]
  /// The commit up to which the log of a zone is folded.
  private var folded: [ZoneName: Int64] = [:]
  /// A push has to have seen this commit.
  private var floor: Int64 = 0

  func may(_ account: ZoneName, _ zone: ZoneName, write: Bool = false) -> Bool {
    guard let share = shares[zone] else { return zone == account }
    return share.owner == account || share.members[account].map { $0 || !write } ?? false
  }

  /// Appends a transaction to all of its zones or to none. `before`: the transactions that have to come first.
  mutating func push(
    _ transaction: OutgoingTransaction, from account: ZoneName, cursor: Int64, before: Set<UUID>
  ) -> Answer {
    if ids[transaction.id] != nil { return .taken }
    if cursor < floor || !before.allSatisfy({ ids[$0] != nil }) { return .pull }
    guard transaction.parts.keys.allSatisfy({ may(account, $0, write: true) }) else { return .forbidden }
    let own = Set(before.compactMap { ids[$0] })
    for entry in log where entry.commit > cursor && !own.contains(entry.commit) {
      for (zone, part) in transaction.parts {
        if case .change(let other)? = entry.parts[zone], Self.collide(part, other) { return .moved }
      }
    }
    append(transaction.parts.mapValues { .change($0) })
    ids[transaction.id] = commit
    return .taken
  }

  private mutating func append(_ parts: [ZoneName: ZoneStates.Entry.Part]) {
    commit += 1
    log.append(ZoneStates.Entry(commit: commit, parts: parts))
  }

  /// Whether one of two concurrent parts moves a record that the other one writes or leads to.
  private static func collide(_ one: [RecordName: Registers], _ two: [RecordName: Registers]) -> Bool {
    func moved(_ part: [RecordName: Registers]) -> Set<RecordName> { Set(part.filter { $0.value.home != nil }.keys) }
    func named(_ part: [RecordName: Registers]) -> Set<RecordName> {
      part.values.reduce(into: Set(part.keys)) { $0.formUnion($1.referencedNames) }
    }
    return !moved(one).isDisjoint(with: named(two)) || !moved(two).isDisjoint(with: named(one))
  }

  private func state(_ zone: ZoneName) -> ZoneState {
    var states = ZoneStates()
    for entry in log {
      states.reduce(ZoneStates.Entry(commit: entry.commit, parts: entry.parts.filter { $0.key == zone }))
    }
    return states[zone]
  }

  /// What follows a cursor in all zones of an account, up to one commit.
  func pull(_ account: ZoneName, cursor: Int64, known: Set<ZoneName>, unsent: [UUID]) -> Pulled {
    let zones = [account] + shares.keys.filter { may(account, $0) }
    let whole = zones.filter { !known.contains($0) || folded[$0] ?? 0 > cursor }
    let entries = log.filter { $0.commit > cursor }.map { entry in
      ZoneStates.Entry(
        commit: entry.commit, parts: entry.parts.filter { zones.contains($0.key) && !whole.contains($0.key) })
    }
    return Pulled(
      cursor: commit, zones: Dictionary(uniqueKeysWithValues: zones.map { ($0, may(account, $0, write: true)) }),
      roots: Set(zones.compactMap { zone in shares[zone].map { RecordKey(zone, $0.root) } }),
      whole: Dictionary(uniqueKeysWithValues: whole.map { ($0, state($0)) }), log: entries,
      taken: Set(unsent.filter { ids[$0] != nil }))
  }

  /// Forgets all dead and departed records of a zone that no view needs, and folds its log.
  mutating func compact(_ zone: ZoneName) {
    let state = state(zone)
    let old = state.forgettable(among: Set(state.records.keys), in: zone)
    if !old.isEmpty { append([zone: .forget(old)]) }
    folded[zone] = commit
    floor = commit
  }
}
