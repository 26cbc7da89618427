#if Sync
import Foundation
import SwiftData
import SyncProtocol
import UntrustedInput

/// One copy of the zones' records: the user's store, and the ledger beside it.
///
/// The user's store shows the log, as far as the replica has seen it, with the transactions on top that the log does not have
/// yet. ``scan()`` turns what the program saved into such transactions. ``integrate(_:zone:)`` takes in more of the log. A
/// replica does no networking.
final class Replica {
  let user: UserStore
  let ledger: Ledger
  /// Milliseconds since 1970.
  private let now: () -> Int64
  // Not Sendable: a replica belongs to one actor.
  private var random: AnyGenerator
  /// Called between any two steps that a crash may come between; throwing is the crash.
  let checkpoint: (Checkpoint) throws -> Void
  /// The keys of the account; nil without a secret. See `ShareKeys.swift`.
  var keyring: Keyring?
  let resolvers: ConflictResolvers
  /// Where the log is folded again after the models changed.
  let spare: SpareLedger

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
  /// Whether the history of the user's store was compared with what was seen of it before.
  var isHistoryChecked = false
  /// Assets that no zone which the account can read has now. Objects keep the values that they have until an asset is there: a share
  /// may be gone, or a restored server may get the asset from another replica. An exchange begins with none.
  var unavailable: Set<String> = []
  /// Records that objects do not show as they are for want of such an asset.
  var postponed: Set<RecordName> = []
  /// The second ledger, if it is open.
  private var openSpare: Ledger?

  enum Checkpoint: CaseIterable {
    case scanned, intentSaved, userSaved, integrated, restamped
    /// A replica passes it only if it has resolvers.
    case resolved
    /// A replica passes them only if it lost a zone.
    case dismissed, forgotten

    /// Those that every replica passes.
    static let allCases: [Checkpoint] = [.scanned, .intentSaved, .userSaved, .integrated, .restamped]
  }

  /// - Parameters:
  ///   - user: the store that syncs.
  ///   - ledger: the container of the bookkeeping.
  ///   - spare: a second container of that kind, for a while.
  ///   - now: milliseconds since 1970.
  ///   - random: where names come from.
  /// - Throws: ``SwiftDataError`` if the ledger cannot be read or a batch that a crash interrupted cannot be finished.
  init(
    user: UserStore, ledger: ModelContainer, spare: SpareLedger, keyring: Keyring? = nil,
    resolvers: ConflictResolvers = ConflictResolvers(), now: @escaping () -> Int64,
    random: any RandomNumberGenerator = SecureGenerator(),
    checkpoint: @escaping (Checkpoint) throws -> Void = { _ in }
  ) throws {
    (self.user, self.spare) = (user, spare)
    self.now = now
    self.checkpoint = checkpoint
    (self.keyring, self.resolvers) = (keyring, resolvers)
    var random = AnyGenerator(random)
    self.ledger = try Ledger(ledger, user.schema) { random.next() }
    self.random = random
    base = Fold(user.schema, over: self.ledger)
    view = base
    loadKeys()
    try renameProperties()
    try recover()
    try self.ledger.dropUnsentAssets()
    try rebuildView()
    try noteRules()
    if self.ledger.replica.isRestamped {
      try scan()
      // ``catchUp()`` shows them: bytes may have to be fetched for it, and a replica that does not start cannot fetch any.
      for name in self.ledger.pending.flatMap({ $0.transaction.changes.map(\.record) }) {
        self.ledger.replica.noteToShow(name.subject ?? name)
      }
      self.ledger.replica.isRestamped = false
      try self.ledger.save()
    }
  }

  /// The second ledger.
  func spareLedger() throws -> Ledger {
    let opened = try openSpare ?? Ledger(spare.open()) { ledger.replica.clock.replica }
    openSpare = opened
    return opened
  }

  func dropSpare() throws {
    openSpare = nil
    try spare.remove()
  }

  // MARK: - Time and names

  /// A moment for a change of this replica.
  func tick() -> HybridTime { ledger.replica.clock.next(now() + ledger.replica.clockOffset) }

  func makeName() -> RecordName { RecordName(milliseconds: now() + ledger.replica.clockOffset, using: &random) }

  func makeTransaction(_ changes: [RecordChange]) -> SyncTransaction {
    var bytes = (random.next() as UInt64, random.next() as UInt64)
    let id = withUnsafeBytes(of: &bytes) { $0.loadUnaligned(as: uuid_t.self) }
    return SyncTransaction(id: UUID(uuid: id), replica: ledger.replica.clock.replica, changes: changes)
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
    ledger.replica.isRestamped = true
    try ledger.save()
    try checkpoint(.restamped)
    try showRestamped()
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

  /// Finishes or forgets the batch that a crash interrupted.
  private func recover() throws {
    guard var intent = ledger.replica.intent else { return }
    intent.entries = intent.entries.map(user.schema.current)
    let next = try user.saves(after: intent.expected, limit: 1)?.first
    if let next, next.number == intent.expected + 1, next.isSync {
      // Keys ascend in the order of insertion, class by class.
      var keys = Dictionary(grouping: next.inserted.sorted(), by: \.entityName).mapValues { $0[...] }
      let shadow = makeFold(over: ledger)
      for entry in intent.entries { try shadow.apply(entry, zone: intent.zone) }
      if let refolded = intent.refolded {
        shadow.take(refolded.states.lazy.map { ($0, self.user.schema.current($1, of: $0)) }, refolded.holders)
      }
      let contested = try contested(intent, shadow, savedAs: next.number)
      let late = try late(intent.entries, zone: intent.zone, shadow)
      // The objects were made from this fold: a change that is not in the log yet may have made one.
      let new = try makeFold(over: shadow, without: intent.taken, late)
      try noteMoves(intent.moved ?? [], new, zone: intent.zone)
      for name in intent.inserted {
        let entity = try new.state(name)?.entity ?? ""
        guard let identifier = keys[entity]?.popFirst() else { continue }
        try ledger.setObject(UserStore.text(identifier), of: name, entity, zone: intent.zone)
      }
      let gone = try ledger.names(of: next.deleted.map(UserStore.text))
      for case let name? in gone { try ledger.setObject(nil, of: name, "", zone: intent.zone) }
      for (name, values) in intent.held ?? [:] {
        try ledger.setHeld(values, of: name)
        // The value may have been postponed.
        ledger.replica.noteToShow(name)
      }
      try resolve(contested)
      try finish(intent, shadow, seen: next.number, late: late)
    } else {
      ledger.replica.intent = nil
      try ledger.save()
    }
  }

  /// Notes a batch as taken in.
  /// - Parameter late: what follows from the batch for other zones.
  func finish(_ intent: ReplicaState.Intent, _ shadow: Fold, seen: Int64?, late: LateChanges) throws {
    try ledger.take(shadow)
    for (name, claims) in late.claims { ledger.replica.noteToFollow(name, claims) }
    if !late.moves.isEmpty { ledger.replica.movesToFinish = late.moves.union(ledger.replica.movesToFinish ?? []) }
    for (zone, changes) in late.changes {
      try ledger.append(makeTransaction(changes.map(keepingAssets)), zone: zone)
    }
    try ledger.removePending(intent.taken)
    // What others wrote to a record that left may have been sent to its new zone.
    let leftBehind = shadow.leftBehind.filter { $0.lostTime.replica == ledger.replica.clock.replica }
    for conflict in shadow.conflicts + leftBehind where try !shadow.isOne(conflict) {
      try ledger.log(conflict, at: Date(timeIntervalSince1970: Double(now()) / 1000))
    }
    if let last = intent.entries.last {
      if let snapshot = intent.snapshot {
        ledger.places.didTake(snapshot, upTo: last.sequence, of: intent.zone)
      } else {
        ledger.places.setPosition(last.sequence, of: intent.zone)
      }
    }
    for entry in intent.entries {
      if let time = entry.transaction.latestTime { ledger.replica.clock.witness(time) }
      if !user.schema.knows(entry.transaction) { ledger.replica.sawUnknown = true }
    }
    if let refolded = intent.refolded { noteRefolded(refolded) }
    if let seen, seen != ledger.replica.seenTransaction { ledger.replica.noteSeen(seen) }
    ledger.replica.intent = nil
    try ledger.save()
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
private struct AnyGenerator: RandomNumberGenerator {
  private var base: any RandomNumberGenerator
  init(_ base: any RandomNumberGenerator) { self.base = base }
  mutating func next() -> UInt64 { base.next() }
}
#endif
