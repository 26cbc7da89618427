#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

// The bytes of large values, which travel apart from the transactions that name them.

extension ZoneReplica {
  /// Keeps the bytes of an asset.
  func keepAsset(_ sha256: String, _ bytes: Data) throws {
    let name = store.tables.database.cell(sha256)
    guard try store.tables.rows(.assets, "sha256", where: "sha256", in: [name]).isEmpty else { return }
    try store.tables.put(.assets, [[name, .blob(bytes)]])
  }

  /// The bytes of an asset that were kept.
  func asset(_ sha256: String) throws -> Data? {
    let name = store.tables.database.cell(sha256)
    return try store.tables.rows(.assets, "bytes", where: "sha256", in: [name]).first?[0].syncData
  }

  /// Keeps the bytes that were fetched for a step.
  func keepFetched(_ sha256: String, _ bytes: Data) throws {
    try transaction { try keepAsset(sha256, bytes) }
  }

  /// Removes the bytes that no unsent transaction names.
  func dropUnsentAssets() throws {
    let all = try store.tables.rows(.assets, "sha256")
    guard !all.isEmpty else { return }
    // A transaction that waits sends other registers when it goes.
    let unsent =
      outbox.outgoing.flatMap { $0.parts.values.flatMap(\.values) } + outbox.transactions.flatMap(\.changes.values)
    let kept = Set(unsent.flatMap { $0.assets.map(\.sha256) })
    let gone = all.map { $0[0] }.filter { !kept.contains($0.syncText) }
    try store.tables.remove(.assets, where: "sha256", in: gone)
  }

  /// Keeps the bytes of registers that go to a zone which may not have them, as far as objects have them.
  func keepAssets(of registers: Registers) throws {
    for asset in registers.assets {
      if let bytes = try bytes(of: asset.sha256) { try keepAsset(asset.sha256, bytes) }
    }
  }

  /// The bytes of an asset: kept bytes that are not sent yet, or the value of an object.
  /// - Returns: nil if neither has them.
  func bytes(of sha256: String) throws -> Data? {
    if let bytes = try asset(sha256) { return bytes }
    let unsent = shown.changes.filter { $0.value?.assets.contains { $0.sha256 == sha256 } ?? false }.keys
    for key in Set(try store.records(withAsset: sha256)).union(unsent).sorted() {
      if let row = try shown.row(showing: key), let bytes = try bytes(of: sha256, in: row) { return bytes }
    }
    return nil
  }

  /// The bytes of an asset that the object of a row has.
  private func bytes(of sha256: String, in row: RecordKey) throws -> Data? {
    guard let object = try object(showing: row) else { return nil }
    for property in type(of: object).__entity.properties where property.isAttribute && property.isStored {
      if case .blob(let bytes) = try ModelCells.cell(of: object, property), UserStore.sha256(bytes) == sha256 {
        return bytes
      }
    }
    return nil
  }

  private func object(showing row: RecordKey) throws -> (any PersistentModel)? {
    guard let identifier = try store.object(of: row).flatMap(user.identifier) else { return nil }
    return try ModelCells.objects([identifier], in: user.makeContext())[identifier]
  }

  /// The assets of transactions that are sent, with the zones that need them.
  func assetsToUpload(_ request: SyncLog.PushRequest) -> [(sha256: String, zone: ZoneName)] {
    request.transactions.flatMap { transaction in
      transaction.parts.flatMap { zone, part in
        part.values.filter { $0.dead == nil }.flatMap { $0.assets.map { ($0.sha256, zone) } }
      }
    }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }
  }

  /// The zones that may have the bytes of an asset, the most likely one first.
  func zones(with asset: MissingAssets.Asset) -> [ZoneName] {
    let likely = [asset.row.zone, ownZone]
    return likely + zones.subtracting(likely).sorted()
  }

  /// Takes the assets out of unsent transactions whose bytes neither an object nor a zone has any more. A restored server misses them.
  ///
  /// Nothing is lost that could be kept: the program replaced the value, or another replica has the bytes and sends them. An object that
  /// moves takes the value along that it shows.
  /// - Returns: whether there were any.
  /// - Throws: an error of the store; ``MissingAssets`` if the zones have to be asked first.
  func dropLostAssets() throws -> Bool {
    try transaction {
      try captureSaves()
      var (seen, lost, moved) = (Set<String>(), Set<ExactText>(), Set<RecordName>())
      var unknown: [MissingAssets.Asset] = []
      for (zone, part) in outbox.outgoing.flatMap(\.parts) {
        for (name, registers) in part where registers.dead == nil {
          if registers.home != nil { moved.insert(name) }
          for (sha256, size) in registers.assets where seen.insert(sha256).inserted {
            if try bytes(of: sha256) != nil { continue }
            if unavailable.contains(sha256) {
              lost.insert(ExactText(sha256))
            } else {
              unknown.append(MissingAssets.Asset(row: RecordKey(zone, name), sha256: sha256, size: size))
            }
          }
        }
      }
      guard unknown.isEmpty else { throw MissingAssets(assets: unknown) }
      guard !lost.isEmpty else { return false }
      func isLost(_ write: Stamped<RegisterValue>) -> Bool {
        if case .asset(let sha256, _) = write.value { lost.contains(sha256) } else { false }
      }
      var transactions = outbox.transactions
      for index in transactions.indices {
        for (key, registers) in transactions[index].changes where registers.fields.values.contains(where: isLost) {
          transactions[index].changes[key]?.fields = registers.fields.filter { !isLost($0.value) }
        }
      }
      // A move takes along what the log has.
      var (kept, time) = ([RecordKey: Registers](), tick())
      for name in moved {
        for key in try store.zones(knowing: name).map({ RecordKey($0, name) }) {
          guard let record = try store.registers(of: key), record.isHere(key.zone) else { continue }
          for (property, _) in record.fields.filter({ isLost($0.value) }) {
            kept[key, default: Registers()].fields[property] = Stamped(time, try shownValue(property, of: name))
          }
        }
      }
      if !kept.isEmpty { transactions.insert(makeTransaction(time, kept), at: 0) }
      // The order of the outbox stays: all of it is laid again.
      try update(acknowledged: Set(transactions.map(\.id)), appended: transactions)
      return true
    }
  }

  /// The value of an attribute that the object of a record has, to be sent; null without an object. The object is where it moves to.
  private func shownValue(_ property: WireName, of name: RecordName) throws -> RegisterValue {
    guard let object = try rows.rows(showing: name).first.flatMap(object(showing:)) else { return .null }
    let entity = type(of: object).__entity
    let name = models.classes[WireName(entity.name)]?.first { $0.readNames.contains(property) }?.name.text
    guard let attribute = name.flatMap(entity.property) else { return .null }
    return try RegisterValue(ModelCells.cell(of: object, attribute)) { try keepAsset($0, $1) }
  }
}
#endif
