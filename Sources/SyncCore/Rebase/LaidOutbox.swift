public import Foundation

/// An outbox that is laid over the log's states, one entry after the other (decision 44).
///
/// An update lays only those transactions again that read what an entry changes. The result equals the result of a ``Rebase``. The outbox is
/// in memory, and the records of the log need not be.
public struct LaidOutbox: Sendable {
  /// The changes that an entry, a save or another permission makes.
  public struct Update: Sendable {
    /// The changes that cannot be sent, of the transactions that were laid again. The outbox does not have them any more.
    public internal(set) var dropped: [DroppedChange] = []
    /// The registers that a replica shows of each record that may differ: the join of the log's and the outbox's registers. Nil for a record
    /// that neither has.
    public internal(set) var shown: [RecordKey: Registers?] = [:]
    /// The transactions that were laid again.
    public internal(set) var laid: [UUID] = []
    /// The changes of the outbox's table: by number, each transaction that is new or lost changes; nil for one that the outbox does not have
    /// any more.
    public internal(set) var stored: [Int: LocalTransaction?] = [:]
  }

  /// Changes that cannot be sent and stay in the outbox, because what they need may come.
  public enum Kept: Sendable {
    /// All records of the log are here.
    case nothing
    /// Other zones come, and with them records that are not found.
    case missing
    /// Other updates follow, and with them any record in another state.
    case all

    func has(_ reason: DroppedChange.Reason) -> Bool {
      switch self {
      case .nothing: false
      case .missing: reason == .unknown || reason == .movedOutOfSight
      case .all: true
      }
    }
  }

  /// A transaction, and what became of it.
  struct Laid: Sendable {
    var transaction: LocalTransaction
    /// Whether it has changes that cannot be sent.
    var isUndecided = false
    var parts: [ZoneName: [RecordName: Registers]] = [:]
    /// The reads that it depends on.
    var reads = ReadSet()
    /// The unique values that the written records have after it.
    var values: [RecordKey: [UniqueValue]] = [:]

    func written(_ key: RecordKey) -> Registers? { parts[key.zone]?[key.name] }

    func forEachWritten(_ body: (RecordKey, Registers) throws -> Void) rethrows {
      for (zone, part) in parts { for (name, registers) in part { try body(RecordKey(zone, name), registers) } }
    }
  }

  /// The program's models.
  public let models: SyncModels
  private var laid: [Int: Laid] = [:]
  /// The numbers of the transactions, in the order of the outbox. They ascend.
  private var order: [Int] = []
  private var numbers: [UUID: Int] = [:]
  private var next = 0
  private(set) var index = OutboxIndex()
  private var writable = Set<ZoneName>()
  private var roots = Set<RecordKey>()
  /// The transactions with changes that cannot be sent and stayed.
  private var undecided = Set<Int>()

  private let skipping: Set<Step>

  /// Makes an empty outbox.
  public init(_ models: SyncModels) { self.init(models, skipping: []) }

  /// - Parameter skipping: the reasons that do not count. Tests leave out a reason to show that a law needs it.
  package init(_ models: SyncModels, skipping: Set<Step>) { (self.models, self.skipping) = (models, skipping) }

  /// A reason to lay a transaction again.
  package enum Step: CaseIterable {
    /// It read a record that differs.
    case records
    /// It looked up the holders of a name, and a record begins or ceases to lead to the name.
    case holders
    /// It looked up the records with a unique value, and a record gets or loses the value.
    case values
    /// The account may write another zone.
    case permissions
    /// An object is shared or is not shared any more.
    case roots
    /// An earlier transaction writes something else.
    case earlier
  }

  /// The saves that the log does not have, in their order.
  /// - Complexity: O(their number). An update must not ask for them all: a device that is offline has thousands.
  public var transactions: [LocalTransaction] { order.compactMap { one($0)?.transaction } }

  /// The identities of the first saves that the log does not have, in their order.
  public func ids(first count: Int) -> [UUID] { order.prefix(count).compactMap { one($0)?.transaction.id } }

  private func one(_ number: Int) -> Laid? {
    #if DEBUG
      // Tests of growth count a look at a transaction, too.
      NameUses.note()
    #endif
    return laid[number]
  }

  /// The number of saves that the log does not have.
  public var count: Int { order.count }

  /// The saves as the server gets them, in their order. Each is made when it is asked for.
  public var outgoing: LazyMapSequence<[Int], OutgoingTransaction> {
    order.lazy.map { number in
      // The order has the numbers of all of them.
      let one = one(number)!
      return OutgoingTransaction(
        id: one.transaction.id, time: one.transaction.time, parts: one.parts, isUndecided: one.isUndecided)
    }
  }

  /// The registers that a replica shows of a record: the join of the log's and the outbox's registers.
  /// - Throws: an error of the source.
  public func registers(of key: RecordKey, over base: some RecordSource) throws -> Registers? {
    try registers(of: key, over: base, before: .max)
  }

  /// The fields of a record that the program changed, the latest write of each.
  public func fields(of key: RecordKey, without taken: Set<UUID>) -> [WireName: Stamped<RegisterValue>] {
    var fields: [WireName: Stamped<RegisterValue>] = [:]
    for number in index.changes(of: key) {
      guard let transaction = laid[number]?.transaction, !taken.contains(transaction.id) else { continue }
      fields.merge(transaction.changes[key]?.fields ?? [:], uniquingKeysWith: max)
    }
    return fields
  }

  /// Whether the program deleted a record.
  package var hasDeletions: Bool { index.hasDeletions }

  /// Whether the program deleted a record.
  public func deletes(_ key: RecordKey, without taken: Set<UUID>) -> Bool {
    index.changes(of: key).contains { number in
      guard let transaction = laid[number]?.transaction, !taken.contains(transaction.id) else { return false }
      return transaction.changes[key]?.dead != nil
    }
  }

  /// Whether the log has all saves.
  public var isEmpty: Bool { laid.isEmpty }

  /// Whether a transaction writes a record.
  public func writes(_ key: RecordKey) -> Bool { !index.writers(of: key).isEmpty }

  func registers(of key: RecordKey, over base: some RecordSource, before end: Int) throws -> Registers? {
    var registers = try base.registers(of: key)
    for number in index.writers(of: key) where number < end {
      guard let written = laid[number]?.written(key) else { continue }
      registers = (registers ?? Registers()).joining(written)
    }
    return registers
  }

  /// Takes in the saves of a table into an empty outbox, which keeps their numbers.
  /// - Parameters:
  ///   - base: the records of the log.
  ///   - stored: the saves with their numbers, which ascend. ``Update/stored`` names later changes by these numbers.
  ///   - writable: the zones that the account may write, among those that the replica has.
  ///   - roots: the shared objects.
  /// - Throws: an error of the source.
  public mutating func load(
    _ base: some RecordSource, _ stored: [(number: Int, transaction: LocalTransaction)], writable: Set<ZoneName>,
    roots: Set<RecordKey>
  ) throws -> Update {
    // The next update drops and logs changes that cannot be sent.
    try update(
      base, changes: [:], acknowledged: [], appended: stored, writable: writable, roots: roots, keeping: .all)
  }

  /// Takes in an entry of the log, new saves and permissions.
  ///
  /// After an error the caller has to make another outbox.
  /// - Parameters:
  ///   - base: the records of the log before the entry.
  ///   - changes: the registers of each record that the entry changes; nil for a record that goes.
  ///   - acknowledged: the transactions that the log has.
  ///   - appended: new saves.
  ///   - writable: the zones that the account may write, among those that the replica has.
  ///   - roots: the shared objects. They stay in the zones of their shares.
  ///   - keeping: the changes that cannot be sent and still stay in the outbox. A later update decides again.
  /// - Throws: an error of the source.
  public mutating func update(
    _ base: some RecordSource, changes: [RecordKey: Registers?] = [:], acknowledged: Set<UUID> = [],
    appended: [LocalTransaction] = [], writable: Set<ZoneName>, roots: Set<RecordKey> = [], keeping: Kept = .nothing
  ) throws -> Update {
    try update(
      base, changes: changes, acknowledged: acknowledged,
      appended: appended.enumerated().map { (number: next + $0.offset, transaction: $0.element) }, writable: writable,
      roots: roots, keeping: keeping)
  }

  private mutating func update(
    _ base: some RecordSource, changes: [RecordKey: Registers?], acknowledged: Set<UUID>,
    appended: [(number: Int, transaction: LocalTransaction)], writable: Set<ZoneName>, roots: Set<RecordKey>,
    keeping: Kept
  ) throws -> Update {
    var update = Update()
    if laid.isEmpty, appended.isEmpty {
      // A client that only reads.
      (self.writable, self.roots, update.shown) = (writable, roots, changes)
      return update
    }
    var pending = Set<Int>()
    var differing = Set<RecordKey>()
    var records = RecordOverlay(base, models)
    try base.prepare(Array(changes.keys))
    for (key, registers) in changes {
      let former = try base.registers(of: key)
      guard former != registers else { continue }
      differing.insert(key)
      touch(key, IndexEntries(former, in: key.zone, models), &pending)
      touch(key, records.set(key, registers), &pending)
    }
    for zone in writable.symmetricDifference(self.writable) where !skipping.contains(.permissions) {
      pending.formUnion(index.readers(of: zone))
    }
    for root in roots.symmetricDifference(self.roots) where !skipping.contains(.roots) {
      pending.formUnion(index.readers(of: root.name))
    }
    (self.writable, self.roots) = (writable, roots)
    for id in acknowledged {
      guard let number = numbers[id] else { continue }
      replace(number, nil, &pending, &differing)
      update.stored[number] = .some(nil)
    }
    try base.prepare(
      appended.flatMap { _, transaction in
        transaction.changes.flatMap { key, registers in
          [key] + registers.referencedNames.map { RecordKey(key.zone, $0) }
        }
      })
    for (number, transaction) in appended {
      laid[number] = Laid(transaction: transaction)
      order.append(number)
      numbers[transaction.id] = number
      update.stored[number] = .some(transaction)
      pending.insert(number)
      next = number + 1
    }
    pending.formUnion(undecided)
    undecided = []
    // A transaction that is laid again changes what later ones read, and nothing before it.
    for number in order[order.place(of: pending.min() ?? next)...] where pending.remove(number) != nil {
      guard let transaction = one(number)?.transaction else { continue }
      let (new, dropped) = try lay(transaction, number, records, keeping)
      if new?.isUndecided == true { undecided.insert(number) } else { update.dropped += dropped }
      update.laid.append(transaction.id)
      if new?.transaction != transaction { update.stored[number] = .some(new?.transaction) }
      replace(number, new, &pending, &differing)
    }
    for key in differing { update.shown[key] = .some(try registers(of: key, over: records)) }
    return update
  }

  private func lay(
    _ transaction: LocalTransaction, _ number: Int, _ records: some RecordSource, _ keeping: Kept
  ) throws -> (Laid?, [DroppedChange]) {
    let log = ReadLog(OutboxRecords(base: records, outbox: self, end: number))
    var laying = TransactionLaying(RecordOverlay(log, models), models, writable: writable, roots: roots)
    try laying.lay(transaction)
    let isUndecided = laying.dropped.contains { keeping.has($0.reason) }
    guard let rest = isUndecided ? transaction : transaction.without(laying.dropped) else {
      return (nil, laying.dropped)
    }
    var new = Laid(transaction: rest, isUndecided: isUndecided, parts: laying.parts, reads: log.reads)
    new.reads.zones = laying.zones
    try new.forEachWritten { key, _ in
      let registers = try laying.records.registers(of: key)
      guard let registers, registers.isHere(key.zone) else { return }
      let values = UniqueValue.all(of: registers, models)
      if !values.isEmpty { new.values[key] = values }
    }
    return (new, laying.dropped)
  }

  /// Replaces what became of a transaction. Later transactions that read what differs are laid again.
  private mutating func replace(
    _ number: Int, _ new: Laid?, _ pending: inout Set<Int>, _ differing: inout Set<RecordKey>
  ) {
    let old = laid[number]
    let hasLater = order.last.map { $0 > number } ?? false
    func compare(_ key: RecordKey, _ before: Registers?, _ after: Registers?) {
      guard before != after || old?.values[key] != new?.values[key] else { return }
      differing.insert(key)
      guard hasLater, !skipping.contains(.earlier) else { return }
      for (registers, values) in [(before, old?.values[key]), (after, new?.values[key])] {
        var entries = IndexEntries(registers, in: key.zone, models)
        entries.unique = Set(values ?? [])
        touch(key, entries, &pending, after: number)
      }
    }
    old?.forEachWritten { key, registers in compare(key, registers, new?.written(key)) }
    new?.forEachWritten { key, registers in if old?.written(key) == nil { compare(key, nil, registers) } }
    if let old { index.remove(old, number) }
    laid[number] = new
    if let old, new == nil {
      numbers[old.transaction.id] = nil
      order.remove(at: order.place(of: number))
    }
    if let new { index.insert(new, number) }
  }

  /// Adds the transactions to be laid again because of a record that differs, with the index entries that it had or has.
  private func touch(
    _ key: RecordKey, _ entries: IndexEntries, _ pending: inout Set<Int>, after number: Int = .min
  ) {
    func add(_ readers: TransactionNumbers) { for reader in readers where reader > number { pending.insert(reader) } }
    if !skipping.contains(.records) { add(index.readers(of: key.name)) }
    for link in entries.links where !skipping.contains(.holders) { add(index.readers(of: link.name)) }
    for value in entries.unique where !skipping.contains(.values) { add(index.readers(of: value)) }
  }
}
