import Foundation
import SwiftData
import SyncProtocol

// Deleting the assets that only the deleted log named.

extension ZoneStore {
  /// An asset that was touched later stays, because a transaction that is on its way may name it.
  private static let grace: Int64 = 86_400_000
  /// How many assets are looked for at once, so that memory is bounded whatever the number of assets.
  private static let candidatesAtOnce = 20_000
  /// About how many bytes of parts and entries one step reads.
  private static let bytesAtOnce = 4 << 20
  /// About how many bytes of assets one save deletes, so that other requests do not wait for long.
  private static let deletedAtOnce: Int64 = 64 << 20

  /// The snapshot was replaced while it was looked through. The next run goes on.
  struct SnapshotReplaced: Error, CustomStringConvertible {
    let description = "the snapshot was replaced while the server looked for unnamed assets; the next run goes on"
  }

  /// Some assets of a zone, of which those are left that nothing names as far as was read.
  struct Sweep {
    let zone: String
    let snapshot: Int64
    let compacted: Int64
    /// The checksums of the assets that are left.
    var unnamed: Set<String>
    /// The checksum of the last asset, after which the next sweep begins.
    let last: String
    /// The place of the next part of the snapshot.
    var part = 0
    /// The number up to which the log was read.
    var seen: Int64
  }

  /// Deletes the assets of a zone that nothing names and that were touched more than a day ago.
  func sweepAssets(_ key: String, _ result: inout Compaction) async throws {
    var last = ""
    while var sweep = try beginSweep(key, after: last) {
      last = sweep.last
      while try !sweep.unnamed.isEmpty && readMore(&sweep) {
        try Task.checkCancellation()
        await Task.yield()
      }
      while try deleteSome(&sweep, &result) {
        try Task.checkCancellation()
        await Task.yield()
      }
    }
  }

  /// - Returns: nil if there is no old asset behind the last one.
  func beginSweep(_ key: String, after last: String) throws -> Sweep? {
    let context = ModelContext(container)
    guard let zone = try zone(key, context) else { return nil }
    // The character behind the slash in ASCII ends the keys of the zone.
    let (start, end, oldest) = ("\(key)/\(last)", "\(key)0", now() - Self.grace)
    var descriptor = FetchDescriptor<ServerAsset>(
      predicate: #Predicate<ServerAsset> { $0.key > start && $0.key < end && $0.touched < oldest },
      sortBy: [SortDescriptor(\.key)])
    descriptor.fetchLimit = Self.candidatesAtOnce
    descriptor.propertiesToFetch = [\.key]
    let names = try context.fetch(descriptor).map { String($0.key.dropFirst(key.count + 1)) }
    guard let newest = names.last else { return nil }
    return Sweep(
      zone: key, snapshot: zone.snapshot, compacted: zone.compacted, unnamed: Set(names), last: newest,
      seen: zone.compacted)
  }

  /// Reads the next part of the snapshot, or of the log behind it.
  /// - Returns: false if nothing is left to read.
  func readMore(_ sweep: inout Sweep) throws -> Bool {
    let context = ModelContext(container)
    let zone = try zone(of: sweep, context)
    guard sweep.part < zone.snapshotParts else {
      return try readEntries(of: zone, &sweep.unnamed, &sweep.seen, context)
    }
    let parts = try parts(of: zone, from: sweep.part, bytes: Self.bytesAtOnce, context)
    guard !parts.isEmpty, zip(parts, sweep.part...).allSatisfy({ $0.index == $1 }) else { throw SnapshotReplaced() }
    for part in parts { try Self.leaveOut(named: part.bytes, &sweep.unnamed) }
    sweep.part += parts.count
    return true
  }

  /// Deletes some of the assets that are left. What was pushed meanwhile is read within the transaction, so that no push loses an asset.
  func deleteSome(_ sweep: inout Sweep, _ result: inout Compaction) throws -> Bool {
    guard !sweep.unnamed.isEmpty else { return false }
    let oldest = now() - Self.grace
    let before = sweep
    let (after, count, bytes) = try transaction { context -> (Sweep, Int, Int64) in
      var sweep = before
      let zone = try zone(of: sweep, context)
      while try readEntries(of: zone, &sweep.unnamed, &sweep.seen, context) {}
      let some = Set(sweep.unnamed.prefix(100))
      let keys = some.map { "\(zone.key)/\($0)" }
      let old = try context.fetch(
        FetchDescriptor<ServerAsset>(
          predicate: #Predicate<ServerAsset> { keys.contains($0.key) && $0.touched < oldest }))
      var (assets, bytes) = ([ServerAsset](), Int64(0))
      for asset in old where bytes < Self.deletedAtOnce {
        assets.append(asset)
        bytes += asset.received
      }
      // Those that were touched meanwhile stay, and the others are deleted by the next save.
      let rest = old.dropFirst(assets.count).map { String($0.key.dropFirst(zone.key.count + 1)) }
      sweep.unnamed.subtract(some.subtracting(rest))
      guard !assets.isEmpty else { return (sweep, 0, 0) }
      let found = assets.map(\.key)
      try context.delete(
        model: ServerChunk.self, where: #Predicate<ServerChunk> { found.contains($0.asset) })
      for asset in assets { context.delete(asset) }
      zone.size = max(0, zone.size - bytes)
      return (sweep, assets.count, bytes)
    }
    sweep = after
    result.assets += count
    result.bytes += bytes
    return !sweep.unnamed.isEmpty
  }

  /// The zone as it was when the sweep began, but for newer entries.
  private func zone(of sweep: Sweep, _ context: ModelContext) throws -> ServerZone {
    guard let zone = try zone(sweep.zone, context), zone.snapshot == sweep.snapshot, zone.compacted == sweep.compacted
    else { throw SnapshotReplaced() }
    return zone
  }

  /// - Returns: false if the log has no more.
  private func readEntries(
    of zone: ServerZone, _ unnamed: inout Set<String>, _ seen: inout Int64, _ context: ModelContext
  ) throws -> Bool {
    guard seen < zone.latest else { return false }
    let entries = try entries(of: zone, after: seen, through: zone.latest, bytes: Self.bytesAtOnce, context)
    guard !entries.isEmpty, zip(entries, (seen + 1)...).allSatisfy({ $0.sequence == $1 }) else {
      throw SnapshotReplaced()
    }
    for entry in entries { try Self.leaveOut(named: entry.transaction, &unnamed) }
    seen += Int64(entries.count)
    return true
  }

  private static func leaveOut(named bytes: Data, _ unnamed: inout Set<String>) throws {
    for asset in try SyncTransaction(encoded: bytes).assets { unnamed.remove(asset.sha256) }
  }
}
