import Foundation

/// The store of the configurations that name no other: a SQLite file, or memory.
///
/// Containers talk to it without snapshots. By itself, opened with a configuration that has a schema, it is a
/// ``DataStore`` as any other, for stores that hand requests on to it. (Apple's documentation, `DefaultStore`.)
// @unchecked Sendable because it is immutable and what it holds is Sendable; each request has a context of its own.
public final class DefaultStore: DataStore, DataStoreBatching, HistoryProviding, @unchecked Sendable {
  public typealias Configuration = ModelConfiguration
  public typealias Snapshot = DefaultSnapshot
  public typealias HistoryType = DefaultHistoryTransaction

  /// What the store was opened with.
  public let configuration: ModelConfiguration
  /// The models that it keeps.
  public let schema: Schema
  /// The identity of the store, which its file keeps.
  public var identifier: String { core.stores[0].identifier }
  /// The name of its configuration.
  public var name: String { configuration.name }

  private let core: ContainerCore

  /// Opens the store, and migrates it where it has another schema.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` where the configuration has no schema, and as
  ///   ``ModelContainer`` does.
  public init(_ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil) throws {
    guard let schema = configuration.schema else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message: "the configuration \"\(configuration.name)\" has no schema, which a store needs that is opened without"
          + " a container; set its schema")
    }
    self.configuration = configuration
    self.schema = schema
    self.core = try ContainerCore(schema: schema, configurations: [configuration], migrationPlan: migrationPlan)
  }

  /// Closes the store and removes its files.
  /// - Throws: an error of the file system.
  public func erase() throws { try core.stores[0].erase() }

  /// Does nothing: the store has no state for contexts.
  public func initializeState(for editingState: EditingState) {}

  /// Does nothing: the store has no state for contexts.
  public func invalidateState(for editingState: EditingState) {}

  /// Runs a request in a context of its own.
  private func withContext<T>(_ state: EditingState, _ body: (ContextState) throws -> T) rethrows -> T {
    let context = ContextState(core: core)
    context.editing = state
    defer { context.discard() }
    return try body(context)
  }

  // MARK: - Fetching

  /// The models that a request asks for; with those of the relationships that it wants prefetched.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)`` does.
  /// - Complexity: one statement, and one for each to-many relationship.
  public func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    try withContext(request.editingState) { context in
      let objects = try context.fetch(request.descriptor)
      let snapshots = Self.snapshots(of: objects)
      var related = [any PersistentModel]()
      for keyPath in request.descriptor.relationshipKeyPathsForPrefetching {
        guard let property = KeyPathResolver.property(at: keyPath, in: T.__entity) else { continue }
        for object in objects {
          if case .targets(let targets, _) = object.__relationship(property.index, .read) { related += targets }
        }
      }
      let companions = Self.snapshots(of: related).map { ($0.persistentIdentifier, $0) }
      if let problem = context.problems.first { throw problem }
      return DataStoreFetchResult(
        descriptor: request.descriptor, fetchedSnapshots: snapshots,
        relatedSnapshots: Dictionary(companions, uniquingKeysWith: { first, _ in first }))
    }
  }

  private static func snapshots(of objects: [any PersistentModel]) -> [DefaultSnapshot] {
    if SnapshotLists.areLeftOut {
      return objects.map { DefaultSnapshot(SnapshotContents(of: $0, leavesLists: true)) }
    }
    for object in objects {
      // All lists are wanted, so the first touch loads them for all.
      for property in type(of: object).__entity.properties where property.isToMany {
        object.__state.batch?.owners[property.index] = objects.count
      }
    }
    return objects.map { DefaultSnapshot(SnapshotContents(of: $0)) }
  }

  /// How many models a request asks for.
  /// - Throws: as ``fetch(_:)``.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try withContext(request.editingState) { try $0.fetchCount(request.descriptor) }
  }

  /// The identifiers of the models that a request asks for, in order.
  /// - Throws: as ``fetch(_:)``.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try withContext(request.editingState) { try $0.fetchIdentifiers(request.descriptor) }
  }

  /// The snapshots of some models. The store keeps none at hand and reads them.
  /// - Throws: an error of the store.
  /// - Complexity: one statement for each class, and one for each to-many relationship.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try withContext(editingState) { context in
      var result = [PersistentIdentifier: DefaultSnapshot]()
      for (name, group) in Dictionary(grouping: persistentIdentifiers, by: \.entityName) {
        guard let table = core.table(named: name) else { continue }
        let keys = group.compactMap(core.store(of: table).key)
        let objects = try context.objects(withKeys: keys, in: table).values
        for snapshot in Self.snapshots(of: Array(objects)) { result[snapshot.persistentIdentifier] = snapshot }
      }
      return result
    }
  }

  // MARK: - Saving

  /// Writes all of a request in one transaction, or nothing. A new model whose unique value is taken is written over the
  /// stored one, whose identifier it gets, unless the configuration refuses that.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/save()`` does.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    try withContext(request.editingState) { context in
      let writer = SnapshotWriter(context)
      try writer.write(request)
      try context.save()
      return writer.result(for: identifier)
    }
  }

  /// Deletes the models that match, with what their delete rules take along.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/save()`` does.
  public func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    try withContext(request.editingState) { context in
      try context.delete(
        model: T.self, where: request.predicate, includeSubclasses: request.includeSubclasses)
      try context.save()
    }
  }

  // MARK: - History

  /// The saves that a descriptor asks for.
  /// - Throws: as ``ModelContext/fetchHistory(_:)``.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try core.stores[0].fetchHistory(descriptor, core) ?? []
  }

  /// Forgets the saves that a descriptor asks for.
  /// - Throws: as ``ModelContext/deleteHistory(_:)``.
  public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    _ = try core.stores[0].deleteHistory(descriptor, core)
  }
}
