/// A store that tells what others saved to it.
protocol WatchedStore: EngineStore {
  /// Whether anybody else can save to it.
  var isShared: Bool { get }
  /// - Returns: the number of the newest transaction.
  func beginWatch() -> Int64
  func endWatch()
  /// What others committed since a transaction; nil where all of it is ours, or nothing.
  /// - Parameter seen: the number of the newest transaction that is known; raised to the newest there is.
  func foreignChanges(after seen: inout Int64, in core: ContainerCore) throws -> SavedChanges?
}

extension SQLiteStore: WatchedStore {}

extension SnapshotStore: WatchedStore {
  var isShared: Bool { relational != nil }

  // A server that cannot be reached now says so to whoever uses the store; the next look tries again.
  func beginWatch() -> Int64 { (try? relational?.beginWatch()) ?? 0 }

  func endWatch() { relational?.endWatch() }

  func foreignChanges(after seen: inout Int64, in core: ContainerCore) throws -> SavedChanges? {
    guard let news = try relational?.news(after: seen) else { return nil }
    seen = news.newest
    guard !news.changes.isEmpty || !news.isComplete else { return nil }
    var changes = SavedChanges()
    changes.isEverything = !news.isComplete
    func objects(_ kind: HistoryRecorder.Kind) -> [SavedChanges.Objects] {
      news.changes.filter { $0.kind == kind }.compactMap { change in
        core.table(named: change.entity).map { table in
          let keys = change.keys.map { key in
            give(PersistentIdentifier(entityName: change.entity, storeIdentifier: identifier, key: key)).key
          }
          return SavedChanges.Objects(root: table.root, entity: change.entity, keys: keys)
        }
      }
    }
    (changes.inserted, changes.updated, changes.deleted) = (objects(.insert), objects(.update), objects(.delete))
    changes.entities = Set((changes.inserted + changes.updated + changes.deleted).map(\.entity))
    // Arrays may be stale whose owners were saved.
    for group in changes.updated {
      for property in core.table(named: group.entity)?.toMany ?? [] {
        changes.entities.insert(property.destination!.__entity.name)
      }
    }
    return changes
  }
}

extension ContainerCore {
  var watchedStores: [any WatchedStore] { stores.compactMap { $0 as? any WatchedStore } }
}
