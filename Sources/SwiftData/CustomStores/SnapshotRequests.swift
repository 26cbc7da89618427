import Foundation

/// Answers ``DataStore`` requests for a store that the engine uses directly. Each request has its own context, whose
/// objects become snapshots.
package struct SnapshotRequests {
  private let core: ContainerCore

  package init(_ core: ContainerCore) { self.core = core }

  private func withContext<T>(_ state: EditingState, _ body: (ContextState) throws -> T) rethrows -> T {
    let context = ContextState(core: core)
    context.editing = state
    defer { context.discard() }
    return try body(context)
  }

  // MARK: - Fetching

  package func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    try withContext(request.editingState) { context in
      let objects = try context.queries.fetch(request.descriptor)
      // A request with `propertiesToFetch` gets no other properties.
      let snapshots = Self.snapshots(of: objects, leavesLists: !request.descriptor.propertiesToFetch.isEmpty)
      var related = [any PersistentModel]()
      for keyPath in request.descriptor.relationshipKeyPathsForPrefetching {
        guard let property = KeyPathResolver.property(at: keyPath, in: T.__entity) else { continue }
        for object in objects {
          if let targets = object.relationship(property).targets { related += targets }
        }
      }
      let companions = Self.snapshots(of: related).map { ($0.persistentIdentifier, $0) }
      if let problem = context.problems.first { throw problem }
      return DataStoreFetchResult(
        descriptor: request.descriptor, fetchedSnapshots: snapshots,
        relatedSnapshots: Dictionary(companions, uniquingKeysWith: { first, _ in first }))
    }
  }

  private static func snapshots(of objects: [any PersistentModel], leavesLists: Bool = false) -> [DefaultSnapshot] {
    if leavesLists { return objects.map { DefaultSnapshot(SnapshotContents(of: $0, leavesLists: true)) } }
    for object in objects {
      // All lists are needed, so the first access loads them for all objects.
      for property in type(of: object).__entity.properties where property.isToMany {
        object.__state.batch?.owners[property.index] = objects.count
      }
    }
    return objects.map { DefaultSnapshot(SnapshotContents(of: $0)) }
  }

  package func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try withContext(request.editingState) { try $0.queries.fetchCount(request.descriptor) }
  }

  package func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try withContext(request.editingState) { try $0.queries.fetchIdentifiers(request.descriptor) }
  }

  package func snapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try withContext(editingState) { context in
      var result = [PersistentIdentifier: DefaultSnapshot]()
      for (name, group) in Dictionary(grouping: persistentIdentifiers, by: \.entityName) {
        guard let table = core.table(named: name) else { continue }
        let keys = group.compactMap(core.store(of: table).key)
        let objects = try context.queries.objects(withKeys: keys, in: table).values
        for snapshot in Self.snapshots(of: Array(objects)) { result[snapshot.persistentIdentifier] = snapshot }
      }
      return result
    }
  }

  // MARK: - Saving

  package func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    try withContext(request.editingState) { context in
      let writer = SnapshotWriter(context)
      try writer.write(request)
      return writer.result(for: core.stores[0].identifier, of: try context.save(), request)
    }
  }

  package func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    try withContext(request.editingState) { context in
      try context.queries.delete(
        model: T.self, where: request.predicate, includeSubclasses: request.includeSubclasses)
      try context.save()
    }
  }
}
