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
  /// The changes that a restored server lacks, until ``update(_:acknowledged:appended:saved:isWriting:)`` appends it to the outbox.
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
  /// The values in the rows before the first update of a step with several updates.
  private var losses: Losses?
  /// The transactions that the answer which is taken in has.
  var taken: Set<UUID> = []
  /// The transactions of the outbox that the log has as they are here, so that their parts need not come back.
  var pushed: [UUID: SyncLog.Transaction] = [:]
  /// The transactions with what the program saved since the running push began; nil while no push runs.
  var savesDuringPush: Set<UUID>?
  /// Whether the next pull names the known zones, because the list of zones is out of date.
  var namesZones = false
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
      postponed = try store.postponedRows()
      // The comparison of all rows finds the objects that wait.
      if store.replica.hasLeaving == true { store.replica.models = nil }
      if store.replica.seenTransaction == nil, try store.isEmpty() { try beginFirstScan() }
    }
  }

  // MARK: - Transactions

  /// Runs a step in one transaction of the store's database. A step inside another one is a part of it.
  /// - Throws: an error of the store or of `body`; ``SyncError`` if another program syncs the store. Then the store is as it was before, and
  ///   the replica is as the store says.
  func transaction<T>(_ body: () throws -> T) throws -> T {
    guard !tables.database.isInTransaction else { return try body() }
    guard !isStale else {
      throw ReplicaError(
        description: "the bookkeeping could not be read after an error; the next exchange opens it again")
    }
    let former = (postponed, undone, leaving)
    (work, resent, taken, losses, missing) = (RowWork(), [], [], nil, [])
    let result: T
    do {
      result = try tables.database.transaction {
        guard try store.isCurrent() else {
          throw SyncError(
            code: .busy,
            message:
              "another program syncs the store, or its database was restored; one program at a time can sync a store")
        }
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

  /// Reads the tables again. The memory may have changes of a transaction that failed.
  private func reload() throws {
    store = try StateStore(tables, models, session: session)
    try load()
    isStale = false
  }

  private func load() throws {
    (outbox, shown) = (LaidOutbox(models), RecordOverlay(store, models))
    // The next update drops what cannot be sent, and logs it.
    let laid = try outbox.load(store, store.storedOutbox(), writable: writable, roots: roots)
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
  /// - Throws: `UntrustedInputError` for a time out of range.
  func adjustClock(toServer time: Untrusted<Int64>, field: String) throws {
    let offset = try time.inRange(SyncWire.times, field: field) - now()
    if abs(offset - store.replica.clockOffset) > 1000 { store.replica.clockOffset = offset }
  }

  /// The server's time, as far as the replica knows it.
  var date: Date { Date(timeIntervalSince1970: Double(now() + store.replica.clockOffset) / 1000) }

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

  /// The rows that the store shows.
  var rows: ShownRows { ShownRows(shown, models) }

  /// Takes in changes of the log, and saves, and brings the rows to what they mean. Changes that cannot be sent any more leave the outbox.
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
      // The replica must not keep values that it read before the change.
      let before = rows
      update = try ViewUpdate(before, changes: laid.shown)
      try work.add(update, before, saved: saved, of: appended)
      losses = self.losses ?? Losses()
      try losses.add(
        update, laid, outbox, without: acknowledged.union(taken), before, arrived: changes.keys,
        isCapture: changes.isEmpty && acknowledged.isEmpty && !isPartial && self.losses == nil)
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
    try store.writeOutbox(laid.stored)
    self.losses = isPartial ? losses : nil
    let after = rows
    if !isPartial { try note(losses, after) }
    for row in try rowsWithOtherPersonalFields(update, after) { work.add(row, nil) }
    for (change, record) in dropped { try noteLists(change, record ?? change.registers, after) }
    for change in laid.dropped {
      guard let row = try after.row(showing: change.key) else { continue }
      try work.addUndone(row, isDeletion: change.registers.dead != nil, after)
    }
    if isWriting, !isPartial { try writeRows(of: after) }
  }

  /// Writes the rows that may differ from their objects.
  /// - Parameters:
  ///   - view: the rows as they are; nil reads them.
  ///   - keepsGone: whether a later call deletes the objects of rows that are gone. A row that comes until then may keep the object.
  ///   - isComplete: whether any row may be gone, not only those that updates found.
  /// - Returns: the rows that lead to a row without an object.
  @discardableResult
  func writeRows(
    of view: ShownRows? = nil, keepsGone: Bool = false, isComplete: Bool = false
  ) throws -> Set<RecordKey> {
    for row in postponed { work.add(row, nil) }
    let view = view ?? rows
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
      // The position passes over the save that follows, and must not pass over one of the program.
      if user.transactionStore != nil, try isBehindStore {
        throw ReplicaError(description: "a step writes objects, and did not capture what the program saved before")
      }
      try writer.context.save()
      try checkpoint(.writing)
      // Other saves may have come in between in a store without transactions.
      if user.transactionStore != nil { store.replica.seenTransaction = try user.newestTransaction() }
    }
    try writer.note()
    if postponed != writer.postponed {
      postponed = writer.postponed
      try store.setPostponedRows(postponed)
    }
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
#endif
