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

  private var requests: SnapshotRequests { SnapshotRequests(core) }

  // MARK: - Fetching

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
  /// - Throws: an error of the store.
  /// - Complexity: one statement for each class, and one for each to-many relationship.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try requests.snapshots(for: persistentIdentifiers, editingState: editingState)
  }

  // MARK: - Saving

  /// Writes all of a request in one transaction, or nothing. A new model whose unique value is taken is written over the
  /// stored one, whose identifier it gets, unless the configuration refuses that.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/save()`` does.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> { try requests.save(request) }

  /// Deletes the models that match, with what their delete rules take along.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/save()`` does.
  public func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    try requests.delete(request)
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
