/// A store that tells what other processes saved to it.
package protocol WatchedStore: EngineStore {
  /// Whether another process can save to it.
  var isShared: Bool { get }
  /// - Returns: the number of the newest transaction.
  func beginWatch() -> Int64
  func endWatch()
  /// What others committed since a transaction; nil if all of it is ours, or nothing.
  /// - Parameter seen: the number of the newest transaction that is known; raised to the newest there is.
  func externalChanges(after seen: inout Int64) throws -> ExternalChanges?
}

/// What other processes saved, as the history has it.
package struct ExternalChanges: Sendable {
  /// A run of changes of one kind to consecutive keys.
  package struct Change: Sendable {
    let kind: HistoryRecorder.Kind
    let entity: String
    let keys: Range<Int64>

    package init(kind: HistoryRecorder.Kind, entity: String, keys: Range<Int64>) {
      (self.kind, self.entity, self.keys) = (kind, entity, keys)
    }
  }

  /// Whether nothing of it was deleted from the history.
  package var isComplete: Bool
  package var changes: [Change]

  package init(isComplete: Bool, changes: [Change]) { (self.isComplete, self.changes) = (isComplete, changes) }

  /// The same for the contexts of a container.
  func savedChanges(in core: ContainerCore) -> SavedChanges {
    var result = SavedChanges()
    result.isEverything = !isComplete
    func objects(_ kind: HistoryRecorder.Kind) -> [SavedChanges.Objects] {
      let groups = Dictionary(grouping: changes.filter { $0.kind == kind }, by: \.entity)
      return groups.sorted { $0.key < $1.key }.compactMap { name, runs in
        core.table(named: name).map { SavedChanges.Objects(root: $0.root, entity: name, keys: runs.flatMap(\.keys)) }
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

extension SQLiteStore: WatchedStore {}

extension ContainerCore {
  var watchedStores: [any WatchedStore] { stores.compactMap { $0 as? any WatchedStore } }
}
