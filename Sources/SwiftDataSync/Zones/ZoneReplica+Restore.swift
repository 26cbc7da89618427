#if Sync
import SyncCore
import SyncProtocol

// A server that was restored to an older copy of its database gets what it lacks.

extension ZoneReplica {
  /// Sends what a restored server lacks of records: the registers of those that changed behind the fork, with their times. So it does
  /// not matter how many replicas send them.
  func sendAgain(_ keys: [RecordKey], _ kept: [RecordName: Registers], after fork: Int64) throws {
    var changes: [RecordKey: Registers] = [:]
    for key in keys {
      guard var record = try store.registers(of: key), record.commit ?? 0 > fork else { continue }
      let new = kept[key.name] ?? Registers()
      // The object would be nowhere in a zone that the server does not have.
      if let home = record.home, store.zones[home.zone].map({ $0.isLost == true }) ?? true {
        let written = new.lacked(by: record)
        record.home = key.zone == ownZone ? nil : try homeInOwnZone(of: key.name, after: home)
        // Writes of others since the restore go with the object.
        if record.home != nil, !written.isEmpty {
          changes[RecordKey(ownZone, key.name), default: Registers()].join(try leaving(key, written))
        }
      }
      let lacked = record.lacked(by: new)
      if !lacked.isEmpty { changes[key, default: Registers()].join(lacked) }
    }
    try resend(changes)
  }

  private func resend(_ changes: [RecordKey: Registers]) throws {
    for registers in changes.values { try keepAssets(of: registers) }
    for part in TransactionSize.parts(of: changes) where !part.isEmpty {
      var transaction = makeTransaction(.zero, part)
      transaction.isResent = true
      resent.append(transaction)
    }
  }

  /// Brings the objects of the account's shares that a restored server does not have into the account's own zone, as the shares had them
  /// last.
  /// - Returns: these shares.
  func takeBackLostShares() throws -> [ZoneName] {
    let lost = store.zones.filter { $0.value.isLost == true }.keys.sorted()
    for zone in lost {
      try inParts(of: zone) { try takeBack($0) }
      try forget(zone)
      // If the step fails, the next try needs the keys again.
      forgetGenerations(of: zone)
    }
    return lost
  }

  private func takeBack(_ keys: [RecordKey]) throws {
    let kept = try store.kept(keys.map(\.name), of: ownZone)
    var changes: [RecordKey: Registers] = [:]
    for key in keys {
      guard let record = try store.registers(of: key), try comesBack(key, record) else { continue }
      let own = RecordKey(ownZone, key.name)
      // Another device has moved the object since.
      if let home = kept[key.name]?.home, home.zone != ownZone,
        try store.registers(of: own)?.home.map({ $0 < home }) ?? true
      {
        continue
      }
      var found = try leaving(key, record)
      // Otherwise the object would be nowhere if the own zone says that it left before, and pointers of other zones would lead nowhere.
      found.home = record.home.map(homeInOwnZone)
      let lacked = found.lacked(by: kept[key.name] ?? Registers())
      if !lacked.isEmpty { changes[own] = lacked }
    }
    try resend(changes)
  }

  /// The registers of a record of a share as the own zone gets them, without a home.
  private func leaving(_ key: RecordKey, _ record: Registers) throws -> Registers {
    var found = Registers()
    guard record.dead == nil else {
      // A participant could make it lead to private objects, which it would hide.
      (found.born, found.dead) = (record.born, record.dead)
      return found
    }
    found = record.leaving(key.zone)
    (found.home, found.commit) = (nil, nil)
    for (property, write) in found.fields {
      found.fields[property]?.value = try resealed(write.value, of: key.name, property)
    }
    return found
  }

  /// Whether a record of a lost share comes back into the own zone.
  ///
  /// A participant can give the name of a private object to a record of a share. So the own zone does not know the name, or it says that the
  /// object went to the share, perhaps through other zones.
  private func comesBack(_ key: RecordKey, _ record: Registers) throws -> Bool {
    guard record.home?.zone ?? key.zone == key.zone else { return false }
    let home = record.home.map(homeInOwnZone)
    var (next, seen) = (RecordKey(ownZone, key.name), Set<ZoneName>())
    guard try store.registers(of: next) != nil else { return true }
    while seen.insert(next.zone).inserted {
      // A zone that is as the restored server has it says so in what the outbox sends again.
      if let home, try shown.registers(of: next)?.home == home { return true }
      guard let zone = try store.registers(of: next)?.home?.zone else { return false }
      if zone == key.zone { return true }
      next = RecordKey(zone, key.name)
    }
    return false
  }

  /// The home of an object that comes back into the own zone, in place of its home in a lost share. All devices make the same one.
  private func homeInOwnZone(_ home: Home) -> Home {
    Home(moves: home.moves, time: home.place.time, zone: ownZone)
  }

  /// Where a pointer of another zone into a lost share leads now.
  /// - Returns: nil if the object does not come back into the own zone.
  private func homeInOwnZone(of name: RecordName, after home: Home) throws -> Home? {
    let (own, lost, result) = (RecordKey(ownZone, name), RecordKey(home.zone, name), homeInOwnZone(home))
    // It may have come back already, also in the step that runs.
    if try shown.registers(of: own)?.home == result || resent.contains(where: { $0.changes[own]?.home == result }) {
      return result
    }
    guard store.zones[home.zone]?.isLost == true, let record = try store.registers(of: lost), record.home == home
    else { return nil }
    return try comesBack(lost, record) ? result : nil
  }
}

extension LocalTransaction {
  /// The transaction with its changes of a zone in another one.
  func leaving(_ zone: ZoneName, for other: ZoneName) -> LocalTransaction {
    func moved(_ key: RecordKey) -> RecordKey { key.zone == zone ? RecordKey(other, key.name) : key }
    var result = self
    result.changes = [:]
    for (key, registers) in changes {
      result.changes[moved(key), default: Registers()].join(key.zone == zone ? registers.leaving(zone) : registers)
    }
    result.owners = Dictionary(owners.map { (moved($0), moved($1)) }) { first, _ in first }
    return result
  }
}
#endif
