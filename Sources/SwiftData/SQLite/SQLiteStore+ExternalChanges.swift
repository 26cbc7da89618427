import GRDB

extension SQLiteStore {
  package func externalChanges(after seen: inout Int64) throws -> ExternalChanges? {
    let known = seen
    guard let newest = try look({ try StoreOpening.lastTransaction($0) }), newest > known else { return nil }
    // One that was saved while the watch began may be known already.
    let own = takeOwnTransactions(upTo: newest).filter { $0 > known }
    var changes: ExternalChanges?
    if own.count < Int(newest - known) {
      changes = try look { try Self.changes($0, after: known, to: newest, without: own) }
    }
    // Only now: what could not be read is read the next time.
    seen = newest
    return changes
  }

  private static func changes(
    _ database: Database, after first: Int64, to last: Int64, without own: Set<Int64>
  ) throws -> ExternalChanges {
    let kept = try Int64.fetchSet(
      database, sql: "SELECT id FROM _swiftdata_history WHERE id > ? AND id <= ?", arguments: [first, last])
    // Somebody deleted history that nobody here has seen.
    var result = ExternalChanges(isComplete: kept.union(own).count >= Int(last - first), changes: [])
    let blocks = try Row.fetchCursor(database, sql: HistoryTables.allBlocks, arguments: [first + 1, last])
    while let row = try blocks.next() {
      // What cannot be read may concern anything.
      guard let number = Int64.fromDatabaseValue(row[0]), let json = String.fromDatabaseValue(row[1]),
        let runs = try? HistoryBlocks.runs(json, number: number)
      else {
        result.isComplete = false
        continue
      }
      for run in runs where !own.contains(run.transaction) {
        result.changes.append(.init(kind: run.kind, entity: run.entity, keys: run.keys))
      }
    }
    return result
  }
}
