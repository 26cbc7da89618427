import Foundation
import SwiftData
import SyncProtocol

// The sweep: deletes the assets that only the deleted log referenced.

extension ZoneStore {
  /// The grace period in milliseconds after the last part of an asset arrived. A transaction in transit may reference a newer asset.
  private static let gracePeriod: Int64 = 86_400_000
  /// The largest number of assets in one sweep. It bounds the memory of the sweep.
  private static let candidatesAtOnce = 20_000
  /// The approximate size of the parts and entries that one step reads, in bytes.
  private static let bytesAtOnce = 4 << 20
  /// The approximate size of the assets that one save deletes, in bytes. It bounds the time that other requests wait.
  private static let deletedAtOnce: Int64 = 64 << 20

  /// An error that ends a sweep because another snapshot replaced the snapshot that it scans.
  struct SnapshotReplaced: Error, CustomStringConvertible {
    let description =
      "another snapshot replaced the snapshot while the server scanned it for references to assets; the next run continues"
  }

  /// A sweep over some assets of a zone. It scans the snapshot and the log, and drops each asset that they reference.
  struct Sweep {
    let zone: String
    let snapshot: Int64
    let compacted: Int64
    /// The checksums of the assets without a reference in the scanned parts and entries.
    var unreferenced: Set<String>
    /// The checksum of the last asset. The next sweep begins after it.
    let last: String
    /// The index of the next part of the snapshot to scan.
    var part = 0
    /// The sequence number up to which the log is scanned.
    var seen: Int64
  }

  /// Deletes the assets of a zone that have no reference and whose grace period is over.
  func sweepAssets(_ key: String, _ result: inout CompactionResult) async throws {
    var last = ""
    while var sweep = try beginSweep(key, after: last) {
      last = sweep.last
      while try !sweep.unreferenced.isEmpty && scanMore(&sweep) {
        try Task.checkCancellation()
        await Task.yield()
      }
      while try deleteUnreferenced(&sweep, &result) {
        try Task.checkCancellation()
        await Task.yield()
      }
    }
  }

  /// Makes a sweep over the next assets whose grace period is over.
  /// - Returns: nil if there are no such assets after the last one.
  func beginSweep(_ key: String, after last: String) throws -> Sweep? {
    let context = ModelContext(container)
    guard let zone = try zone(key, context) else { return nil }
    // The digit 0 follows the slash in ASCII, so all keys of the zone's assets are less than `end`.
    let (start, end, oldest) = ("\(key)/\(last)", "\(key)0", now() - Self.gracePeriod)
    var descriptor = FetchDescriptor<ServerAsset>(
      predicate: #Predicate<ServerAsset> { $0.key > start && $0.key < end && $0.touched < oldest },
      sortBy: [SortDescriptor(\.key)])
    descriptor.fetchLimit = Self.candidatesAtOnce
    descriptor.propertiesToFetch = [\.key]
    let names = try context.fetch(descriptor).map { String($0.key.dropFirst(key.count + 1)) }
    guard let newest = names.last else { return nil }
    return Sweep(
      zone: key, snapshot: zone.snapshot, compacted: zone.compacted, unreferenced: Set(names), last: newest,
      seen: zone.compacted)
  }

  /// Scans the next parts of the snapshot, or the next entries of the log after it.
  /// - Returns: false if the scan is complete.
  func scanMore(_ sweep: inout Sweep) throws -> Bool {
    let context = ModelContext(container)
    let zone = try zone(of: sweep, context)
    guard sweep.part < zone.snapshotParts else {
      return try scanEntries(of: zone, &sweep.unreferenced, &sweep.seen, context)
    }
    let parts = try parts(of: zone, from: sweep.part, bytes: Self.bytesAtOnce, context)
    guard !parts.isEmpty, zip(parts, sweep.part...).allSatisfy({ $0.index == $1 }) else { throw SnapshotReplaced() }
    for part in parts { try Self.removeReferences(of: part.bytes, from: &sweep.unreferenced) }
    sweep.part += parts.count
    return true
  }

  /// Deletes a batch of the unreferenced assets. The transaction first scans the entries that were pushed since the last scan, so that
  /// no push loses an asset.
  /// - Returns: whether unreferenced assets are left.
  func deleteUnreferenced(_ sweep: inout Sweep, _ result: inout CompactionResult) throws -> Bool {
    guard !sweep.unreferenced.isEmpty else { return false }
    let oldest = now() - Self.gracePeriod
    let before = sweep
    let (after, count, bytes) = try transaction { context -> (Sweep, Int, Int64) in
      var sweep = before
      let zone = try zone(of: sweep, context)
      while try scanEntries(of: zone, &sweep.unreferenced, &sweep.seen, context) {}
      let batch = Set(sweep.unreferenced.prefix(100))
      let keys = batch.map { "\(zone.key)/\($0)" }
      let old = try context.fetch(
        FetchDescriptor<ServerAsset>(
          predicate: #Predicate<ServerAsset> { keys.contains($0.key) && $0.touched < oldest }))
      var (assets, bytes) = ([ServerAsset](), Int64(0))
      for asset in old where bytes < Self.deletedAtOnce {
        assets.append(asset)
        bytes += asset.received
      }
      // The next save deletes the rest. The sweep drops assets that a client has sent again in the meantime.
      let rest = old.dropFirst(assets.count).map { String($0.key.dropFirst(zone.key.count + 1)) }
      sweep.unreferenced.subtract(batch.subtracting(rest))
      guard !assets.isEmpty else { return (sweep, 0, 0) }
      let found = assets.map(\.chunkKey)
      try context.delete(
        model: ServerChunk.self, where: #Predicate<ServerChunk> { found.contains($0.asset) })
      for asset in assets { context.delete(asset) }
      zone.size = max(0, zone.size - bytes)
      return (sweep, assets.count, bytes)
    }
    sweep = after
    result.assets += count
    result.bytes += bytes
    return !sweep.unreferenced.isEmpty
  }

  /// Returns the zone of a sweep.
  /// - Throws: ``SnapshotReplaced`` if the zone has another snapshot than at the beginning of the sweep.
  private func zone(of sweep: Sweep, _ context: ModelContext) throws -> ServerZone {
    guard let zone = try zone(sweep.zone, context), zone.snapshot == sweep.snapshot, zone.compacted == sweep.compacted
    else { throw SnapshotReplaced() }
    return zone
  }

  /// Scans the next entries of the log.
  /// - Returns: false at the end of the log.
  private func scanEntries(
    of zone: ServerZone, _ unreferenced: inout Set<String>, _ seen: inout Int64, _ context: ModelContext
  ) throws -> Bool {
    guard seen < zone.latest else { return false }
    let entries = try entries(of: zone, after: seen, through: zone.latest, bytes: Self.bytesAtOnce, context)
    guard !entries.isEmpty, zip(entries, (seen + 1)...).allSatisfy({ $0.sequence == $1 }) else {
      throw SnapshotReplaced()
    }
    for entry in entries { try Self.removeReferences(of: entry.transaction, from: &unreferenced) }
    seen += Int64(entries.count)
    return true
  }

  private static func removeReferences(of transaction: Data, from unreferenced: inout Set<String>) throws {
    for asset in try SyncTransaction(encoded: transaction).assets { unreferenced.remove(asset.sha256) }
  }
}
