#if Sync
import Foundation
import SyncCore
import SyncProtocol
import UntrustedInput

@testable import SwiftDataSync

/// A server of the log of all zones, without a network. It follows the model (`Tests/SyncCoreTests/Model/model.py`).
final class ZoneServer {
  struct Entry {
    var commit: Int64
    var id: UUID?
    var account: String?
    var parts: [ZoneName: ZoneStates.Entry.Part]
  }

  struct Share {
    var owner: String
    var root: RecordName
    /// Whether a participant may write.
    var members: [String: Bool] = [:]
  }

  fileprivate struct Death: Hashable {
    var zone: ZoneName
    var name: RecordName
  }

  fileprivate struct Contents {
    var commit: Int64 = 0
    var log: [Entry] = []
    /// The log up to there is folded into a state.
    var folded: [ZoneName: (commit: Int64, state: ZoneState)] = [:]
    /// A push has to have seen this commit.
    var floor: Int64 = 0
    var ids: [UUID: Int64] = [:]
    var epochs = [SyncLog.Epoch(name: UUID(), start: 0)]
    /// The commits at which records died or left.
    var gone: [Death: Int64] = [:]
    var assets: [ZoneName: [String: Data]] = [:]
  }

  /// A copy of the server's database.
  struct Copy {
    fileprivate let contents: Contents
    fileprivate let shares: [ZoneName: Share]
    fileprivate let keys: [ZoneName: ZoneKeyServer.Zone]
  }

  private var contents = Contents()
  var shares: [ZoneName: Share] = [:]
  let keys = ZoneKeyServer()
  /// Milliseconds since 1970.
  var now: Int64 = 1_800_000_000_000
  /// All that was ever appended, with what later copies lack.
  private(set) var history: [Entry] = []
  /// The pushes that were refused for want of an asset.
  private(set) var lacked: [String] = []
  /// Reads and writes of accounts that had no right to them.
  private(set) var violations: [String] = []

  var log: [Entry] { contents.log }
  var commit: Int64 { contents.commit }
  /// The newest epoch.
  var epoch: UUID? { contents.epochs.last?.name }

  func may(_ account: String, _ zone: ZoneName, write: Bool = false) -> Bool {
    guard let share = shares[zone] else { return zone == .account(ExactText(account)) }
    return share.owner == account || share.members[account].map { $0 || !write } ?? false
  }

  func zones(of account: String) -> [ZoneName] {
    [.account(ExactText(account))] + shares.keys.filter { may(account, $0) }.sorted()
  }

  // MARK: - Pushing

  func push(_ request: SyncLog.PushRequest, from account: String) throws -> SyncLog.PushResponse {
    var response = SyncLog.PushResponse(taken: 0, refusal: nil, time: now)
    var before = request.before
    for (index, transaction) in request.transactions.enumerated() {
      if contents.ids[transaction.id] != nil { response.repeated = (response.repeated ?? []) + [transaction.id] }
      response.refusal = append(transaction, request, before, account)
      guard response.refusal == nil else { return response }
      response.taken = Untrusted(index + 1)
      before.append(transaction.id)
    }
    return response
  }

  private func append(
    _ transaction: SyncLog.Transaction, _ request: SyncLog.PushRequest, _ before: [UUID], _ account: String
  ) -> SyncFailure? {
    if contents.ids[transaction.id] != nil { return nil }
    let cursor = request.cursor.clamped(to: SyncWire.sequenceNumbers)
    guard request.epoch == contents.epochs.last?.name, cursor >= contents.floor, cursor <= contents.commit,
      before.allSatisfy({ contents.ids[$0] != nil })
    else { return SyncFailure(.behind, "the client has not seen what it has to see") }
    guard transaction.parts.keys.allSatisfy({ may(account, $0, write: true) }) else {
      return SyncFailure(.forbidden, "the account may not write to a zone")
    }
    let registers = transaction.parts.values.flatMap(\.values)
    for time in registers.flatMap(\.allTimes) where time.milliseconds > now + SyncWire.clockTolerance {
      return SyncFailure(.clockAhead, "the clock is ahead", time: now)
    }
    let own = Set(before.compactMap { contents.ids[$0] })
    for entry in contents.log.reversed() {
      if entry.commit <= cursor { break }
      guard !own.contains(entry.commit) else { continue }
      for (zone, part) in transaction.parts {
        if case .change(let other)? = entry.parts[zone], Self.collide(part, other) {
          return SyncFailure(.moved, "a record moved")
        }
      }
    }
    if let failure = link(transaction, account) { return failure }
    contents.commit += 1
    contents.ids[transaction.id] = contents.commit
    let entry = Entry(
      commit: contents.commit, id: transaction.id, account: account, parts: transaction.parts.mapValues { .change($0) })
    contents.log.append(entry)
    history.append(entry)
    for (zone, part) in transaction.parts {
      for (name, registers) in part where registers.dead != nil || registers.home != nil {
        contents.gone[Death(zone: zone, name: name)] = contents.commit
      }
    }
    return nil
  }

  /// Links the assets that another zone has which the account can read.
  private func link(_ transaction: SyncLog.Transaction, _ account: String) -> SyncFailure? {
    for (zone, part) in transaction.parts {
      for (name, registers) in part where registers.dead == nil {
        for asset in registers.assets where contents.assets[zone]?[asset.sha256] == nil {
          let found = contents.assets.filter { may(account, $0.key) }.compactMap { $0.value[asset.sha256] }.first
          guard let found else {
            lacked.append("\(name) with \(asset.sha256.prefix(8)) of \(account)")
            return SyncFailure(.missingAsset, "the asset \(asset.sha256) is not here")
          }
          contents.assets[zone, default: [:]][asset.sha256] = found
        }
      }
    }
    return nil
  }

  /// Whether one of two concurrent parts moves a record that the other one writes or leads to.
  private static func collide(_ one: [RecordName: Registers], _ two: [RecordName: Registers]) -> Bool {
    func moved(_ part: [RecordName: Registers]) -> Set<RecordName> { Set(part.filter { $0.value.home != nil }.keys) }
    func named(_ part: [RecordName: Registers]) -> Set<RecordName> {
      part.values.reduce(into: Set(part.keys)) { $0.formUnion($1.referencedNames) }
    }
    return !moved(one).isDisjoint(with: named(two)) || !moved(two).isDisjoint(with: named(one))
  }

  // MARK: - Pulling

  func pull(_ request: SyncLog.PullRequest, by account: String, limit: Int) -> SyncLog.PullResponse {
    let cursor = request.cursor.clamped(to: SyncWire.sequenceNumbers)
    var response = SyncLog.PullResponse(cursor: cursor, latest: contents.commit, time: now)
    guard request.epoch == contents.epochs.last?.name else {
      response.epochs = contents.epochs
      return response
    }
    let readable = zones(of: account)
    let generations = readable.map { zone in shares[zone].flatMap { keys.generation(of: zone, $0, for: account) } }
    let needs = readable.map { zone in shares[zone].flatMap { keys.isNeeded(zone, $0, by: account) } }
    let version = "\(readable.map { "\($0.text) \(may(account, $0, write: true))" }) \(generations) \(needs)"
    if request.version != version {
      let zones = readable.indices.map { index in
        let zone = readable[index]
        return SyncLog.ReadableZone(
          name: zone, owner: shares[zone]?.owner ?? account, isWritable: may(account, zone, write: true),
          root: shares[zone]?.root, keyGeneration: generations[index], needsKeys: needs[index])
      }
      response.list = SyncLog.ZoneList(version: version, zones: zones, invitations: 0)
    }
    guard request.known != nil || response.list == nil else { return response }
    let named = request.known.map(Set.init) ?? Set(readable).subtracting(request.loading.keys)
    let known = named.intersection(readable).filter { contents.folded[$0]?.commit ?? 0 <= cursor }
    let entries = contents.log.filter { $0.commit > cursor && !known.isDisjoint(with: $0.parts.keys) }
    let loads = readable.filter { !known.contains($0) }
    response.cursor = entries.count > limit ? entries[limit - 1].commit : contents.commit
    // A zone comes as it is at the cursor, so the cursor is not before the state that it begins with.
    response.cursor = max(response.cursor, loads.map { contents.folded[$0]?.commit ?? 0 }.max() ?? 0)
    response.entries = entries.filter { $0.commit <= response.cursor }.map { entry in
      if let id = entry.id, request.held?.contains(id) == true, request.unsent.contains(id) {
        return SyncLog.Entry(commit: entry.commit, parts: [:], id: id)
      }
      return SyncLog.Entry(commit: entry.commit, parts: entry.parts.filter { known.contains($0.key) })
    }
    for zone in loads {
      response.loads.append(load(zone, from: request.loading[zone], to: response.cursor, limit: limit))
    }
    response.taken = request.unsent.filter { contents.ids[$0].map { $0 <= response.cursor } ?? false }
    for zone in response.loads.map(\.zone) + response.entries.flatMap(\.parts.keys) where !may(account, zone) {
      violations.append("\(account) read \(zone.text)")
    }
    return response
  }

  /// A part of a zone. The position has the commit that the records are as of, and how many were sent.
  private func load(_ zone: ZoneName, from position: String?, to cursor: Int64, limit: Int) -> SyncLog.ZoneLoad {
    let parts = (position ?? "").split(separator: "/").compactMap { Int64($0) }
    let isContinued = parts.count == 2 && parts[0] >= contents.folded[zone]?.commit ?? 0 && parts[0] <= cursor
    let (commit, sent) = isContinued ? (parts[0], Int(parts[1])) : (cursor, 0)
    let records = state(of: zone, at: commit).records.sorted { $0.key < $1.key }
    let part = records.dropFirst(sent).prefix(limit * 4)
    var load = SyncLog.ZoneLoad(
      zone: zone, isStart: !isContinued, records: Dictionary(uniqueKeysWithValues: part.map { ($0.key, $0.value) }),
      position: nil)
    if sent + part.count < records.count {
      load.position = "\(commit)/\(sent + part.count)"
    } else {
      load.entries = contents.log.filter { $0.commit > commit && $0.commit <= cursor && $0.parts[zone] != nil }.map {
        SyncLog.Entry(commit: $0.commit, parts: $0.parts.filter { $0.key == zone })
      }
    }
    return load
  }

  /// The state of a zone at a commit.
  func state(of zone: ZoneName, at commit: Int64? = nil) -> ZoneState {
    let (start, state) = contents.folded[zone] ?? (0, ZoneState())
    var states = ZoneStates([zone: state])
    for entry in contents.log where entry.commit > start && entry.commit <= commit ?? contents.commit {
      guard let part = entry.parts[zone] else { continue }
      states.reduce(ZoneStates.Entry(commit: entry.commit, parts: [zone: part]))
    }
    return states[zone]
  }

  // MARK: - Assets

  func put(_ sha256: String, _ bytes: Data, zone: ZoneName, account: String) throws {
    guard may(account, zone, write: true) else { throw SyncFailure(.forbidden, "the account may not write") }
    contents.assets[zone, default: [:]][sha256] = bytes
  }

  func asset(_ sha256: String, zone: ZoneName, account: String) throws -> Data {
    guard may(account, zone) else { throw SyncFailure(.notFound, "there is no zone \(zone)") }
    guard let bytes = contents.assets[zone]?[sha256] else {
      throw SyncFailure(.missingAsset, "the asset \(sha256) is not here")
    }
    return bytes
  }

  /// Loses the bytes of all assets, as a server does whose disk was restored.
  func loseAssets() { contents.assets = [:] }

  // MARK: - Compaction and copies

  /// Forgets what died or left up to a floor, by an entry of the log, and folds the log up to a commit.
  func compact(_ zone: ZoneName, upTo commit: Int64, floor: Int64) {
    let old = Set(contents.gone.filter { $0.key.zone == zone && $0.value <= floor }.map(\.key.name))
    let forgotten = state(of: zone).forgettable(among: old, in: zone)
    if !forgotten.isEmpty {
      contents.commit += 1
      contents.log.append(Entry(commit: contents.commit, parts: [zone: .forget(forgotten)]))
    }
    guard commit > contents.folded[zone]?.commit ?? 0 else { return }
    let state = state(of: zone, at: commit)
    contents.folded[zone] = (commit, state)
    contents.floor = max(contents.floor, commit)
    contents.log = contents.log.compactMap { entry in
      guard entry.commit <= commit else { return entry }
      var entry = entry
      entry.parts[zone] = nil
      return entry.parts.isEmpty ? nil : entry
    }
  }

  func copy() -> Copy { Copy(contents: contents, shares: shares, keys: keys.zones) }

  /// Becomes what it was when the copy was made, and starts.
  /// - Parameter isNoticed: whether the server begins an epoch.
  func restore(_ copy: Copy, isNoticed: Bool = true) {
    (contents, shares, keys.zones) = (copy.contents, copy.shares, copy.keys)
    guard isNoticed else { return }
    contents.epochs.append(SyncLog.Epoch(name: UUID(), start: contents.commit))
  }
}

extension Registers {
  /// The times that a server checks.
  fileprivate var allTimes: [HybridTime] {
    var times = [born?.time, dead].compactMap(\.self) + fields.values.map(\.time)
    for edge in edges.values.joined() {
      times += [edge.value.added, edge.value.removed, edge.value.place?.time ?? .zero]
    }
    return times
  }
}
#endif
