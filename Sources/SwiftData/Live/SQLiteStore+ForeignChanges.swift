import GRDB

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
    let blocks = try Row.fetchCursor(database, sql: HistoryTables.allBlocks, arguments: [first + 1, last])
    while let row = try blocks.next() {
      // What cannot be read may concern anything.
      guard let number = Int64.fromDatabaseValue(row[0]), let json = String.fromDatabaseValue(row[1]),
        let runs = try? HistoryBlocks.runs(json, number: number)
      else {
        result.isEverything = true
        continue
      }
      for run in runs where !own.contains(run.transaction) {
        keys[run.kind, default: [:]][run.entity, default: []] += run.keys
      }
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
