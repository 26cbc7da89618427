#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import UntrustedInput

/// A store that syncs: its rows, and the tables in its database that sync keeps.
///
/// The rows show the states of the zones, with the saves on top that the log does not have yet. ``capture()`` makes transactions of
/// what the program saved. ``take(_:for:)`` takes in what follows in the log. A replica does no networking.
///
/// Each step is one transaction of the database. A crash is before or after a step.
final class ZoneReplica {
  let user: UserStore
  let models: SyncModels
  private let tables: SyncTables
  /// Milliseconds since 1970.
  let now: () -> Int64
  /// Called between any two steps that a crash may come between; throwing is the crash.
  let checkpoint: (Checkpoint) throws -> Void
  /// The keys of the account; nil without a secret.
  var keyring: Keyring?
  let secrets: Secrets
  let resolvers: ConflictResolvers
  // Times of a session carry its number, and nothing names the database. So neither a copy nor a backup repeats a time.
  private let session: UInt64

  // MARK: - Mutable State
  // A replica belongs to one actor.

  private(set) var store: StateStore
  /// Whether what is in memory is of a transaction that failed.
  private var isStale = false
  private var random: AnyGenerator
  /// The outbox, laid over the records of the log.
  private(set) var outbox: LaidOutbox
  /// The records of the log with what the outbox writes on top, and the rows that show them.
  private(set) var shown: RecordOverlay<StateStore>
  /// The rows that may differ from their objects, until ``writeRows(keepsGone:)`` writes them.
  var work = RowWork()
  /// What a restored server lacks, until ``update(_:acknowledged:appended:saved:isWriting:)`` appends it to the outbox.
  var resent: [LocalTransaction] = []
  /// Assets that no zone which the account can read has now. Objects keep the values that they have until an asset is there. An
  /// exchange begins with none.
  var unavailable: Set<String> = []
  /// Rows that objects do not show as they are for want of such an asset.
  private var postponed: Set<RecordKey> = []
  /// The objects of rows whose records left for a zone which comes in parts. See `ZoneReplica+Leaving.swift`.
  var leaving = LeavingRows()
  /// The assets that the rows of a step lack so far. Nothing is written any more: the step begins again with the bytes of all its parts.
  private var missing: [MissingAssets.Asset] = []
  /// What the rows showed before the first update of a step with several updates.
  private var losses: Losses?
  /// The transactions that the answer which is taken in has.
  var taken: Set<UUID> = []
  /// The transactions of the outbox that the log has as they are here, so that their parts need not come back.
  var pushed: [UUID: SyncLog.Transaction] = [:]
  /// Whether the next pull names the known zones, because the list of zones is out of date.
  private var namesZones = false
  /// How many parts of zones brought what was not here. An exchange sees by it that the server goes on.
  var newParts = 0
  /// The transactions of the program that wrote to zones which the account may only read, by zone. The session tells the program of them.
  var undone: [ZoneName: Set<UUID>] = [:]

  enum Checkpoint: CaseIterable {
    /// Before any statement of a transaction that writes.
    case writing
    /// After the commit of a transaction.
    case committed
  }

  /// - Parameters:
  ///   - user: the store that syncs.
  ///   - database: where the tables are.
  ///   - secrets: the keys of shares.
  ///   - now: milliseconds since 1970.
  ///   - random: the source of names and of the session's number.
  /// - Throws: an error of the store.
  init(
    user: UserStore, database: SyncDatabase, secrets: Secrets, keyring: Keyring? = nil,
    resolvers: ConflictResolvers = ConflictResolvers(), now: @escaping () -> Int64,
    random: any RandomNumberGenerator = SecureGenerator(),
    checkpoint: @escaping (Checkpoint) throws -> Void = { _ in }
  ) throws {
    (self.user, tables, self.now, self.checkpoint) = (user, .states(database), now, checkpoint)
    (self.keyring, self.secrets, self.resolvers) = (keyring, secrets, resolvers)
    var random = AnyGenerator(random)
    session = random.next()
    self.random = random
    models = SyncModels(user.schema)
    let tables = tables
    try database.transaction { try tables.make() }
    store = try StateStore(tables, models, session: session)
    (outbox, shown) = (LaidOutbox(models), RecordOverlay(store, models))
    database.willWrite = { try checkpoint(.writing) }
    try transaction {
      try load()
      // The comparison of all rows finds the objects that wait.
      if store.replica.hasLeaving == true { store.replica.models = nil }
      if store.replica.seenTransaction == nil, try store.isEmpty() { try beginFirstScan() }
    }
  }

  // MARK: - Transactions

  /// Runs a step in one transaction of the store's database. A step inside another one is a part of it.
  /// - Throws: an error of the store or of `body`. Then the store and the replica are as they were before.
  func transaction<T>(_ body: () throws -> T) throws -> T {
    guard !tables.database.isInTransaction else { return try body() }
    guard !isStale else {
      throw ReplicaError(description: "the bookkeeping could not be read after an error; open it again")
    }
    let former = (postponed, undone, leaving)
    (work, resent, taken, losses, missing) = (RowWork(), [], [], nil, [])
    let result: T
    do {
      result = try tables.database.transaction {
        let result = try body()
        try store.save()
        return result
      }
    } catch {
      (postponed, undone, leaving) = former
      // If the store cannot be read either, the first error says why.
      isStale = true
      try? reload()
      throw error
    }
    try checkpoint(.committed)
    return result
  }

  /// Reads the tables again. What is in memory may be of a transaction that failed.
  private func reload() throws {
    store = try StateStore(tables, models, session: session)
    try load()
    isStale = false
  }

  private func load() throws {
    (outbox, shown) = (LaidOutbox(models), RecordOverlay(store, models))
    // The next update drops what cannot be sent, and logs it.
    let laid = try outbox.update(store, appended: store.outbox, writable: writable, roots: roots, keeping: .all)
    for (key, registers) in laid.shown where outbox.writes(key) { shown.set(key, registers) }
    loadKeys()
    // The program has other models.
    if store.replica.indexed != models.fingerprint {
      try shown.makeRows(models)
      store.replica.indexed = models.fingerprint
    }
  }

  // MARK: - Time and names

  /// The account's own zone; nil before the server named the account.
  var knownOwnZone: ZoneName? { store.replica.account.map { .account(ExactText($0)) } }

  /// The account's own zone.
  var ownZone: ZoneName { knownOwnZone ?? .account("") }

  var zones: Set<ZoneName> { Set(store.zones.keys) }

  /// A time for a transaction of this replica.
  func tick() -> HybridTime { store.replica.clock.next(now() + store.replica.clockOffset) }

  /// Takes the server's time as the right one where the wall clock is more than a second off.
  /// - Throws: `UntrustedInputError` for a time that is none.
  func adjustClock(toServer time: Untrusted<Int64>, field: String) throws {
    let offset = try time.inRange(SyncWire.times, field: field) - now()
    if abs(offset - store.replica.clockOffset) > 1000 { store.replica.clockOffset = offset }
  }

  func makeName() -> RecordName { RecordName(milliseconds: now() + store.replica.clockOffset, using: &random) }

  private func makeUUID() -> UUID {
    var bytes = (random.next() as UInt64, random.next() as UInt64)
    return UUID(uuid: withUnsafeBytes(of: &bytes) { $0.loadUnaligned(as: uuid_t.self) })
  }

  func makeTransaction(_ time: HybridTime, _ changes: [RecordKey: Registers]) -> LocalTransaction {
    LocalTransaction(id: makeUUID(), time: time, changes: changes)
  }

  // MARK: - Showing

  /// The zones that the account may write, among those that the replica has.
  private var writable: Set<ZoneName> { Set(store.zones.filter(\.value.isWritable).keys) }

  /// Whether records that were not found may come: with the rest of the log, which the list of zones may be ahead of, or of a zone.
  private var isWaiting: Bool {
    store.replica.isBehind == true || store.zones.values.contains(where: \.isComing)
  }

  /// The shared objects.
  private var roots: Set<RecordKey> {
    Set(store.zones.compactMap { zone, info in info.root.map { RecordKey(zone, $0) } })
  }

  /// What the rows show.
  var rows: ShownRows { ShownRows(shown, models) }

  /// Takes in changes of the log, and saves, and brings the rows to what they mean. What cannot be sent any more leaves the outbox.
  /// - Parameters:
  ///   - changes: the registers of each record of the log that changes; nil for a record that goes.
  ///   - acknowledged: the transactions that the log has.
  ///   - appended: new transactions.
  ///   - saved: the properties that the program saved, by row; nil is all.
  ///   - isPartial: whether other updates of the same step follow. Until the last one no save leaves the outbox, because the record that it
  ///     concerns may still come. Nothing is written.
  ///   - isWriting: whether to write the rows. Otherwise a later call does it.
  /// - Throws: an error of the store; ``MissingAssets`` if the bytes of a value have to be fetched first.
  func update(
    _ changes: [RecordKey: Registers?] = [:], acknowledged: Set<UUID> = [], appended: [LocalTransaction] = [],
    saved: [RecordKey: Set<ExactText>?] = [:], isPartial: Bool = false, isWriting: Bool = true
  ) throws {
    let laid = try outbox.update(
      store, changes: changes, acknowledged: acknowledged, appended: appended, writable: writable, roots: roots,
      keeping: isPartial ? .all : isWaiting ? .missing : .nothing)
    let update: ViewUpdate
    var losses: Losses
    let dropped: [(change: DroppedChange, record: Registers?)]
    do {
      // What is read before the change must not be kept.
      let before = rows
      update = try ViewUpdate(shown, models, changes: laid.shown)
      try work.add(update, before, saved: saved)
      losses = self.losses ?? Losses()
      try losses.add(
        update, laid, outbox, without: acknowledged.union(taken), before, arrived: changes.keys)
      dropped = try laid.dropped.filter { !taken.contains($0.transaction) }.map { change in
        (change, try before.registers(of: change.key) ?? store.registers(of: change.key))
      }
      try note(dropped: dropped.map(\.change), before, losses)
    }
    try store.take(changes)
    for registers in changes.values { witness(registers) }
    for (key, registers) in laid.shown {
      if outbox.writes(key) { shown.set(key, registers) } else { shown.reset(key) }
    }
    for (key, row) in update.shown { try store.show(key, by: row) }
    try store.setOutbox(outbox.transactions)
    self.losses = isPartial ? losses : nil
    if !isPartial { try note(losses) }
    let after = rows
    for row in try rowsWithOtherPersonalFields(update, after) { work.add(row, nil) }
    for (change, record) in dropped { try noteLists(change, record ?? change.registers, after) }
    for change in laid.dropped {
      if let row = try after.row(showing: change.key) { try work.addUndone(row, after) }
    }
    if isWriting, !isPartial { try writeRows() }
  }

  /// Writes the rows that may differ from their objects.
  /// - Parameters:
  ///   - keepsGone: whether a later call deletes the objects of rows that are gone. A row that comes until then may keep the object.
  ///   - isComplete: whether any row may be gone, not only those that updates found.
  /// - Returns: the rows that lead to a row without an object.
  @discardableResult
  func writeRows(keepsGone: Bool = false, isComplete: Bool = false) throws -> Set<RecordKey> {
    for row in postponed { work.add(row, nil) }
    let view = rows
    var kept = RowWork()
    try claimLeaving(view)
    if !keepsGone { try keepLeaving(view) }
    if keepsGone {
      // A row that was gone may be there again.
      kept.gone = try work.gone.union(work.rows.keys).filter { try !view.exists($0) }
      // An object does not stay where another row has its unique value now.
      let claimed = try kept.gone.filter { row in
        try work.unique[row]?.contains(where: view.hasRow) ?? false
      }
      kept.gone.subtract(claimed)
      work.gone = claimed
      for row in kept.gone { work.rows[row] = nil }
      kept.written = work.written.filter { kept.gone.contains($0.key) }
      kept.unique = work.unique.filter { kept.gone.contains($0.key) }
    }
    defer { work = kept }
    // Rows lead to objects that the first scan has not looked at yet.
    guard !isScanning, !work.isEmpty || !missing.isEmpty else { return [] }
    let writer = RowWriter(self, work, view, leaving: isComplete ? nil : kept.gone)
    do { try writer.run() } catch let error as MissingAssets { missing += error.assets }
    guard missing.isEmpty else {
      // Other parts of the step follow.
      if keepsGone { return [] }
      throw MissingAssets(assets: missing)
    }
    if writer.context.hasChanges {
      try checkpoint(.writing)
      try writer.context.save()
      try checkpoint(.writing)
      // Other saves may have come in between in a store without transactions.
      if user.transactionStore != nil { store.replica.seenTransaction = try user.newestTransaction() }
    }
    try writer.note()
    postponed = writer.postponed
    return writer.incomplete
  }

  /// Shows what the rows do not show yet: after an update of the program, after a first scan, and of zones that came in parts.
  /// - Throws: an error of the store; ``MissingAssets`` if the bytes of a value have to be fetched first.
  func catchUp() throws {
    try showLoads()
    guard store.replica.account != nil, store.replica.models != models.fingerprint else { return }
    try transaction {
      try capture()
      try showAll()
    }
  }

  // MARK: - Pulling

  /// Asks for what follows in the log.
  func pullRequest() -> SyncLog.PullRequest {
    let forked = store.replica.forkedZones ?? []
    let unsent = store.outbox.prefix(1000).map(\.id)
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
    // What came before has to be whole.
    try showLoads()
    // A late answer follows other states.
    guard pullRequest().isSame(as: request) else { return true }
    guard request.known != nil || response.list == nil else {
      // What the zones that are gone had may be in others, which come with the next answer.
      namesZones = true
      return true
    }
    guard let response = try completed(response, for: request) else { return true }
    try adjustClock(toServer: response.time, field: "pull.time")
    if let epochs = response.epochs {
      try transaction {
        let fork = SyncLog.Epoch.fork(
          of: store.replica.epochs, and: epochs, latest: response.latest, cursor: store.replica.cursor)
        store.replica.epochs = epochs
        store.replica.uncheckedKeys = Set(store.zones.keys.filter { keyGeneration($0) > 0 })
        pushed = [:]
        guard let fork else { return }
        // The server gives all zones whole. The rows show what they show until then.
        let zones = Set(store.zones.filter(\.value.isWhole).keys)
        (store.replica.fork, store.replica.forkedZones) = zones.isEmpty ? (nil, nil) : (fork, zones)
        store.replica.cursor = 0
        for zone in store.zones.keys { try dropLoad(of: zone) }
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
    return response.cursor < response.latest || store.zones.values.contains { !$0.isWhole || $0.position != nil }
  }

  private func setAccount(_ list: SyncLog.ZoneList) throws {
    guard let own = list.zones.first(where: { !$0.name.isShare }), case .account(let name) = own.name else { return }
    if let account = store.replica.account, account != name.text {
      throw SyncFailure.otherAccount(account, name.text)
    }
    guard store.replica.account == nil else { return }
    store.replica.account = name.text
    // What the program saved so far goes to the account's own zone.
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
      // What left a zone may be in another one, where it keeps its object. So nothing is deleted before all is there.
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
      // What others may be based on comes first.
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

  private func witness(_ registers: Registers?) {
    for time in registers?.times ?? [] { store.replica.clock.witness(time) }
  }
}

extension Registers {
  /// The times of all writes.
  fileprivate var times: [HybridTime] {
    var times = [born?.time, dead, home?.place.time].compactMap(\.self) + fields.values.map(\.time)
    for edge in edges.values.joined() {
      times += [edge.value.added, edge.value.removed, edge.value.place?.time ?? .zero]
    }
    return times
  }
}

extension SyncLog.PullRequest {
  /// Whether both ask for what follows the same states. Zones without names are those of the list that the request names.
  func isSame(as other: SyncLog.PullRequest) -> Bool {
    cursor == other.cursor && epoch == other.epoch && known == other.known && loading == other.loading
      && (known != nil || version == other.version)
  }
}
#endif
