public import SwiftData

// The requests of `DataStore`, for programs that use the store directly. Containers do not use them.

extension PostgresStore {
  private var requests: SnapshotRequests {
    SnapshotRequests(ContainerCore(VersionLayout(schema: schema, layout: layout), store: self))
  }

  /// Fetches the models of a request, with the relationships to prefetch.
  /// - Throws: `SwiftDataError` as `ModelContext.fetch(_:)`.
  /// - Complexity: one statement, and one per to-many relationship.
  public func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> { try requests.fetch(request) }

  /// Counts the models of a request.
  /// - Throws: as ``fetch(_:)``.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try requests.fetchCount(request)
  }

  /// Fetches the identifiers of the models of a request, in order.
  /// - Throws: as ``fetch(_:)``.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] { try requests.fetchIdentifiers(request) }

  /// Reads the snapshots of some models. The store has no cache.
  /// - Throws: `SwiftDataError`.
  /// - Complexity: one statement per class, and one per to-many relationship.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try requests.snapshots(for: persistentIdentifiers, editingState: editingState)
  }

  /// Writes all of a request in one transaction, or nothing. A new model whose unique value is taken updates the stored
  /// model and gets its identifier.
  /// - Throws: `SwiftDataError` as `ModelContext.save()`.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> { try requests.save(request) }
}
