public import SwiftData

// The requests of `DataStore`, for programs that speak to the store themselves. Containers do not use them.

extension PostgresStore {
  private var requests: SnapshotRequests {
    SnapshotRequests(ContainerCore(VersionLayout(schema: schema, layout: layout), store: self))
  }

  /// The models that a request asks for; with those of the relationships that it wants prefetched.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)`` does.
  /// - Complexity: one statement, and one for each to-many relationship.
  public func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> { try requests.fetch(request) }

  /// How many models a request asks for.
  /// - Throws: as ``fetch(_:)``.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try requests.fetchCount(request)
  }

  /// The identifiers of the models that a request asks for, in order.
  /// - Throws: as ``fetch(_:)``.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] { try requests.fetchIdentifiers(request) }

  /// The snapshots of some models. The store keeps none at hand and reads them.
  /// - Throws: ``SwiftDataError``.
  /// - Complexity: one statement for each class, and one for each to-many relationship.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try requests.snapshots(for: persistentIdentifiers, editingState: editingState)
  }

  /// Writes all of a request in one transaction, or nothing. A new model whose unique value is taken is written over the
  /// stored one, whose identifier it gets.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/save()`` does.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> { try requests.save(request) }
}
