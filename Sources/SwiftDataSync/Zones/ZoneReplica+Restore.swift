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
      guard let record = try store.registers(of: key), record.commit ?? 0 > fork else { continue }
      var lacked = record.lacked(by: kept[key.name] ?? Registers())
      // The object would be nowhere in a zone that the server does not have.
      if let home = lacked.home, store.zones[home.zone].map({ $0.isLost == true }) ?? true { lacked.home = nil }
      if !lacked.isEmpty { changes[key] = lacked }
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
      guard let record = try store.registers(of: key), record.home?.zone ?? key.zone == key.zone else { continue }
      let own = RecordKey(ownZone, key.name)
      // A participant can give the name of a private object to a record of a share.
      guard try store.registers(of: own).map({ $0.home?.zone == key.zone }) ?? true,
        // Another device has shared the object again.
        kept[key.name]?.home?.zone ?? ownZone == ownZone
      else { continue }
      var found = Registers()
      if record.dead == nil {
        found = record.leaving(key.zone)
        (found.home, found.commit) = (nil, nil)
        for (property, write) in found.fields {
          found.fields[property]?.value = try resealed(write.value, of: key.name, property)
        }
      } else {
        // A participant could make it lead to private objects, which it would hide.
        (found.born, found.dead) = (record.born, record.dead)
      }
      let lacked = found.lacked(by: kept[key.name] ?? Registers())
      if !lacked.isEmpty { changes[own] = lacked }
    }
    try resend(changes)
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
