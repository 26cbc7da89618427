/// Lays one transaction of an outbox over the records of the log, with the writes of the transactions before it.
struct TransactionLaying<Source: RecordSource> {
  /// The records with what the transaction writes.
  private(set) var records: RecordOverlay<Source>
  /// The registers that the transaction writes, as the server gets them.
  private(set) var parts: [ZoneName: [RecordName: Registers]] = [:]
  /// The changes that cannot be sent.
  private(set) var dropped: [DroppedChange] = []
  /// The zones that the transaction writes, or would write with permission.
  private(set) var zones = Set<ZoneName>()

  private let models: SyncModels
  private let writable: Set<ZoneName>
  private let roots: Set<RecordKey>
  /// The records that the transaction makes. No other replica knows them.
  private var fresh = Set<RecordKey>()
  /// The records whose changes were dropped, and which are still there.
  private var refused = Set<RecordKey>()

  init(_ records: RecordOverlay<Source>, _ models: SyncModels, writable: Set<ZoneName>, roots: Set<RecordKey>) {
    (self.records, self.models, self.writable, self.roots) = (records, models, writable, roots)
  }

  mutating func lay(_ transaction: LocalTransaction) throws {
    for (key, registers) in transaction.ordered {
      if !transaction.isResent {
        try lay(registers, of: key, in: transaction)
      } else if mayWrite(key.zone) {
        try write(registers, to: key)
      }
    }
    if !transaction.isResent, models.hasOwners { try place(at: transaction.time) }
    // Of a large move the owned objects go before their owners, and stay where they went.
    for move in transaction.moves {
      guard let target = try records.locate(Reference(move.row.name), from: move.row.zone), !target.zone.isShare,
        mayWrite(move.zone), mayWrite(target.zone)
      else { continue }
      try self.move(target, to: move.zone, at: transaction.time)
    }
    parts = parts.filter { !$0.value.isEmpty }
  }

  private mutating func mayWrite(_ zone: ZoneName) -> Bool {
    zones.insert(zone)
    return writable.contains(zone)
  }

  /// Writes the changes of one record to where the record is now, or drops them.
  private mutating func lay(_ registers: Registers, of key: RecordKey, in transaction: LocalTransaction) throws {
    var target = key
    let record = try records.registers(of: key)
    if record == nil, registers.born != nil {
      fresh.insert(key)
    } else if record?.dead != nil {
      return try layRelationships(registers, of: key, in: transaction)
    } else if record == nil || record?.home.map({ $0.zone != key.zone }) ?? false {
      guard
        let located = try record == nil
          ? ownRecord(key.name, registers) : records.locate(Reference(key.name), from: key.zone)
      else {
        return drop(registers, of: key, in: transaction, record == nil ? .unknown : .movedOutOfSight)
      }
      // A cascade deletes what the owner still owns.
      if registers.dead != nil, transaction.owners[key] != nil {
        return drop(registers, of: key, in: transaction, .movedAway)
      }
      target = located
    }
    guard mayWrite(target.zone) else { return drop(registers, of: key, in: transaction, .readOnly) }
    if registers.dead != nil, let owner = transaction.owners[key], refused.contains(owner) {
      return drop(registers, of: key, in: transaction, .ownerStays)
    }
    try write(target.zone == key.zone ? registers : registers.leaving(key.zone), to: target)
  }

  /// The record of a name in the account's own zone. Another device may have taken the object out of a share that the account then lost,
  /// and nothing is left that leads to it.
  ///
  /// A participant can give the name of any private record to a record of a share. So the record has to be one that moved, or one that this
  /// device made and did not send. A deletion does not follow it.
  private func ownRecord(_ name: RecordName, _ registers: Registers) throws -> RecordKey? {
    guard registers.dead == nil, let own = writable.first(where: { !$0.isShare }).map({ RecordKey($0, name) }),
      let record = try records.registers(of: own), record.home != nil || record.commit == nil,
      record.isHere(own.zone), record.dead == nil
    else { return nil }
    return own
  }

  /// Writes the relationships of a dead record. A child of a deleted owner goes with the owner, whichever came first.
  private mutating func layRelationships(
    _ registers: Registers, of key: RecordKey, in transaction: LocalTransaction
  ) throws {
    guard mayWrite(key.zone) else { return drop(registers, of: key, in: transaction, .readOnly) }
    let sent = registers.relationships
    if !sent.isEmpty { try write(sent, to: key) }
    if sent != registers { drop(registers, of: key, in: transaction, .deleted, sent: sent) }
  }

  private mutating func drop(
    _ registers: Registers, of key: RecordKey, in transaction: LocalTransaction, _ reason: DroppedChange.Reason,
    sent: Registers = Registers()
  ) {
    switch reason {
    case .deleted, .unknown: break
    // The record stays.
    case .movedOutOfSight, .readOnly, .movedAway, .ownerStays: refused.insert(key)
    }
    dropped.append(
      DroppedChange(transaction: transaction.id, key: key, registers: registers, reason: reason, sent: sent))
  }

  private mutating func write(_ registers: Registers, to key: RecordKey) throws {
    parts[key.zone, default: [:]][key.name, default: Registers()].join(registers)
    records.set(key, (try records.registers(of: key) ?? Registers()).joining(registers))
  }
}

// MARK: - Placing and moving

extension TransactionLaying {
  /// Brings each object that the transaction gave an owner, if that write won, into the zone of the owner.
  private mutating func place(at time: HybridTime) throws {
    for zone in parts.keys.sorted() {
      for (name, registers) in (parts[zone] ?? [:]).sorted(by: { $0.key < $1.key }) {
        try place(RecordKey(zone, name), registers, at: time)
      }
    }
  }

  private mutating func place(_ key: RecordKey, _ registers: Registers, at time: HybridTime) throws {
    guard let entity = try records.registers(of: key)?.born?.value else { return }
    for property in models.classes[entity] ?? [] where property.ownsTargets || property.isOwnedByTarget {
      for name in registers.targets(property).sorted() {
        guard let record = try records.registers(of: key), record.isHere(key.zone) else { return }
        guard let reference = Self.won(name, property, registers, record, time),
          let target = try records.locate(reference, from: key.zone), mayWrite(target.zone)
        else { continue }
        if property.ownsTargets {
          if !roots.contains(target) { try move(target, to: key.zone, at: time) }
        } else if !roots.contains(key) {
          try move(key, to: target.zone, at: time)
        }
      }
    }
  }

  /// The reference by which a transaction made a record lead to a name; nil if the record led there before, or if a later write won.
  private static func won(
    _ name: RecordName, _ property: SyncModels.Property, _ registers: Registers, _ record: Registers, _ time: HybridTime
  ) -> Reference? {
    if case .toOne = property.kind {
      // A record that the transaction moves brings writes of others along.
      guard let write = record.field(property), write.time == time, write == registers.field(property) else {
        return nil
      }
      return write.value.reference
    }
    guard registers.members(property)[name]?.added == time, let edge = record.members(property)[name], edge.isPresent
    else { return nil }
    return Reference(name, hint: edge.hint)
  }

  /// Moves a record with all that it owns into another zone, in the transaction that is laid over the base.
  ///
  /// The new zone gets all registers, and both zones get the new home. A record that the transaction itself made is written there at once.
  private mutating func move(_ root: RecordKey, to zone: ZoneName, at time: HybridTime) throws {
    guard root.zone != zone else { return }
    for key in try recordsThatMove(with: root, to: zone) {
      guard var record = try records.registers(of: key) else { continue }
      record.commit = nil
      let target = RecordKey(zone, key.name)
      let moved = record.leaving(key.zone)
      if fresh.contains(key) {
        records.set(key, nil)
        parts[key.zone]?[key.name] = nil
        // The new zone may have late writes to a forgotten record of that name, which are not the transaction's.
        let isNew = try records.registers(of: target) == nil
        try write(moved, to: target)
        if isNew { fresh.insert(target) }
      } else {
        // Another device chose the number.
        let moves = min(record.home?.moves ?? 0, .max - 1) + 1
        var departure = Registers()
        departure.home = Home(moves: moves, time: time, zone: zone)
        try write(moved.joining(departure), to: target)
        try write(departure, to: key)
      }
    }
  }

  /// A record, what it owns, and the other records of its row if its key is the row's. Shared objects stay where they are, and so does a
  /// record whose name the new zone already has for another one. A participant can give the name of a private record to a record of
  /// a share. If a move joined the two, the private one would get the other one's class and death.
  private func recordsThatMove(with root: RecordKey, to zone: ZoneName) throws -> [RecordKey] {
    var groups = GroupReader(records, models)
    var (found, work, seen) = ([RecordKey](), [root], Set([root]))
    while let key = work.popLast() {
      guard let record = try records.registers(of: key), record.isHere(key.zone), key == root || !roots.contains(key),
        record.mayMove(to: zone, with: try records.registers(of: RecordKey(zone, key.name)))
      else { continue }
      found.append(key)
      let others = try records.owned(by: key, models).union(groups.members(ofRow: key))
      for other in others where seen.insert(other).inserted { work.append(other) }
    }
    return found
  }
}
