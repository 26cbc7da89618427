import Foundation
import SyncProtocol

@testable import SyncServer

/// `Server` of Tests/SyncCoreTests/Model/model.py: the log in memory, without a database, pages or parts.
///
/// It differs from the model in three rules, each of which refuses less: a push needs to have seen the folds of its own zones alone,
/// identities are those of an account, and a fold goes before the entry that forgets.
struct ModelServer {
  struct Share {
    let owner: String
    var members: [String: Bool] = [:]
  }

  struct Entry {
    let commit: Int64
    var parts: [ZoneName: ZoneStates.Entry.Part]
  }

  struct Identity: Hashable {
    let account: String
    let id: UUID
  }

  var now: Int64 = 0
  private(set) var commit: Int64 = 0
  private var log: [Entry] = []
  private var snapshots: [ZoneName: (commit: Int64, state: SyncProtocol.ZoneState)] = [:]
  private var ids: [Identity: Int64] = [:]
  /// The numbers of the starts, and the last commits before them.
  private(set) var epochs: [(name: Int, start: Int64)] = []
  var shares: [ZoneName: Share] = [:]
  private var assets: [ZoneName: Set<String>] = [:]

  mutating func start(_ name: Int) { epochs.append((name, commit)) }

  func may(_ account: String, _ zone: ZoneName, write: Bool = false) -> Bool {
    if !zone.isShare { return zone.name.text == account }
    guard let share = shares[zone] else { return false }
    return share.owner == account || share.members[account].map { $0 || !write } ?? false
  }

  /// The zones that an account may read, and whether it may write to them.
  func zones(_ account: String) -> [ZoneName: Bool] {
    let all = [.account(ExactText(account))] + shares.keys.filter { may(account, $0) }
    return Dictionary(uniqueKeysWithValues: all.map { ($0, may(account, $0, write: true)) })
  }

  mutating func upload(_ hash: String, to zone: ZoneName) { assets[zone, default: []].insert(hash) }

  /// Appends a transaction to all of its zones or to none.
  /// - Parameter before: the transactions that have to come first.
  /// - Returns: the reason why it was refused.
  mutating func push(
    _ transaction: SyncLog.Transaction, _ account: String, cursor: Int64, epoch: Int, before: [UUID]
  ) -> SyncFailure.Code? {
    if ids[Identity(account: account, id: transaction.id)] != nil { return nil }
    let times = transaction.parts.values.flatMap(\.values).compactMap(\.latestTime)
    if times.contains(where: { $0.milliseconds > now + SyncWire.clockTolerance }) { return .clockAhead }
    let earlier = before.map { ids[Identity(account: account, id: $0)] }
    if epoch != epochs.last?.name || cursor > commit || earlier.contains(nil) { return .behind }
    for zone in transaction.parts.keys.sorted() {
      guard may(account, zone, write: true) else { return .forbidden }
      if snapshots[zone]?.commit ?? 0 > cursor { return .behind }
      for entry in log where entry.commit > cursor && !earlier.contains(entry.commit) {
        guard case .change(let other)? = entry.parts[zone], let own = transaction.parts[zone] else { continue }
        if Self.collide(own, other) { return .moved }
      }
    }
    var links: [ZoneName: Set<String>] = [:]
    for (zone, part) in transaction.parts {
      for hash in part.values.flatMap(\.assets).map(\.sha256) where !(assets[zone]?.contains(hash) ?? false) {
        guard assets.contains(where: { may(account, $0.key) && $0.value.contains(hash) }) else { return .missingAsset }
        links[zone, default: []].insert(hash)
      }
    }
    assets.merge(links) { $0.union($1) }
    commit += 1
    ids[Identity(account: account, id: transaction.id)] = commit
    log.append(Entry(commit: commit, parts: transaction.parts.mapValues { .change($0) }))
    return nil
  }

  private static func collide(_ one: [RecordName: Registers], _ two: [RecordName: Registers]) -> Bool {
    func moved(_ part: [RecordName: Registers]) -> Set<RecordName> { Set(part.filter { $0.value.home != nil }.keys) }
    func named(_ part: [RecordName: Registers]) -> Set<RecordName> {
      part.values.reduce(into: Set(part.keys)) { $0.formUnion($1.referencedNames) }
    }
    return !moved(one).isDisjoint(with: named(two)) || !moved(two).isDisjoint(with: named(one))
  }

  /// The state of a zone at a commit, which is not before the last fold.
  func state(_ zone: ZoneName, at commit: Int64) -> SyncProtocol.ZoneState {
    let (start, state) = snapshots[zone] ?? (0, SyncProtocol.ZoneState())
    var states = ZoneStates([zone: state])
    for entry in log where entry.commit > start && entry.commit <= commit {
      states.reduce(ZoneStates.Entry(commit: entry.commit, parts: entry.parts.filter { $0.key == zone }))
    }
    return states[zone]
  }

  func folded(_ zone: ZoneName) -> Int64 { snapshots[zone]?.commit ?? 0 }

  func isTaken(_ id: UUID, _ account: String, at commit: Int64) -> Bool {
    ids[Identity(account: account, id: id)].map { $0 <= commit } ?? false
  }

  /// Folds the log of a zone up to its end, then forgets what no view needs.
  /// - Returns: the number of records that it forgets.
  mutating func compact(_ zone: ZoneName) -> Int {
    guard let last = log.last(where: { $0.parts[zone] != nil })?.commit, last > folded(zone) else { return 0 }
    let state = state(zone, at: last)
    snapshots[zone] = (last, state)
    let names = state.forgettable(among: Set(state.records.keys), in: zone)
    guard !names.isEmpty else { return 0 }
    commit += 1
    log.append(Entry(commit: commit, parts: [zone: .forget(names)]))
    return names.count
  }
}
