/// A custom backing store: a file, a server, memory.
///
/// A store works with snapshots and does not know contexts. It has to implement fetch and save; everything else has a
/// default. A container calls a store from one thread at a time. (Apple's documentation, `DataStore`; the promise about
/// threads is ours.)
///
/// A container relies on these rules:
/// - A fetch returns the models of the class and of its subclasses.
/// - A fetch applies the predicate and the order of its descriptor, or throws ``DataStoreError/preferInMemoryFilter``
///   or ``DataStoreError/preferInMemorySort``. The context then asks again without them and applies them itself. A
///   store may ignore the limit. It never receives an offset.
/// - A save writes all of the request or throws and writes nothing.
/// - A save makes an identifier for each inserted model with
///   ``PersistentIdentifier/identifier(for:entityName:primaryKey:)``, returns it in its result, and replaces the
///   temporary identifier wherever the request contains it:
///   ``DataStoreSnapshot/copy(persistentIdentifier:remappedIdentifiers:)``.
/// - An identifier means one model for ever.
public protocol DataStore<Configuration>: AnyObject {
  /// The configuration that opens the store.
  associatedtype Configuration: DataStoreConfiguration where Self == Self.Configuration.Store
  /// The stored form of a model.
  associatedtype Snapshot: DataStoreSnapshot

  /// The configuration that opened the store.
  var configuration: Configuration { get }
  /// The identifier of the store, the same at each opening. Identifiers of its models include it.
  var identifier: String { get }
  /// The models in the store.
  var schema: Schema { get }

  /// Opens the store.
  /// - Parameters:
  ///   - configuration: the location and the models of the store.
  ///   - migrationPlan: the plan of the container.
  /// - Throws: an error with the reason why it cannot be opened.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Removes the store and its contents.
  /// - Throws: ``DataStoreError/unsupportedFeature`` if the store does not support it, which is the default.
  func erase() throws

  /// Fetches the models of a request.
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` and ``DataStoreError/preferInMemorySort`` to let the context
  ///   filter and sort.
  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>

  /// Counts the models of a request. The default counts the result of ``fetch(_:)``.
  /// - Throws: as ``fetch(_:)``.
  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int

  /// Fetches the identifiers of the models of a request, in order. The default takes them from the result of
  /// ``fetch(_:)``.
  /// - Throws: as ``fetch(_:)``.
  func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]

  /// Writes all of a request, or nothing.
  /// - Throws: an error with the reason why nothing was written.
  func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>

  /// Called when a context is created. The default does nothing.
  func initializeState(for editingState: EditingState)

  /// Called when a context ends. The default does nothing.
  func invalidateState(for editingState: EditingState)

  /// Returns cached snapshots, which must be as fresh as a fetch. The context fetches those that are missing. The
  /// default returns none.
  /// - Throws: an error of the store.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// Refuses.
  /// - Throws: ``DataStoreError/unsupportedFeature``.
  public func erase() throws { throw DataStoreError.unsupportedFeature }

  /// Counts the identifiers that ``fetchIdentifiers(_:)`` returns.
  /// - Throws: as ``fetch(_:)``.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try fetchIdentifiers(request).count
  }

  /// Takes the identifiers from the result of ``fetch(_:)``, without identifiers of other classes.
  /// - Throws: as ``fetch(_:)``.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    let names = Set(schema.runtimeEntities.filter { $0.isKind(of: T.__entity) }.map(\.name))
    // A store may return models of other classes, which are dropped.
    let all = try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
    return all.filter { $0.entityName == T.__entity.name || names.contains($0.entityName) }
  }

  /// Does nothing.
  public func initializeState(for editingState: EditingState) {}

  /// Does nothing.
  public func invalidateState(for editingState: EditingState) {}

  /// Returns no snapshots.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// A store that can delete models by predicate. (Apple's documentation, `DataStoreBatching`.)
public protocol DataStoreBatching<Configuration>: DataStore {
  /// Deletes all matching models, or none.
  ///
  /// A context calls it at the save for ``ModelContext/delete(model:where:includeSubclasses:)`` if nothing else is
  /// unsaved and the class has no relationships. The predicate then lists the models.
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` to make the context load and delete them one by one. Any other
  ///   error refuses the save.
  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws
}
