import Foundation
import SyncProtocol

/// The work that a compaction of one zone's log did.
struct LogCompaction: Sendable {
  let zone: String
  /// The commit up to which the log is folded; nil if no entry was folded.
  var folded: Int64?
  /// The number of records that an entry forgot.
  var forgotten = 0
  /// The number of assets that were deleted, and their size in bytes.
  var assets = 0
  var assetBytes: Int64 = 0

  init(zone: String) { self.zone = zone }
}

extension ZoneStore {
  /// Returns the zones that have something to compact.
  func zonesToCompactLog() throws -> [String] {
    Array(Set(try zonesToFold()).union(try zonesToSweep())).sorted()
  }

  /// Folds the old log of a zone, forgets what no view needs, and deletes the assets that no register names. The actor answers other
  /// requests between the steps.
  func compactLog(_ key: String) async throws -> LogCompaction {
    var result = LogCompaction(zone: key)
    // A fold or a scan of a restored log begins in an epoch of its own.
    try noticeRestore()
    // Another run may have ended in the middle.
    try await run { try deleteLeftovers(key) }
    while var fold = try beginFold(key) {
      try await run { try foldMore(&fold) }
      guard try endFold(fold) else { break }
      result.folded = fold.target
      try await run { try deleteLeftovers(key) }
    }
    guard var scan = try beginScan(key) else { return result }
    if result.folded != nil { try await run { try collectMore(&scan) } }
    if !scan.isEmpty { try await run { try scanMore(&scan) } }
    if !scan.records.isEmpty { result.forgotten = try forget(&scan) }
    try await run {
      let deleted = try deleteAssets(&scan)
      result.assets += deleted.count
      result.assetBytes += deleted.bytes
      return deleted.hasMore
    }
    try endScan(scan)
    return result
  }

  /// Repeats a step until it returns false.
  private func run(_ step: () throws -> Bool) async throws {
    while try step() {
      try Task.checkCancellation()
      await Task.yield()
    }
  }
}
