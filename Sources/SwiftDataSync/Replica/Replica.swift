#if Sync
import Foundation
import SwiftData
import SyncProtocol
import UntrustedInput

/// One copy of the zones' records: the user's store, and the ledger in its database.
///
/// The user's store shows the log, as far as the replica has seen it, with the transactions on top that the log does not have
/// yet. ``scan()`` turns what the program saved into such transactions. ``integrate(_:zone:)`` takes in more of the log. A
/// replica does no networking.
///
/// Each step is one transaction. See ``transaction(_:)``.
final class Replica {
  let user: UserStore
  private let tables: SyncTables
  private(set) var ledger: Ledger
  /// Milliseconds since 1970.
  private let now: () -> Int64
  // Not Sendable: a replica belongs to one actor.
  private var random: AnyGenerator
  /// Called between any two steps that a crash may come between; throwing is the crash.
  let checkpoint: (Checkpoint) throws -> Void
  /// The keys of the account; nil without a secret. See `ShareKeys.swift`.
  var keyring: Keyring?
  let secrets: Secrets
  let resolvers: ConflictResolvers

  /// What the user's store shows: the log as far as it was seen, with what is pending on top. While a save is exported, what the
  /// program saved lies over it.
  private(set) var view: Fold
  /// The log as far as it was seen, with what was pending when the view was made or corrected. It is the view, unless a save
  /// is being exported.
  private var base: Fold
  /// The number of the newest pending transaction that ``base`` has.
  private var newestInBase = 0
  /// Whether the user's store shows all that its models have.
  var isCaughtUp = false
  /// Assets that no zone which the account can read has now. Objects keep the values that they have until an asset is there: a share
  /// may be gone, or a restored server may get the asset from another replica. An exchange begins with none.
  var unavailable: Set<String> = []
  /// Records that objects do not show as they are for want of such an asset.
  var postponed: Set<RecordName> = []
  /// The second ledger, if it is open.
  private var openSpare: Ledger?

  enum Checkpoint: CaseIterable {
    /// Before any statement of a transaction that writes.
    case writing
    /// After the commit of a transaction.
    case committed
  }

  /// - Parameters:
  ///   - user: the store that syncs.
  ///   - database: where the bookkeeping is.
  ///   - secrets: the keys of shares.
  ///   - now: milliseconds since 1970.
  ///   - random: where names come from.
  /// - Throws: ``SwiftDataError`` if the ledger cannot be read.
  init(
    user: UserStore, database: SyncDatabase, secrets: Secrets, keyring: Keyring? = nil,
    resolvers: ConflictResolvers = ConflictResolvers(), now: @escaping () -> Int64,
    random: any RandomNumberGenerator = SecureGenerator(),
    checkpoint: @escaping (Checkpoint) throws -> Void = { _ in }
  ) throws {
    (self.user, tables) = (user, SyncTables(database))
    self.now = now
    self.checkpoint = checkpoint
    (self.keyring, self.secrets, self.resolvers) = (keyring, secrets, resolvers)
    var random = AnyGenerator(random)
    ledger = try Ledger(tables, user.schema) { random.next() }
    self.random = random
    base = Fold(user.schema, over: ledger)
    view = base
    database.willWrite = { try checkpoint(.writing) }
    try transaction {
      try noteInstance()
      loadKeys()
      try renameProperties()
      try ledger.dropUnsentAssets()
      try rebuildView()
      try noteRules()
    }
  }

  /// Gives the replica another number if its store is a copy. The store that it is a copy of may sync too.
  private func noteInstance() throws {
    if let instance = secrets.instance, instance == ledger.replica.instance { return }
    if ledger.replica.instance != nil { ledger.replica.clock.replica = random.next() }
    let instance = secrets.instance ?? makeUUID()
    if secrets.instance == nil { try secrets.setInstance(instance) }
    ledger.replica.instance = instance
  }

  // MARK: - Transactions

  /// Runs a step in one transaction of the store's database: what it reads of the program's saves, the objects that it writes and the
  /// bookkeeping. A step inside another one is a part of it.
  /// - Throws: an error of the store or of `body`. Then the store and the replica are as they were before.
  func transaction<T>(_ body: () throws -> T) throws -> T {
    guard !tables.database.isInTransaction else { return try body() }
    let former = (isCaughtUp, postponed)
    let result: T
    do {
      result = try tables.database.transaction {
        let result = try body()
        try ledger.save()
        return result
      }
    } catch {
      (isCaughtUp, postponed) = former
      // If the store cannot be read either, the first error says why.
      try? reload()
      throw error
    }
    try checkpoint(.committed)
    return result
  }

  /// Reads the bookkeeping again. What is in memory may be of a transaction that failed.
  private func reload() throws {
    openSpare = nil
    let replica = ledger.replica.clock.replica
    ledger = try Ledger(tables, user.schema) { replica }
    loadKeys()
    try rebuildView()
  }

  /// The second ledger.
  func spareLedger() throws -> Ledger {
    let opened = try openSpare ?? Ledger(tables.spare) { ledger.replica.clock.replica }
    openSpare = opened
    return opened
  }

  func dropSpare() throws {
    openSpare = nil
    try tables.spare.clear()
  }

  // MARK: - Time and names

  /// A moment for a change of this replica.
  func tick() -> HybridTime { ledger.replica.clock.next(now() + ledger.replica.clockOffset) }

  func makeName() -> RecordName { RecordName(milliseconds: now() + ledger.replica.clockOffset, using: &random) }

  func makeTransaction(_ changes: [RecordChange]) -> SyncTransaction {
    SyncTransaction(id: makeUUID(), replica: ledger.replica.clock.replica, changes: changes)
  }

  private func makeUUID() -> UUID {
    var bytes = (random.next() as UInt64, random.next() as UInt64)
    return UUID(uuid: withUnsafeBytes(of: &bytes) { $0.loadUnaligned(as: uuid_t.self) })
  }

  /// Takes the server's time as the right one where the wall clock is more than a second off.
  /// - Parameter field: the answer and the field that have the time.
  /// - Throws: `UntrustedInputError` for a time that is none.
  func adjustClock(toServer time: Untrusted<Int64>, field: String) throws {
    let offset = try time.inRange(SyncWire.times, field: field) - now()
    let difference = offset - ledger.replica.clockOffset
    if abs(difference) > 1000 { ledger.replica.clockOffset = offset }
  }

  // MARK: - Sending

  /// What the log does not have yet, in order: at least one transaction, at most 200, and not more than about 4 MB.
  func outgoing(zone: String, limit: Int = 200) -> [SyncTransaction] {
    var (chosen, size) = ([SyncTransaction](), 0)
    for pending in ledger.pending where pending.zone == zone {
      if chosen.count == limit || (!chosen.isEmpty && size + pending.size > 4 << 20) { break }
      chosen.append(pending.sent)
      size += pending.size
    }
    return chosen
  }

  var pendingCount: Int { ledger.pending.count }

  func position(_ zone: String) -> Int64 { ledger.places.position(zone) ?? 0 }

  /// Gives pending changes new moments, after the server refused some of theirs as too far ahead.
  /// - Parameter time: the server's time.
  /// - Throws: `UntrustedInputError` for a time that is none; an error of a store.
  func restamp(toServer time: Untrusted<Int64>) throws {
    let time = try time.inRange(SyncWire.times, field: "failure.time")
    try transaction {
      try scan()
      ledger.replica.clockOffset = time - now()
      ledger.replica.clock.setBack()
      let times = Set(ledger.pending.flatMap(\.transaction.times))
      // The server accepts these. The log of another zone may have the other half of a move with the same moment.
      let isAccepted = { (moment: HybridTime) in moment.milliseconds <= time + SyncWire.clockTolerance }
      for moment in times.filter(isAccepted) { ledger.replica.clock.witness(moment) }
      let last = ledger.replica.clock.latest
      var renamed: [HybridTime: HybridTime] = [:]
      for moment in times.sorted() where !isAccepted(moment) { renamed[moment] = tick() }
      let restamping = Restamping(renamed, after: last)
      try ledger.replacePending(restamping.apply)
      try showReplaced()
    }
  }

  // MARK: - The view

  func makeFold(over source: any RecordSource) -> Fold { Fold(user.schema, over: source, zones: ledger.zones) }

  func rebuildView() throws {
    base = makeFold(over: ledger)
    view = base
    for pending in ledger.pending { try base.apply(pending.transaction.changes, zone: pending.zone) }
    newestInBase = ledger.pending.last?.number ?? 0
  }

  /// The folds that have what the view has beside the ledger.
  var viewFolds: [Fold] { view === base ? [view] : [base, view] }

  /// Lays a fold over the view that what is exported goes to, if there are several zones. ``correctExport()`` takes it away.
  func beginExport() {
    if ledger.zones.areSeveral, view === base { view = makeFold(over: base) }
  }

  /// Makes the view again, and notes the records of which it says something else than the view before it. The user's store shows
  /// the view before it. The ledger has to be saved afterwards.
  ///
  /// While a save is exported, the view shows what the program saved. The log of the record's zone may say that the record was
  /// deleted there, or have values that the program has not seen.
  func correctView() throws {
    guard ledger.zones.areSeveral else { return }
    let names = viewFolds.reduce(into: Set<RecordName>()) { $0.formUnion($1.states.names) }
    let shown = view
    try rebuildView()
    try noteDifferences(names.union(view.states.names), shown, view)
  }

  /// Does what ``correctView()`` does after an export, when nothing else happened to the ledger since ``beginExport()``.
  /// - Complexity: O(what was exported), whatever is unsent beside it.
  func correctExport() throws {
    guard view !== base else { return }
    let fold = makeFold(over: base)
    let index = ledger.pending.lastIndex { $0.number <= newestInBase }.map { $0 + 1 } ?? 0
    for pending in ledger.pending[index...] { try fold.apply(pending.transaction.changes, zone: pending.zone) }
    newestInBase = ledger.pending.last?.number ?? newestInBase
    try noteDifferences(Set(view.states.names).union(fold.states.names), view, fold)
    base.take(fold.states, fold.uniques)
    view = base
  }

  /// Notes the records that the program's deletions take by a cascade and that still have objects. The store kept these objects if it
  /// did not show their owner yet.
  func noteTaken(_ names: some Sequence<RecordName>) throws {
    for name in names where name.subject == nil {
      if try ledger.object(of: name) != nil, try !view.isAlive(name) { ledger.replica.noteToShow(name) }
    }
  }

  private func noteDifferences(_ names: Set<RecordName>, _ shown: Fold, _ corrected: Fold) throws {
    for name in names where !name.isApart {
      let (old, now) = (try shown.state(name), try corrected.state(name))
      guard old != now else { continue }
      let gone = (old?.fields ?? [:]).map(\.key).filter { now?.fields[$0] == nil }
      ledger.replica.noteToShow(name.subject ?? name, without: gone)
    }
  }

  /// Applies a change of this replica to the view.
  func show(_ change: RecordChange) throws { try view.apply(change) }

  /// Notes a batch as taken in.
  /// - Parameter late: what follows from the batch for other zones.
  func finish(_ batch: Batch, _ shadow: Fold, seen: Int64?, late: LateChanges) throws {
    try noteCopy(batch)
    try ledger.take(shadow)
    for (name, claims) in late.claims { ledger.replica.noteToFollow(name, claims) }
    if !late.moves.isEmpty { ledger.replica.movesToFinish = late.moves.union(ledger.replica.movesToFinish ?? []) }
    for (zone, changes) in late.changes {
      try ledger.append(makeTransaction(changes.map(keepingAssets)), zone: zone)
    }
    try ledger.removePending(batch.taken)
    // What others wrote to a record that left may have been sent to its new zone.
    let leftBehind = shadow.leftBehind.filter { ledger.replica.isOwn($0.lostTime.replica) }
    for conflict in shadow.conflicts + leftBehind where try !shadow.isOne(conflict) {
      try ledger.log(conflict, at: Date(timeIntervalSince1970: Double(now()) / 1000))
    }
    if let last = batch.entries.last {
      if let snapshot = batch.snapshot {
        ledger.places.didTake(snapshot, upTo: last.sequence, of: batch.zone)
      } else {
        ledger.places.setPosition(last.sequence, of: batch.zone)
      }
    }
    for entry in batch.entries {
      if let time = entry.transaction.latestTime { ledger.replica.clock.witness(time) }
      if !user.schema.knows(entry.transaction) { ledger.replica.sawUnknown = true }
    }
    if let refolded = batch.refolded { noteRefolded(refolded) }
    if let seen { ledger.replica.seenTransaction = seen }
    try ledger.save()
  }

  /// Gives the replica another number if a log has transactions with its number that it does not know of: its store is a copy, or was
  /// restored from one.
  private func noteCopy(_ batch: Batch) throws {
    let (own, latest) = (ledger.replica.clock.replica, ledger.replica.clock.latest)
    guard
      batch.entries.contains(where: { $0.transaction.replica == own && $0.transaction.latestTime ?? .zero > latest })
    else { return }
    ledger.replica.formerNumbers = (ledger.replica.formerNumbers ?? []) + [own]
    ledger.replica.clock.replica = random.next()
  }

  /// Whether this replica made a transaction. A copy of its store may have unsent transactions of the store that it is a copy of.
  func isOwn(_ transaction: SyncTransaction) -> Bool {
    ledger.replica.isOwn(transaction.replica) || ledger.isPending(transaction.id)
  }
}

/// Gives the moments of unsent transactions new values.
private struct Restamping {
  private let times: [HybridTime: HybridTime]
  private let old: [HybridTime]
  /// The place at the end that the newest moment makes.
  private let end: String
  /// The place at the end that the last moment before the new ones makes.
  private let kept: String

  /// - Parameter last: the last moment before the new ones.
  init(_ times: [HybridTime: HybridTime], after last: HybridTime) {
    self.times = times
    old = times.keys.sorted()
    end = times.values.max().map(ListPlaces.end) ?? ""
    kept = ListPlaces.end(last)
  }

  func apply(_ transaction: SyncTransaction) -> SyncTransaction {
    var transaction = transaction
    for index in transaction.changes.indices {
      for (name, write) in transaction.changes[index].fields {
        transaction.changes[index].fields[name] = SyncSchema.isPlace(name) ? place(write) : apply(write)
      }
      transaction.changes[index].deleted = transaction.changes[index].deleted.map(apply)
      transaction.changes[index].members = transaction.changes[index].members?.mapValues { $0.mapValues(apply) }
    }
    return transaction
  }

  private func apply(_ time: HybridTime) -> HybridTime { times[time] ?? time }

  private func apply(_ write: FieldWrite) -> FieldWrite {
    FieldWrite(write.value, apply(write.time), over: write.over.map(apply))
  }

  private func place(_ write: FieldWrite) -> FieldWrite {
    var write = apply(write)
    if case .text(let text) = write.value { write.value = .text(place(text)) }
    return write
  }

  private func place(_ text: String) -> String {
    // The place at the end of a list is made of the moment.
    if let old = ListPlaces.moment(of: text), let new = times[old] { return ListPlaces.end(new) }
    // A place between others that is made of refused moments would stay behind what comes to the end later.
    guard text > end, !times.isEmpty else { return text }
    guard let old = old.last(where: { $0.description <= text }), let new = times[old] else { return kept + text }
    let digits = old.description
    return new.description + (text.hasPrefix(digits) ? String(text.dropFirst(digits.count)) : "8" + text)
  }

  private func apply(_ write: MemberWrite) -> MemberWrite {
    var write = write
    write.add = write.add.map(apply)
    write.remove = write.remove?.map(apply)
    write.place = write.place.map(place)
    write.inversePlace = write.inversePlace.map(place)
    return write
  }
}

/// Random numbers of any generator.
struct AnyGenerator: RandomNumberGenerator {
  private var base: any RandomNumberGenerator
  init(_ base: any RandomNumberGenerator) { self.base = base }
  mutating func next() -> UInt64 { base.next() }
}
#endif
