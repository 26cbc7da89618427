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
  }

  /// Returns the sizes of the complete assets that transactions name and their zones have, by their keys.
  func completeAssets(of transactions: [SyncLog.Transaction], _ context: ModelContext) throws -> [String: Int64] {
    var keys = Set<String>()
    for (zone, part) in transactions.lazy.flatMap(\.parts) {
      // The database refuses a query with an invalid text.
      for (name, _) in part.values.lazy.flatMap(\.assets) where Self.isValidText(name, 64...64) {
        keys.insert("\(zone.text)/\(name)")
      }
    }
    guard !keys.isEmpty else { return [:] }
    let found = try context.fetch(
      FetchDescriptor<ServerAsset>(predicate: #Predicate<ServerAsset> { keys.contains($0.key) && $0.isComplete }))
    return Dictionary(found.map { ($0.key, $0.total) }) { first, _ in first }
  }

  /// Checks that a zone has the assets that registers name, or can get them from another zone that the account may read.
  ///
  /// A device can move an object whose bytes it does not have. A zone that the account may not read does not count: the name of an asset
  /// gives no access to its bytes.
  /// - Parameter assets: the sizes of the complete assets that the push names, by their keys.
  func checkAssets(
    _ part: [RecordName: Registers], in zone: String, of account: String, readable: inout [String]?,
    _ links: inout [AssetLink], _ assets: [String: Int64], _ context: ModelContext
  ) throws -> SyncFailure? {
    let named = part.values.flatMap(\.assets)
    let missing = Set(named.map(\.sha256)).filter { assets["\(zone)/\($0)"] == nil }
    if let name = missing.first(where: { !Self.isValidText($0, 64...64) }) { return Self.missingAsset(name) }
    let found = try readableAssets(Array(missing), of: account, &readable, context)
    if let name = missing.first(where: { found[$0] == nil }) { return Self.missingAsset(name) }
    for (name, asset) in found {
      links.append(AssetLink(zone: zone, key: "\(zone)/\(name)", total: asset.total, chunks: asset.chunks))
    }
    for (name, size) in named {
      // A wrong size in the log would make the asset unreadable for all other participants.
      guard let total = assets["\(zone)/\(name)"] ?? found[name]?.total, total != size else { continue }
      return SyncFailure(
        .invalid, "the transaction says that the asset \(name) has \(size) bytes, and it has \(total) bytes")
    }
    return nil
  }

  private static func missingAsset(_ name: String) -> SyncFailure {
    SyncFailure(
      .missingAsset,
      "the server does not have the asset \(name.prefix(64)); send the asset before the transaction")
  }

  /// Returns assets of any zones that the account may read, by their names. It ends at the first statement that does not find all.
  private func readableAssets(
    _ names: [String], of account: String, _ readable: inout [String]?, _ context: ModelContext
  ) throws -> [String: ServerAsset] {
    guard !names.isEmpty else { return [:] }
    let zones = try readable ?? zones(of: account, context).zones.map(\.key)
    readable = zones
    var found: [String: ServerAsset] = [:]
    let width = max(1, 10_000 / zones.count)
    for start in stride(from: 0, to: names.count, by: width) where found.count == start {
      let part = names[start..<min(start + width, names.count)]
      let keys = zones.flatMap { zone in part.map { "\(zone)/\($0)" } }
      for asset in try context.fetch(
        FetchDescriptor<ServerAsset>(predicate: #Predicate<ServerAsset> { keys.contains($0.key) && $0.isComplete }))
      { found[String(asset.key.suffix(64))] = asset }
    }
    return found
  }

  /// Gives a zone the asset of another zone.
  func make(_ link: AssetLink, _ time: Int64, _ context: ModelContext) {
    let asset = ServerAsset(key: link.key, total: link.total, chunks: link.chunks)
    (asset.received, asset.isComplete, asset.touched) = (link.total, true, time)
    context.insert(asset)
  }
}
