import Foundation
import SwiftData
import SyncProtocol

// Deleting the log that a snapshot replaced. Each step is one save. A process that is killed between two steps leaves a mark in the zone,
// and the next run goes on; several processes may do the same steps at once.

extension ZoneStore {
  /// About how many bytes of entries one step reads, so that memory is bounded whatever their size.
  private static let bytesAtOnce = 4 << 20

  /// The zones whose old log has to be deleted now, and those where that was begun.
  func zonesToCompact() throws -> [String] {
    let oldest = now() - limits.retention
    var descriptor = FetchDescriptor<ServerZone>(
      predicate: #Predicate<ServerZone> {
        $0.isCompacting || ($0.snapshot > $0.compacted && $0.snapshotTime <= oldest)
      }, sortBy: [SortDescriptor(\.key)])
    descriptor.propertiesToFetch = [\.key]
    return try ModelContext(container).fetch(descriptor).map(\.key)
  }

  /// Does all steps in one zone. Other requests are answered between them.
  func compact(_ key: String) async throws -> Compaction {
    var result = Compaction(zone: key)
    guard try beginCompaction(key) else { return result }
    while try deleteEntries(key, &result) {
      try Task.checkCancellation()
      await Task.yield()
    }
    try await sweepAssets(key, &result)
    guard var count = try beginCount(key) else { return result }
    while try countMore(&count) {
      try Task.checkCancellation()
      await Task.yield()
    }
    try endCompaction(count)
    return result
  }

  /// From here on the log is not served any more up to the number of the snapshot.
  /// - Returns: whether there is something to delete.
  func beginCompaction(_ key: String) throws -> Bool {
    let oldest = now() - limits.retention
    return try transaction { context in
      guard let zone = try zone(key, context) else { return false }
      if zone.snapshot > zone.compacted, zone.snapshotTime <= oldest {
        zone.logSize = zone.logBytes
        zone.compacted = zone.snapshot
        if !zone.isCompacting { zone.isCompacting = true }
      }
      return zone.isCompacting
    }
  }

  /// Deletes some of the entries up to the number of the snapshot, and keeps the identities of their transactions.
  /// - Returns: whether there were some.
  func deleteEntries(_ key: String, _ result: inout Compaction) throws -> Bool {
    let (count, bytes) = try transaction { context -> (Int, Int64) in
      guard let zone = try zone(key, context), let first = try firstEntry(key, context), first <= zone.compacted
      else { return (0, 0) }
      let entries = try entries(
        of: zone, after: first - 1, through: zone.compacted, bytes: Self.bytesAtOnce, context)
      for (account, entries) in Dictionary(grouping: entries, by: \.account) {
        let taken = entries.compactMap { entry in
          UUID(uuidString: String(entry.key.dropFirst(key.count + 1))).map { ($0, entry.sequence) }
        }
        try remember(taken, account, key, context)
      }
      let bytes = entries.reduce(Int64(0)) { $0 + Int64($1.transaction.count) }
      zone.logSize = max(0, zone.logSize - bytes)
      zone.size = max(0, zone.size - bytes)
      for entry in entries { context.delete(entry) }
      return (entries.count, bytes)
    }
    result.entries += count
    result.bytes += bytes
    return count > 0
  }

  /// The number of the oldest entry that there is.
  private func firstEntry(_ key: String, _ context: ModelContext) throws -> Int64? {
    var descriptor = FetchDescriptor<ServerEntry>(
      predicate: #Predicate<ServerEntry> { $0.zone == key }, sortBy: [SortDescriptor(\.sequence)])
    descriptor.fetchLimit = 1
    descriptor.propertiesToFetch = [\.sequence]
    return try context.fetch(descriptor).first?.sequence
  }

  private func remember(
    _ transactions: [(identity: UUID, sequence: Int64)], _ account: String, _ zone: String, _ context: ModelContext
  ) throws {
    let most = ServerTaken.most
    var rest = transactions[...]
    var descriptor = FetchDescriptor<ServerTaken>(
      predicate: #Predicate<ServerTaken> { $0.zone == zone && $0.account == account && $0.count < most })
    descriptor.fetchLimit = 1
    descriptor.includePendingChanges = false
    var taken = try context.fetch(descriptor).first
    while !rest.isEmpty {
      let object = taken ?? ServerTaken(zone: zone, account: account)
      if taken == nil { context.insert(object) }
      let part = rest.prefix(most - object.count)
      object.append(part)
      (rest, taken) = (rest.dropFirst(part.count), nil)
    }
  }

  // MARK: - The end

  /// The bytes of the log behind the deleted one. They are counted, because a zone of an older server knows only its whole size.
  struct LogCount {
    let zone: String
    let compacted: Int64
    /// The number up to which entries were counted.
    var seen: Int64
    var bytes: Int64 = 0
  }

  func beginCount(_ key: String) throws -> LogCount? {
    guard let zone = try zone(key, ModelContext(container)) else { return nil }
    return LogCount(zone: key, compacted: zone.compacted, seen: zone.compacted)
  }

  /// - Returns: false if nothing is left to count.
  func countMore(_ count: inout LogCount) throws -> Bool { try countMore(&count, ModelContext(container)) }

  private func countMore(_ count: inout LogCount, _ context: ModelContext) throws -> Bool {
    guard let zone = try zone(count.zone, context), zone.compacted == count.compacted, zone.latest > count.seen else {
      return false
    }
    let entries = try entries(of: zone, after: count.seen, through: zone.latest, bytes: Self.bytesAtOnce, context)
    guard let last = entries.last?.sequence else { return false }
    count.bytes += entries.reduce(0) { $0 + Int64($1.transaction.count) }
    count.seen = last
    return true
  }

  /// Takes the mark away.
  func endCompaction(_ count: LogCount) throws {
    try transaction { context in
      guard let zone = try zone(count.zone, context), zone.isCompacting else { return }
      // Another process may have begun with a newer snapshot. It ends what it began.
      guard zone.compacted == count.compacted, try firstEntry(count.zone, context).map({ $0 > zone.compacted }) ?? true
      else { return }
      var count = count
      while try countMore(&count, context) {}
      if zone.logSize != count.bytes { zone.logSize = count.bytes }
      zone.isCompacting = false
    }
  }
}

/// What was deleted of a zone.
struct Compaction: Sendable {
  let zone: String
  var entries = 0
  var assets = 0
  /// How many bytes of the zone's size were freed.
  var bytes: Int64 = 0

  init(zone: String) { self.zone = zone }
}
