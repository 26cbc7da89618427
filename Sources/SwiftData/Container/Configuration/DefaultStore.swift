import Foundation

extension ModelConfiguration: DataStoreConfiguration {
  /// The type of store that the configuration opens.
  public typealias Store = DefaultStore
}

// @unchecked Sendable because it is immutable with Sendable contents, and each request has its own context.
/// The default store: a SQLite file, or memory.
///
/// Containers use it without snapshots. Opened directly with a configuration that has a schema, it is an ordinary
/// ``DataStore``, for stores that forward requests to it. (Apple's documentation, `DefaultStore`.)
public final class DefaultStore: DataStore, DataStoreBatching, HistoryProviding, @unchecked Sendable {
  /// The type of its configuration.
  public typealias Configuration = ModelConfiguration
  /// The type of its snapshots.
  public typealias Snapshot = DefaultSnapshot
  /// The type of its transactions.
  public typealias HistoryType = DefaultHistoryTransaction
  /// The type of its positions in the history.
  public typealias TokenType = DefaultHistoryToken

  /// The configuration that opened the store.
  public let configuration: ModelConfiguration
  /// The models in the store.
  public let schema: Schema
  /// The identifier of the store, which its file records.
  public var identifier: String { core.stores[0].identifier }
  /// The name of its configuration.
  public var name: String { configuration.name }

  private let core: ContainerCore

  /// Opens the store, and migrates it if its schema differs.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` if the configuration has no schema, and as
  ///   ``ModelContainer``.
  public init(_ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil) throws {
    guard let schema = configuration.schema else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message:
          "the configuration \"\(configuration.name)\" has no schema, but a store that is opened without a container"
          + " needs one; set its schema")
    }
    self.configuration = configuration
    self.schema = schema
    self.core = try ContainerCore.open(
      schema: schema, configurations: [configuration], migrationPlan: migrationPlan
    ).core
  }

  /// Closes the store and removes its files.
  /// - Throws: an error of the file system.
  public func erase() throws { try core.stores[0].erase() }

  /// Does nothing, because the store has no state for contexts.
  public func initializeState(for editingState: EditingState) {}

  /// Does nothing, because the store has no state for contexts.
  public func invalidateState(for editingState: EditingState) {}

  private var requests: SnapshotRequests { SnapshotRequests(core) }

  // MARK: - Fetching

  /// Fetches the models of a request, with the relationships to prefetch.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)``.
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
  /// - Throws: an error of the store.
  /// - Complexity: one statement per class, and one per to-many relationship.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try requests.snapshots(for: persistentIdentifiers, editingState: editingState)
  }

  // MARK: - Saving

  /// Writes all of a request in one transaction, or nothing. A new model whose unique value is taken updates the stored
  /// model and gets its identifier, unless the configuration throws instead.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/save()``.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> { try requests.save(request) }

  /// Deletes the matching models, following delete rules.
  /// - Throws: ``SwiftDataError`` as ``ModelContext/save()``.
  public func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    try requests.delete(request)
  }

  // MARK: - History

  /// Fetches the saves that match a descriptor.
  /// - Throws: as ``ModelContext/fetchHistory(_:)``.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try core.stores[0].fetchHistory(descriptor, core.tables) ?? []
  }

  /// Deletes the saves that match a descriptor from the history.
  /// - Throws: as ``ModelContext/deleteHistory(_:)``.
  public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    _ = try core.stores[0].deleteHistory(descriptor, core.tables)
  }
}
