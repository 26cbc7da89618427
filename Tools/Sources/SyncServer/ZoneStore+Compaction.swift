import Foundation
import SwiftData
import SyncProtocol

// Compaction: deletes the log that a snapshot replaced. Each step is one save. `ServerZone.isCompacting` marks an unfinished compaction,
// so the next run continues after a crash between two steps. Several processes may run the same steps at the same time.

extension ZoneStore {
  /// The approximate size of the entries that one step reads, in bytes. It bounds the memory of a step.
  private static let bytesAtOnce = 4 << 20

  /// Returns the zones whose old log is due for deletion, and the zones with an unfinished compaction.
  func zonesToCompact() throws -> [String] {
    let oldest = now() - limits.retention
    var descriptor = FetchDescriptor<ServerZone>(
      predicate: #Predicate<ServerZone> {
        $0.isCompacting || ($0.snapshot > $0.compacted && $0.snapshotTime <= oldest)
      }, sortBy: [SortDescriptor(\.key)])
    descriptor.propertiesToFetch = [\.key]
    return try ModelContext(container).fetch(descriptor).map(\.key)
  }

  /// Runs all steps of the compaction of one zone. The actor answers other requests between the steps.
  func compact(_ key: String) async throws -> CompactionResult {
    var result = CompactionResult(zone: key)
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

  /// Marks the zone. After this save the server refuses to serve the log up to the sequence number of the snapshot.
  /// - Returns: whether the zone has a compaction to do.
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

  /// Deletes a batch of the entries up to the sequence number of the snapshot, and keeps the identities of their transactions.
  /// - Returns: whether it deleted an entry.
  func deleteEntries(_ key: String, _ result: inout CompactionResult) throws -> Bool {
    let (count, bytes) = try transaction { context -> (Int, Int64) in
      guard let zone = try zone(key, context), let first = try firstEntry(key, context), first <= zone.compacted
      else { return (0, 0) }
      let entries = try entries(
        of: zone, after: first - 1, through: zone.compacted, bytes: Self.bytesAtOnce, context)
      for (account, entries) in Dictionary(grouping: entries, by: \.account) {
        let transactions = entries.compactMap { entry in
          UUID(uuidString: String(entry.key.dropFirst(key.count + 1))).map { ($0, entry.sequence) }
        }
        try keepIdentities(of: transactions, account, key, context)
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

  /// Returns the sequence number of the oldest entry; nil if the log is empty.
  private func firstEntry(_ key: String, _ context: ModelContext) throws -> Int64? {
    var descriptor = FetchDescriptor<ServerEntry>(
      predicate: #Predicate<ServerEntry> { $0.zone == key }, sortBy: [SortDescriptor(\.sequence)])
    descriptor.fetchLimit = 1
    descriptor.propertiesToFetch = [\.sequence]
    return try context.fetch(descriptor).first?.sequence
  }

  private func keepIdentities(
    of transactions: [(identity: UUID, sequence: Int64)], _ account: String, _ zone: String, _ context: ModelContext
  ) throws {
    let capacity = ServerTaken.capacity
    var rest = transactions[...]
    var descriptor = FetchDescriptor<ServerTaken>(
      predicate: #Predicate<ServerTaken> { $0.zone == zone && $0.account == account && $0.count < capacity })
    descriptor.fetchLimit = 1
    descriptor.includePendingChanges = false
    var unfilled = try context.fetch(descriptor).first
    while !rest.isEmpty {
      let object = unfilled ?? ServerTaken(zone: zone, account: account)
      if unfilled == nil { context.insert(object) }
      let part = rest.prefix(capacity - object.count)
      object.append(part)
      (rest, unfilled) = (rest.dropFirst(part.count), nil)
    }
  }

  // MARK: - End of a compaction

  /// A count of the bytes in the remaining log. The server counts them because a zone of an older server has only the size of log and
  /// assets together.
  struct LogCount {
    let zone: String
    let compacted: Int64
    /// The last sequence number that was counted.
    var seen: Int64
    var bytes: Int64 = 0
  }

  func beginCount(_ key: String) throws -> LogCount? {
    guard let zone = try zone(key, ModelContext(container)) else { return nil }
    return LogCount(zone: key, compacted: zone.compacted, seen: zone.compacted)
  }

  /// Counts the next entries.
  /// - Returns: false if all entries are counted.
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

  /// Removes the mark of the compaction from the zone.
  func endCompaction(_ count: LogCount) throws {
    try transaction { context in
      guard let zone = try zone(count.zone, context), zone.isCompacting else { return }
      // Another process may have started a compaction for a newer snapshot. That process also ends it.
      guard zone.compacted == count.compacted, try firstEntry(count.zone, context).map({ $0 > zone.compacted }) ?? true
      else { return }
      var count = count
      while try countMore(&count, context) {}
      if zone.logSize != count.bytes { zone.logSize = count.bytes }
      zone.isCompacting = false
    }
  }
}

/// The entries and assets that a compaction deleted.
struct CompactionResult: Sendable {
  let zone: String
  var entries = 0
  var assets = 0
  /// The size of the deleted entries and assets in bytes.
  var bytes: Int64 = 0

  init(zone: String) { self.zone = zone }
}
