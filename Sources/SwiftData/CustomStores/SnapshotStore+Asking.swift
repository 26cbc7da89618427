import Foundation

/// The answer of a store, and the work that remains for the context.
struct SnapshotAnswer<Snapshot: DataStoreSnapshot> {
  var snapshots: [Snapshot]
  var related: [PersistentIdentifier: Snapshot] = [:]
  var isFiltered = true
  var isSorted = true
}

extension SnapshotStore {
  /// Asks the store. If it wants the context to filter or sort, asks again without the predicate or the order.
  ///
  /// The offset is added to the limit, so that a store may ignore both.
  func ask<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, _ state: EditingState
  ) throws -> SnapshotAnswer<Base.Snapshot> {
    var answer = SnapshotAnswer<Base.Snapshot>(snapshots: [])
    var asked = Self.withoutOffset(descriptor)
    while true {
      do {
        let request = DataStoreFetchRequest(descriptor: asked, editingState: state)
        let result = try call { try $0.fetch(request) }
        answer.snapshots = result.fetchedSnapshots.filter { isOf(M.__entity, $0.persistentIdentifier) }
        answer.related = result.relatedSnapshots
        return answer
      } catch DataStoreError.preferInMemoryFilter where asked.predicate != nil {
        asked.predicate = nil
        answer.isFiltered = false
      } catch DataStoreError.preferInMemorySort where !asked.sortBy.isEmpty {
        asked.sortBy = []
        answer.isSorted = false
      }
      // A result that still has to be filtered or sorted cannot be limited.
      asked.fetchLimit = nil
    }
  }

  static func withoutOffset<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) -> FetchDescriptor<M> {
    var asked = descriptor
    let bounds = Bounds(descriptor)
    asked.fetchOffset = nil
    asked.fetchLimit = bounds.end
    return asked
  }

  /// Stores may return models of other classes.
  func isOf(_ entity: __Entity, _ identifier: PersistentIdentifier) -> Bool {
    entities[identifier.entityName]?.isKind(of: entity) == true && !identifier.isTemporary
  }

  /// All snapshots of a class.
  func snapshots<M: PersistentModel>(of type: M.Type) throws -> [Base.Snapshot] {
    try ask(FetchDescriptor<M>(), EditingState()).snapshots
  }

  /// The snapshots of models with some keys: cached ones, and the others by a fetch.
  func snapshots<M: PersistentModel>(
    withKeys keys: [Int64], of type: M.Type, _ state: EditingState
  ) throws -> [Int64: Base.Snapshot] {
    var result = [Int64: Base.Snapshot]()
    let wanted = keys.map { (key: $0, identifier: identifier(ofKey: $0, entity: M.__entity.name)) }
    let cached = try call { try $0.cachedSnapshots(for: wanted.map(\.identifier), editingState: state) }
    for (key, identifier) in wanted { result[key] = cached[identifier] }
    let missing = wanted.filter { result[$0.key] == nil }
    guard !missing.isEmpty else { return result }
    let names = Set(missing.map(\.identifier))
    let descriptor = FetchDescriptor<M>(predicate: Self.predicate(missing.map(\.identifier)))
    for snapshot in try ask(descriptor, state).snapshots where names.contains(snapshot.persistentIdentifier) {
      result[give(snapshot.persistentIdentifier).key] = snapshot
    }
    return result
  }

  /// A predicate for the models with some identifiers.
  static func predicate<M: PersistentModel>(_ identifiers: [PersistentIdentifier]) -> Predicate<M> {
    Predicate<M> { model in
      PredicateExpressions.build_contains(
        PredicateExpressions.build_Arg(identifiers),
        PredicateExpressions.build_KeyPath(root: model, keyPath: \.persistentModelID))
    }
  }
}
