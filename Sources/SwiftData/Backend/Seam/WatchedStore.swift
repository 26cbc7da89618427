import Dispatch

/// A store that reports external commits.
package protocol WatchedStore: EngineStore {
  /// Whether another process can save to it.
  var isShared: Bool { get }
  /// The serial queue on which external commits are read. Reading waits for a server that does not answer, so each server
  /// has a queue of its own: a server that is down does not delay notifications of other stores.
  var watchQueue: DispatchQueue { get }
  /// - Returns: the number of the newest transaction.
  func beginWatch() -> Int64
  func endWatch()
  /// Returns external commits since a transaction, or nil if there are none.
  /// - Parameter seen: the number of the newest known transaction. The call advances it to the newest one.
  func externalChanges(after seen: inout Int64) throws -> ExternalChanges?
}

/// The external changes that the history recorded.
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

  /// Whether the history still has all of them.
  package var isComplete: Bool
  package var changes: [Change]

  package init(isComplete: Bool, changes: [Change]) { (self.isComplete, self.changes) = (isComplete, changes) }

  /// The changes in the form for a container's contexts.
  func savedChanges(in tables: TableCatalog) -> SavedChanges {
    var result = SavedChanges()
    result.isEverything = !isComplete
    func objects(_ kind: HistoryRecorder.Kind) -> [SavedChanges.Objects] {
      let groups = Dictionary(grouping: changes.filter { $0.kind == kind }, by: \.entity)
      return groups.sorted { $0.key < $1.key }.compactMap { name, runs in
        tables.table(named: name).map { SavedChanges.Objects(root: $0.root, entity: name, keys: runs.flatMap(\.keys)) }
      }
    }
    (result.inserted, result.updated, result.deleted) = (objects(.insert), objects(.update), objects(.delete))
    result.entities = Set((result.inserted + result.updated + result.deleted).map(\.entity))
    // Arrays of saved owners may be outdated.
    for group in result.updated {
      for property in tables.table(named: group.entity)?.toMany ?? [] {
        result.entities.insert(property.destination!.__entity.name)
      }
    }
    return result
  }
}
