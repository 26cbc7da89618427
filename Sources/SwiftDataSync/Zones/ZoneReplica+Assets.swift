#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

// The bytes of large values, which travel apart from the transactions that name them.

extension ZoneReplica {
  /// Keeps the bytes of an asset.
  func keepAsset(_ sha256: String, _ bytes: Data, isOutgoing: Bool) throws {
    let name = store.tables.database.cell(sha256)
    guard try store.tables.rows(.assets, "sha256", where: "sha256", in: [name]).isEmpty else { return }
    try store.tables.put(.assets, [[name, .integer(isOutgoing ? 1 : 0), .blob(bytes)]])
  }

  /// The bytes of an asset that were kept.
  func asset(_ sha256: String) throws -> Data? {
    let name = store.tables.database.cell(sha256)
    return try store.tables.rows(.assets, "bytes", where: "sha256", in: [name]).first?[0].syncData
  }

  /// Keeps the bytes that were fetched for a step.
  func keepFetched(_ sha256: String, _ bytes: Data) throws {
    try transaction { try keepAsset(sha256, bytes, isOutgoing: false) }
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
      if let bytes = try bytes(of: asset.sha256) { try keepAsset(asset.sha256, bytes, isOutgoing: true) }
    }
  }

  /// The bytes of an asset: those that were kept to be sent, or those of an object, which has them after they were sent.
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
    guard let text = try store.object(of: row), let identifier = user.identifier(text),
      let object = try ModelCells.objects([identifier], in: user.makeContext())[identifier]
    else { return nil }
    for property in type(of: object).__entity.properties where property.isAttribute && property.isStored {
      if case .blob(let bytes) = try ModelCells.cell(of: object, property), UserStore.sha256(bytes) == sha256 {
        return bytes
      }
    }
    return nil
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

  /// Takes the assets out of unsent transactions whose bytes nothing here has any more. A restored server misses them.
  ///
  /// Nothing is lost that could be kept: the program replaced the value, or another replica has the bytes and sends them.
  /// - Returns: whether there were any.
  /// - Throws: an error of the store.
  func dropLostAssets() throws -> Bool {
    try transaction {
      var known: [String: Bool] = [:]
      var isChanged = false
      let transactions = try outbox.transactions.map { transaction in
        var transaction = transaction
        for (key, registers) in transaction.changes {
          for (property, write) in registers.fields {
            guard case .asset(let sha256, _) = write.value else { continue }
            let isKnown = try known[sha256.text] ?? (bytes(of: sha256.text) != nil)
            known[sha256.text] = isKnown
            if isKnown { continue }
            transaction.changes[key]?.fields[property] = nil
            isChanged = true
          }
        }
        return transaction
      }
      // The order of the outbox stays: all of it is laid again.
      if isChanged { try update(acknowledged: Set(transactions.map(\.id)), appended: transactions) }
      return isChanged
    }
  }
}
#endif
