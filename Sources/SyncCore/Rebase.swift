/// Local edits laid over a new base (design, 3.5). It is a function of its arguments, so that no replica has to remember anything between
/// two pulls.
///
/// Only the device whose user gave an object its owner moves the object. No device moves an object in reaction to another device's
/// entries. So no participant can make another device carry an object into a zone.
public struct Rebase: Sendable {
  /// The base with the edits.
  public private(set) var states: ZoneStates
  /// The edits as the server gets them, in the order of the outbox.
  public private(set) var transactions: [OutgoingTransaction] = []
  /// The changes that cannot be sent.
  public private(set) var dropped: [DroppedChange] = []

  /// The zones of the base.
  private let zones: Set<ZoneName>
  private let models: SyncModels
  private let writable: Set<ZoneName>
  private let roots: Set<RecordKey>

  // Of the transaction that is laid over the base:
  /// The registers that it writes.
  private var parts: [ZoneName: [RecordName: Registers]] = [:]
  /// The records that it makes. No other replica knows them.
  private var fresh = Set<RecordKey>()
  /// The records whose changes were dropped.
  private var refused = Set<RecordKey>()

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
    (states, zones, self.models) = (base, Set(base.zones.keys), models)
    (self.writable, self.roots) = (writable, roots)
    for transaction in outbox { lay(transaction) }
  }

  private mutating func lay(_ transaction: LocalTransaction) {
    (parts, fresh, refused) = ([:], [], [])
    for (key, registers) in transaction.ordered {
      if !transaction.isResent {
        lay(registers, of: key, in: transaction)
      } else if writable.contains(key.zone), zones.contains(key.zone) {
        write(registers, to: key)
      }
    }
    for move in transaction.moves {
      guard let target = states.locate(Reference(move.row.name), from: move.row.zone), !target.zone.isShare,
        writable.contains(move.zone), writable.contains(target.zone)
      else { continue }
      self.move(target, to: move.zone, at: transaction.time)
    }
    if !transaction.isResent { place(at: transaction.time) }
    transactions.append(
      OutgoingTransaction(id: transaction.id, time: transaction.time, parts: parts.filter { !$0.value.isEmpty }))
  }

  /// Writes the changes of one record to where the record is now, or drops them.
  private mutating func lay(_ registers: Registers, of key: RecordKey, in transaction: LocalTransaction) {
    var target = key
    let record = states[key]
    if record == nil, registers.born != nil {
      fresh.insert(key)
    } else if record?.dead != nil {
      return layRelationships(registers, of: key, in: transaction)
    } else if record == nil || record?.home.map({ $0.zone != key.zone }) ?? false {
      guard let located = states.locate(Reference(key.name), from: key.zone) else {
        return drop(registers, of: key, in: transaction, record == nil ? .unknown : .movedOutOfSight)
      }
      // A cascade deletes what the owner still owns.
      if registers.dead != nil, transaction.owners[key] != nil {
        return drop(registers, of: key, in: transaction, .movedAway)
      }
      target = located
    }
    guard writable.contains(target.zone) else { return drop(registers, of: key, in: transaction, .readOnly) }
    if registers.dead != nil, let owner = transaction.owners[key], refused.contains(owner) {
      return drop(registers, of: key, in: transaction, .ownerStays)
    }
    write(target.zone == key.zone ? registers : registers.leaving(key.zone), to: target)
  }

  /// Writes the relationships of a dead record. A child of a deleted owner goes with the owner, whichever came first.
  private mutating func layRelationships(
    _ registers: Registers, of key: RecordKey, in transaction: LocalTransaction
  ) {
    guard writable.contains(key.zone) else { return drop(registers, of: key, in: transaction, .readOnly) }
    let sent = registers.relationships
    if !sent.isEmpty { write(sent, to: key) }
    if sent != registers { drop(registers, of: key, in: transaction, .deleted, sent: sent) }
  }

  private mutating func drop(
    _ registers: Registers, of key: RecordKey, in transaction: LocalTransaction, _ reason: DroppedChange.Reason,
    sent: Registers = Registers()
  ) {
    refused.insert(key)
    dropped.append(
      DroppedChange(transaction: transaction.id, key: key, registers: registers, reason: reason, sent: sent))
  }

  private mutating func write(_ registers: Registers, to key: RecordKey) {
    parts[key.zone, default: [:]][key.name, default: Registers()].join(registers)
    states[key.zone].join(key.name, registers)
  }
}

// MARK: - Placing and moving

extension Rebase {
  /// Brings each object that the transaction gave an owner, if that write won, into the zone of the owner.
  private mutating func place(at time: HybridTime) {
    for zone in parts.keys.sorted() {
      for (name, registers) in (parts[zone] ?? [:]).sorted(by: { $0.key < $1.key }) {
        place(RecordKey(zone, name), registers, at: time)
      }
    }
  }

  private mutating func place(_ key: RecordKey, _ registers: Registers, at time: HybridTime) {
    guard let entity = states[key]?.born?.value else { return }
    for property in models.classes[entity] ?? [] where property.ownsTargets || property.isOwnedByTarget {
      for name in registers.targets(property).sorted() {
        guard let record = states[key], record.isHere(key.zone) else { return }
        guard let reference = Self.won(name, property, registers, record, time),
          let target = states.locate(reference, from: key.zone), writable.contains(target.zone)
        else { continue }
        if property.ownsTargets {
          if !roots.contains(target) { move(target, to: key.zone, at: time) }
        } else if !roots.contains(key) {
          move(key, to: target.zone, at: time)
        }
      }
    }
  }

  /// The reference by which a transaction made a record lead to a name; nil if the record led there before, or if a later write won.
  private static func won(
    _ name: RecordName, _ property: SyncModels.Property, _ registers: Registers, _ record: Registers, _ time: HybridTime
  ) -> Reference? {
    if case .toOne = property.kind {
      let write = record.field(property)
      return write == registers.field(property) ? write?.value.reference : nil
    }
    guard registers.members(property)[name]?.added == time, let edge = record.members(property)[name], edge.isPresent
    else { return nil }
    return Reference(name, hint: edge.hint)
  }

  /// Moves a record with all that it owns into another zone, in the transaction that is laid over the base.
  ///
  /// The new zone gets all registers, and both zones get the new home. A record that the transaction itself made is written there at once.
  private mutating func move(_ root: RecordKey, to zone: ZoneName, at time: HybridTime) {
    guard root.zone != zone else { return }
    let presence = Presence(states, models)
    let groups = RowGroups(presence.here, models)
    var work = [root]
    var seen: Set = [root]
    while let key = work.popLast() {
      guard var record = states[key], record.isHere(key.zone) else { continue }
      for other in (presence.owned[key] ?? []) + (groups.members[key] ?? []) where seen.insert(other).inserted {
        if !roots.contains(other) { work.append(other) }
      }
      record.commit = nil
      let target = RecordKey(zone, key.name)
      let moved = record.leaving(key.zone)
      if fresh.contains(key) {
        states[key.zone].records[key.name] = nil
        parts[key.zone]?[key.name] = nil
        write(moved, to: target)
        fresh.insert(target)
      } else {
        // Another device chose the number.
        let moves = min(record.home?.moves ?? 0, .max - 1) + 1
        var departure = Registers()
        departure.home = Home(moves: moves, time: time, zone: zone)
        write(moved.joining(departure), to: target)
        write(departure, to: key)
      }
    }
  }
}

// MARK: - The outbox

extension Rebase {
  /// The transactions that a replica keeps: the outbox without the dropped changes.
  public func remaining(of outbox: [LocalTransaction]) -> [LocalTransaction] {
    var outbox = outbox
    for change in dropped {
      for index in outbox.indices where outbox[index].id == change.transaction {
        outbox[index].changes[change.key] = change.sent.isEmpty ? nil : change.sent
      }
    }
    return outbox.filter { !$0.changes.isEmpty || !$0.moves.isEmpty }
  }
}
