/// A place where models are kept, whatever it is: a file, a server, memory.
///
/// A store deals in snapshots and knows nothing of contexts. It has to fetch and to save; everything else has a default.
/// A container calls a store from one thread at a time. (Apple's documentation, `DataStore`; that last promise is ours.)
///
/// What a container relies on:
/// - A fetch returns the models of the class and of its subclasses.
/// - A fetch applies the predicate and the order of its descriptor, or throws ``DataStoreError/preferInMemoryFilter`` or
///   ``DataStoreError/preferInMemorySort``; then the context asks again without and does it itself. The limit may be
///   ignored; an offset is never asked for.
/// - A save writes all of the request or, if it throws, nothing.
/// - A save gives each inserted model an identifier, made with
///   ``PersistentIdentifier/identifier(for:entityName:primaryKey:)``, says so in its result, and puts it in the place of
///   the temporary one wherever the request names that: ``DataStoreSnapshot/copy(persistentIdentifier:remappedIdentifiers:)``.
/// - An identifier means one model for ever.
public protocol DataStore<Configuration>: AnyObject {
  /// What the store is opened with.
  associatedtype Configuration: DataStoreConfiguration where Self == Self.Configuration.Store
  /// What it keeps of a model.
  associatedtype Snapshot: DataStoreSnapshot

  /// What the store was opened with.
  var configuration: Configuration { get }
  /// The identity of the store, the same each time it is opened: the identifiers of its models carry it.
  var identifier: String { get }
  /// The models that it keeps.
  var schema: Schema { get }

  /// Opens the store.
  /// - Parameter migrationPlan: the plan of the container.
  /// - Throws: an error that says why it cannot be opened.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Removes the store with all that it keeps.
  /// - Throws: ``DataStoreError/unsupportedFeature`` where the store does not offer it, which is the default.
  func erase() throws

  /// The models that a request asks for.
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` and ``DataStoreError/preferInMemorySort`` to have the context
  ///   filter and sort.
  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>

  /// How many models a request asks for. The default counts what ``fetch(_:)`` returns.
  /// - Throws: as ``fetch(_:)``.
  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int

  /// The identifiers of the models that a request asks for, in order. The default takes them from what ``fetch(_:)``
  /// returns.
  /// - Throws: as ``fetch(_:)``.
  func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]

  /// Writes all of a request, or nothing.
  /// - Throws: an error that says why nothing was written.
  func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>

  /// Called when a context is made. The default does nothing.
  func initializeState(for editingState: EditingState)

  /// Called when a context is gone. The default does nothing.
  func invalidateState(for editingState: EditingState)

  /// The snapshots of models that the store has at hand without reading them, as fresh as a fetch would return them.
  /// What is not in the result is fetched. The default has none.
  /// - Throws: an error of the store.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  public func erase() throws { throw DataStoreError.unsupportedFeature }

  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try fetchIdentifiers(request).count
  }

  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    let names = Set(schema.runtimeEntities.filter { $0.isKind(of: T.__entity) }.map(\.name))
    // A store may return models of other classes, which are left out.
    let all = try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
    return all.filter { $0.entityName == T.__entity.name || names.contains($0.entityName) }
  }

  public func initializeState(for editingState: EditingState) {}

  public func invalidateState(for editingState: EditingState) {}

  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// A store that can delete models without being told each of them. (Apple's documentation, `DataStoreBatching`.)
public protocol DataStoreBatching<Configuration>: DataStore {
  /// Deletes the models that match, all of them or none.
  ///
  /// A context calls it for ``ModelContext/delete(model:where:includeSubclasses:)`` where nothing but the deletion is
  /// unsaved and no relationship leads to or from the class, when it saves. The predicate then names the models.
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` to have the context load and delete them one by one; any other
  ///   error refuses the save.
  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws
}
