import Foundation
import SwiftData
import SyncProtocol

// Assets that a transaction names: the bytes are there before the names.

extension ZoneStore {
  /// An asset that a zone gets from another zone, without a copy of its bytes.
  struct AssetLink {
    /// The key of the zone that gets the asset.
    let zone: String
    /// The key of the asset there.
    let key: String
    let total: Int64
    /// The value of ``ServerAsset/chunks``.
    let chunks: String
    /// The bytes by which the size of the zone grows.
    let growth: Int64
  }

  /// Checks that a zone has the assets that registers name, or can get them from another zone that the account may read.
  ///
  /// A device can move an object whose bytes it does not have. A zone that the account may not read does not count: the name of an asset
  /// gives no access to its bytes.
  func checkAssets(
    _ part: [RecordName: Registers], in zone: String, of account: String, readable: inout [String]?,
    _ links: inout [AssetLink], _ context: ModelContext
  ) throws -> SyncFailure? {
    for (name, size) in part.values.lazy.flatMap(\.assets) {
      let key = "\(zone)/\(name)"
      // The database refuses a query with an invalid text.
      guard Self.isValidText(name, 64...64) else { return Self.missingAsset(name) }
      let stored = try asset(key, context)
      var total = stored?.isComplete == true ? stored?.total : links.first { $0.key == key }?.total
      if total == nil, let found = try readableAsset(name, of: account, &readable, context) {
        links.append(
          AssetLink(
            zone: zone, key: key, total: found.total, chunks: found.chunks,
            growth: found.total - (stored?.received ?? 0)))
        total = found.total
      }
      guard let total else { return Self.missingAsset(name) }
      // A wrong size in the log would make the asset unreadable for all other participants.
      guard total == size else {
        return SyncFailure(
          .invalid, "the transaction says that the asset \(name) has \(size) bytes, and it has \(total) bytes")
      }
    }
    return nil
  }

  private static func missingAsset(_ name: String) -> SyncFailure {
    SyncFailure(
      .missingAsset,
      "the server does not have the asset \(name.prefix(64)); send the asset before the transaction")
  }

  /// Returns an asset of any zone that the account may read.
  private func readableAsset(
    _ name: String, of account: String, _ readable: inout [String]?, _ context: ModelContext
  ) throws -> ServerAsset? {
    let zones = try readable ?? zones(of: account, context).zones.map(\.key)
    readable = zones
    let keys = zones.map { "\($0)/\(name)" }
    return try context.fetch(
      FetchDescriptor<ServerAsset>(
        predicate: #Predicate<ServerAsset> { keys.contains($0.key) && $0.isComplete }, sortBy: [SortDescriptor(\.key)])
    ).first
  }

  /// Gives a zone the asset of another zone.
  func make(_ link: AssetLink, _ time: Int64, _ context: ModelContext) throws {
    let unfinished = try asset(link.key, context)
    if let unfinished {
      for chunk in try chunks(of: unfinished.chunks, from: 0, context) { context.delete(chunk) }
    }
    let asset = unfinished ?? ServerAsset(key: link.key, total: link.total)
    (asset.total, asset.chunks, asset.received) = (link.total, link.chunks, link.total)
    (asset.isComplete, asset.touched) = (true, time)
    if unfinished == nil { context.insert(asset) }
    try zone(link.zone, context)?.size += link.growth
  }
}
