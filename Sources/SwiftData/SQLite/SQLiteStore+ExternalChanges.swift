import Dispatch

extension SQLiteStore {
  package func newestTransaction() throws -> Int64? { try look { try StoreFile.lastTransaction($0) } }

  package func externalChanges(after seen: inout Int64) throws -> ExternalChanges? {
    let known = seen
    guard let newest = try look({ try StoreFile.lastTransaction($0) }), newest > known else { return nil }
    // A transaction that was committed while the watch began may be known.
    let own = takeOwnTransactions(upTo: newest).filter { $0 > known }
    var changes: ExternalChanges?
    if own.count < Int(newest - known) {
      changes = try look { try Self.changes($0, after: known, to: newest, without: own) }
    }
    // Advanced only now, so that a failed read is repeated.
    seen = newest
    return changes
  }

  private static func changes(
    _ database: SQLiteDatabase, after first: Int64, to last: Int64, without own: Set<Int64>
  ) throws -> ExternalChanges {
    let kept = try database.rows(
      "SELECT id FROM _swiftdata_history WHERE id > ? AND id <= ?", [.integer(first), .integer(last)]
    ) { $0.integer(0) }
    // Another process deleted history that this process has not read.
    var result = ExternalChanges(isComplete: own.union(kept).count >= Int(last - first), changes: [])
    _ = try database.rows(HistoryTables.allBlocks, [.integer(first + 1), .integer(last)]) { row in
      // An unreadable transaction may affect anything.
      guard case .integer(let number) = row.value(0), case .text(let json) = row.value(1),
        let runs = try? HistoryBlocks.runs(json, number: number)
      else {
        result.isComplete = false
        return
      }
      for run in runs where !own.contains(run.transaction) {
        result.changes.append(.init(kind: run.kind, entity: run.entity, keys: run.keys))
      }
    }
    return result
  }
}

extension SQLiteStore: WatchedStore {
  private static let watchQueue = DispatchQueue(label: "SwiftData.StoreWatch", qos: .utility)
  package var watchQueue: DispatchQueue { Self.watchQueue }
}
