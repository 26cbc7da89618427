#if Sync
import Foundation
import SyncCore
import SyncProtocol
import UntrustedInput

// The requests of a replica for changes, and the processing of the answers.

extension ZoneReplica {
  /// Asks for what follows in the log.
  func pullRequest() -> SyncLog.PullRequest {
    let forked = store.replica.forkedZones ?? []
    let unsent = outbox.ids(first: 1000)
    let held = unsent.filter { pushed[$0] != nil }
    let known = store.zones.filter { $0.value.isWhole && !forked.contains($0.key) && $0.value.position == nil }.keys
    let loading = store.zones.compactMapValues(\.position)
    let areAll = store.replica.zoneList != nil && known.count + loading.count == store.zones.count
    return SyncLog.PullRequest(
      cursor: store.replica.cursor, epoch: store.replica.epochs.last?.name,
      known: areAll && !namesZones ? nil : known.sorted(), loading: loading, unsent: unsent,
      held: held.isEmpty ? nil : held,
      version: store.replica.zoneList)
  }

  /// An answer with the parts of the transactions that the client holds.
  /// - Returns: nil if the client does not have one any more.
  /// - Throws: ``SyncFailure`` for a transaction that the request did not name.
  private func completed(
    _ response: SyncLog.PullResponse, for request: SyncLog.PullRequest
  ) throws -> SyncLog.PullResponse? {
    guard response.entries.contains(where: { $0.id != nil }) else { return response }
    let held = Set(request.held ?? [])
    let known = Set(request.known ?? Array(store.zones.keys)).subtracting(request.loading.keys)
    var response = response
    for (index, entry) in response.entries.enumerated() {
      guard let id = entry.id else { continue }
      guard held.contains(id) else {
        throw SyncFailure(.invalid, "the server answered with a transaction that this client does not have: \(id)")
      }
      guard let transaction = pushed[id] else { return nil }
      response.entries[index].parts = transaction.parts.filter { known.contains($0.key) }
        .mapValues(ZoneStates.Entry.Part.change)
    }
    return response
  }

  /// Takes in the answer to a pull: what follows in the log, permissions and acknowledgements, in one transaction.
  /// - Returns: whether more follows.
  /// - Throws: an error of the store; ``MissingAssets`` if the bytes of a value have to be fetched first. Then nothing was taken in.
  @discardableResult
  func take(_ response: SyncLog.PullResponse, for request: SyncLog.PullRequest) throws -> Bool {
    // Earlier loads have to be complete.
    try showLoads()
    // A late answer follows other states.
    guard pullRequest().isSame(as: request) else { return true }
    guard request.known != nil || response.list == nil else {
      // The records of removed zones may be in other zones, which come with the next answer.
      namesZones = true
      return true
    }
    guard let response = try completed(response, for: request) else { return true }
    try adjustClock(toServer: response.time, field: "pull.time")
    if let epochs = response.epochs {
      try transaction {
        let fork = SyncLog.Epoch.fork(
          of: store.replica.epochs, and: epochs, latest: response.latest,
          cursor: max(store.replica.cursor, store.replica.fork ?? 0))
        store.replica.epochs = epochs
        try noteRestart(fork: fork)
      }
      return true
    }
    let failure = try transaction {
      if let list = response.list { try setAccount(list) }
      try scanBefore(response)
      return try takeIn(response)
    }
    namesZones = false
    for id in response.taken { pushed[id] = nil }
    if outbox.isEmpty { pushed = [:] }
    try showLoads()
    if let failure { throw failure }
    return response.cursor < response.latest || !hasZonesWhole
  }

  /// Whether the replica has all of each zone, up to its cursor, and no zone is to be named again.
  var hasZonesWhole: Bool { !namesZones && store.zones.values.allSatisfy { $0.isWhole && $0.position == nil } }

  /// Acts upon a pull that the server refused because its log ends before the cursor: the server's database was restored, and the server did
  /// not notice it. The restored copy has the newest epoch, so it has the commits up to the start of that epoch as the replica saw them.
  func takeUnknownCursor(of request: SyncLog.PullRequest) throws {
    try showLoads()
    guard pullRequest().isSame(as: request) else { return }
    try transaction { try noteRestart(fork: store.replica.epochs.last?.start ?? 0) }
  }

  /// Notes that the server was started again.
  /// - Parameter fork: a commit up to which the log is as the replica saw it, if the server's database was restored; nil if the log has all
  ///   that the replica saw. Then the server gives all zones whole. The rows show what they show until a zone is here.
  private func noteRestart(fork: Int64?) throws {
    store.replica.uncheckedKeys = Set(store.zones.keys.filter { keyGeneration($0) > 0 })
    pushed = [:]
    guard let fork else { return }
    let zones = Set(store.zones.filter(\.value.isWhole).keys)
    // Zones of a restore before this one may be left.
    let first = min(fork, store.replica.fork ?? fork)
    (store.replica.fork, store.replica.forkedZones) = zones.isEmpty ? (nil, nil) : (first, zones)
    store.replica.cursor = 0
    for zone in store.zones.keys { try dropLoad(of: zone) }
  }

  private func setAccount(_ list: SyncLog.ZoneList) throws {
    guard let own = list.zones.first(where: { !$0.name.isShare }) else { return }
    let name = own.name.name
    if let account = store.replica.account, account != name.text {
      throw SyncFailure.otherAccount(account, name.text)
    }
    guard store.replica.account == nil else { return }
    store.replica.account = name.text
    // The earlier saves of the program go to the account's own zone.
    try store.setZone(own.name, KnownZone(isWritable: own.isWritable, root: nil, owner: own.owner))
  }

  /// Captures what the program saved before anything of others comes in: it might have to become one with objects that were not looked at yet.
  private func scanBefore(_ response: SyncLog.PullResponse) throws {
    // The first answer to a new account has a list, and an own zone without records.
    let isOwn =
      response.loads.allSatisfy { $0.records.isEmpty && $0.entries.isEmpty }
      && (response.list == nil || store.replica.zoneList == nil) && response.entries.count <= Set(response.taken).count
    if isOwn { try captureSaves() } else { try capture() }
  }

  /// - Returns: the error of a resolver. It does not keep the answer from being taken in.
  private func takeIn(_ response: SyncLog.PullResponse) throws -> (any Error)? {
    taken = Set(response.taken)
    let contested = try contested(response.entries)
    var changes: [RecordKey: Registers?] = [:]
    let gone = try response.list.map(takeZones) ?? []
    let whole = try response.loads.filter { try take($0, &changes) }.map(\.zone)
    var lost: [ZoneName] = []
    for entry in response.entries.map(\.reduced) {
      try noteLosses(of: entry, without: taken)
      try take(entry, &changes)
    }
    store.replica.cursor = response.cursor
    store.replica.isBehind = response.cursor < response.latest ? true : nil
    if !gone.isEmpty || !whole.isEmpty {
      // A record that left a zone may be in another one, where it keeps its object. So nothing is deleted before all zones are there.
      try update(changes, isPartial: true)
      changes = [:]
      // The own zone says which objects come back into it.
      if whole.contains(ownZone) { lost = try takeBackLostShares() }
      for zone in gone + lost { try drop(zone) }
      for zone in whole { try replace(zone) }
    }
    let acknowledged = taken.subtracting(transactionsOfUnseenZones)
    if resent.isEmpty, lost.isEmpty {
      try update(changes, acknowledged: acknowledged)
    } else {
      // Transactions that others may be based on come first.
      let rest = outbox.transactions.filter { !acknowledged.contains($0.id) }
      let moved = rest.map { transaction in
        lost.reduce(transaction) { $0.isResent ? $0 : $0.leaving($1, for: ownZone) }
      }
      try update(changes, acknowledged: acknowledged.union(rest.map(\.id)), appended: resent + moved)
    }
    let failure = contested.isEmpty ? nil : try resolve(contested)
    try dropUnsentAssets()
    return failure
  }

  /// The zones whose newest state the replica does not show yet, because it comes in parts or from a restored server. The cursor does not say
  /// what the replica has seen of them.
  var unseenZones: Set<ZoneName> {
    (store.replica.forkedZones ?? []).union(store.zones.filter(\.value.isComing).keys)
  }

  /// The transactions that write to ``unseenZones``. Without them the rows would not show what they wrote. A later answer acknowledges them.
  private var transactionsOfUnseenZones: Set<UUID> {
    let zones = unseenZones
    guard !zones.isEmpty else { return [] }
    return Set(outbox.outgoing.filter { !zones.isDisjoint(with: $0.parts.keys) }.map(\.id))
  }

  /// Takes in an entry over changes that come before it.
  private func take(_ entry: ZoneStates.Entry, _ changes: inout [RecordKey: Registers?]) throws {
    for (zone, part) in entry.parts where store.zones[zone] != nil {
      switch part {
      case .forget(let names): for name in names { changes[RecordKey(zone, name)] = .some(nil) }
      case .change(let records):
        try store.prepare(records.keys.map { RecordKey(zone, $0) })
        for (name, var registers) in records {
          registers.commit = entry.commit
          let key = RecordKey(zone, name)
          let former = try changes[key] ?? store.registers(of: key)
          changes[key] = .some((former ?? Registers()).joining(registers))
        }
      }
    }
  }

  /// Takes over which zones the account can read.
  /// - Returns: the zones that it cannot read any more.
  private func takeZones(_ list: SyncLog.ZoneList) throws -> [ZoneName] {
    let names = Set(list.zones.map(\.name))
    let forked = store.replica.forkedZones ?? []
    var gone: [ZoneName] = []
    for (zone, var known) in store.zones.sorted(by: { $0.key < $1.key }) where !names.contains(zone) {
      // The objects of such a share come back into the own zone when that is here.
      if forked.isSuperset(of: [zone, ownZone]), known.owner == store.replica.account {
        known.isLost = true
        try store.setZone(zone, known)
      } else {
        try forget(zone)
        try forgetKeys(of: zone)
        gone.append(zone)
      }
    }
    for zone in list.zones {
      var known = store.zones[zone.name] ?? KnownZone(isWritable: zone.isWritable, root: zone.root, owner: zone.owner)
      (known.isWritable, known.root, known.owner) = (zone.isWritable, zone.root, zone.owner)
      (known.keyGeneration, known.needsKeys, known.isLost) = (zone.keyGeneration, zone.needsKeys, nil)
      try store.setZone(zone.name, known)
    }
    store.replica.zoneList = list.version
    store.replica.invitations = list.invitations.clamped(to: 0...Int(Int32.max))
    return gone
  }

  /// Forgets that the account can read a zone.
  func forget(_ zone: ZoneName) throws {
    try dropLoad(of: zone)
    settle(zone)
    try store.setZone(zone, nil)
  }

  /// Notes that a zone is as a restored server has it.
  func settle(_ zone: ZoneName) {
    store.replica.forkedZones?.remove(zone)
    if store.replica.forkedZones?.isEmpty == true { (store.replica.fork, store.replica.forkedZones) = (nil, nil) }
  }
}

extension SyncLog.PullRequest {
  /// Whether both ask for what follows the same states. Without names, a request means the zones of the list that it names.
  func isSame(as other: SyncLog.PullRequest) -> Bool {
    cursor == other.cursor && epoch == other.epoch && known == other.known && loading == other.loading
      && (known != nil || version == other.version)
  }
}
#endif
