import GRDB

/// A row of the history's changes; nil for one that is damaged.
private struct ChangedRun {
  let transaction: Int64
  let kind: HistoryRecorder.Kind
  let entity: String
  let keys: Range<Int64>

  // The cells are looked at as what they are: to convert one of another type traps.
  init?(_ row: Row) {
    guard let transaction = Int64.fromDatabaseValue(row[0]), let kind = Int64.fromDatabaseValue(row[1]),
      let kind = HistoryRecorder.Kind(rawValue: kind), let entity = String.fromDatabaseValue(row[2]),
      let key = Int64.fromDatabaseValue(row[3]), let count = Int64.fromDatabaseValue(row[4]),
      ChangeRow.isRun(key, count)
    else { return nil }
    (self.transaction, self.kind, self.entity, keys) = (transaction, kind, entity, key..<key + count)
  }
}

extension SQLiteStore {
  /// What others committed since a transaction, as the history has it.
  /// - Parameter seen: the number of the newest transaction that is known; raised to the newest there is.
  /// - Returns: nil where all of it is ours, or nothing.
  func foreignChanges(after seen: inout Int64, in core: ContainerCore) throws -> SavedChanges? {
    let known = seen
    guard let newest = try look({ try StoreOpening.lastTransaction($0) }), newest > known else { return nil }
    // One that was saved while the watch began may be known already.
    let own = takeOwnTransactions(upTo: newest).filter { $0 > known }
    var changes: SavedChanges?
    if own.count < Int(newest - known) {
      changes = try look { try Self.changes($0, after: known, to: newest, without: own, core) }
    }
    // Only now: what could not be read is read the next time.
    seen = newest
    return changes
  }

  private static func changes(
    _ database: Database, after first: Int64, to last: Int64, without own: Set<Int64>, _ core: ContainerCore
  ) throws -> SavedChanges {
    var result = SavedChanges()
    let kept = try Int64.fetchSet(
      database, sql: "SELECT id FROM _swiftdata_history WHERE id > ? AND id <= ?", arguments: [first, last])
    // Somebody deleted history that nobody here has seen.
    result.isEverything = kept.union(own).count < Int(last - first)
    var keys: [HistoryRecorder.Kind: [String: [Int64]]] = [:]
    let rows = try Row.fetchCursor(
      database,
      sql: "SELECT history, kind, entity, key, count FROM _swiftdata_changes WHERE \(HistoryRecorder.changes())"
        + " ORDER BY id", arguments: [first + 1, last])
    while let row = try rows.next() {
      guard let run = ChangedRun(row) else {
        result.isEverything = true
        continue
      }
      if own.contains(run.transaction) { continue }
      keys[run.kind, default: [:]][run.entity, default: []] += run.keys
    }
    func objects(_ kind: HistoryRecorder.Kind) -> [SavedChanges.Objects] {
      (keys[kind] ?? [:]).sorted { $0.key < $1.key }.compactMap { name, keys in
        core.table(named: name).map { SavedChanges.Objects(root: $0.root, entity: name, keys: keys) }
      }
    }
    (result.inserted, result.updated, result.deleted) = (objects(.insert), objects(.update), objects(.delete))
    result.entities = Set((result.inserted + result.updated + result.deleted).map(\.entity))
    // Arrays may be stale whose owners were saved.
    for group in result.updated {
      for property in core.table(named: group.entity)?.toMany ?? [] {
        result.entities.insert(property.destination!.__entity.name)
      }
    }
    return result
  }
}
