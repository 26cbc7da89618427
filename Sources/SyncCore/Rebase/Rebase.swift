/// Local edits laid over a new base. It is a function of its arguments, so that no replica has to remember anything between
/// two pulls.
///
/// Only the device whose user gave an object its owner moves the object. No device moves an object in reaction to another device's
/// entries. So no participant can make another device carry an object into a zone. ``LaidOutbox`` lays only the edits again that an entry
/// of the log concerns.
public struct Rebase: Sendable {
  /// The base with the edits.
  public private(set) var states: ZoneStates
  /// The edits as the server gets them, in the order of the outbox.
  public private(set) var transactions: [OutgoingTransaction] = []
  /// The changes that cannot be sent.
  public private(set) var dropped: [DroppedChange] = []

  /// Lays an outbox over the states of the log.
  /// - Parameters:
  ///   - base: the states of the log.
  ///   - outbox: the saves that the log does not have, in their order.
  ///   - models: the program's models.
  ///   - writable: the zones that the account may write.
  ///   - roots: the shared objects. They stay in the zones of their shares.
  public init(
    _ base: ZoneStates, outbox: [LocalTransaction], models: SyncModels, writable: Set<ZoneName>,
    roots: Set<RecordKey> = []
  ) {
    states = base
    guard !outbox.isEmpty else { return }
    let writable = writable.intersection(base.zones.keys)
    var records = RecordOverlay(MemoryRecords(base, models), models)
    for transaction in outbox {
      var laying = TransactionLaying(records, models, writable: writable, roots: roots)
      // `try!` because laying throws only errors of its source, and `MemoryRecords` throws none.
      try! laying.lay(transaction)
      records = laying.records
      transactions.append(OutgoingTransaction(id: transaction.id, time: transaction.time, parts: laying.parts))
      dropped += laying.dropped
    }
    for (key, registers) in records.changes { states[key.zone].records[key.name] = registers }
  }

  /// The transactions that a replica keeps: the outbox without the dropped changes.
  public func remaining(of outbox: [LocalTransaction]) -> [LocalTransaction] {
    let dropped = Dictionary(grouping: dropped, by: \.transaction)
    return outbox.compactMap { $0.without(dropped[$0.id] ?? []) }
  }
}

extension LocalTransaction {
  /// The transaction without dropped changes; nil if nothing is left.
  func without(_ dropped: [DroppedChange]) -> LocalTransaction? {
    var transaction = self
    for change in dropped { transaction.changes[change.key] = change.sent.isEmpty ? nil : change.sent }
    return transaction.changes.isEmpty && transaction.moves.isEmpty ? nil : transaction
  }
}
