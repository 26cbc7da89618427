/// The state that a container shares with its contexts: the schema, the tables and the stores.
///
/// Contexts hold the core, not the container, so that objects stay readable as long as they live.
// @unchecked Sendable because everything but the locked contexts is immutable.
package final class ContainerCore: @unchecked Sendable {
  package let schema: Schema
  package let stores: [any EngineStore]
  /// Reports misuse of contexts.
  let misuse: ConcurrencyMisuse
  /// Nil without a metrics backend.
  let metrics = ContextMetrics()
  /// Nil without a tracer.
  package let spans = Spans()
  /// The stores by kind.
  private let kinds: [StoreKind]
  package let tables: TableCatalog
  /// The contexts as other threads see them: only their inboxes, which are locked.
  private let contexts = Lock(WeakList<ContextInbox>())
  /// The container, for its notifications.
  let container = Lock(WeakContainer())
  let currentWatch = Lock(WeakWatch())
  private let keptWatch = Lock<StoreWatch?>(nil)

  struct WeakContainer: Sendable { weak var container: (any AnyObject & Sendable)? }
  struct WeakWatch: Sendable { weak var watch: StoreWatch? }

  /// Makes the core for contexts over an open store: of a migration's stage, or of a request.
  package convenience init(_ version: VersionLayout, store: any EngineStore) {
    self.init(version.schema, tables: version.layout.tables, stores: [store])
  }

  /// Makes a core without stores and models.
  package convenience init() { self.init(Schema(), tables: [], stores: []) }

  init(_ schema: Schema, tables: [EntityTable], stores: [any EngineStore]) {
    self.schema = schema
    self.stores = stores
    self.misuse = ConcurrencyMisuse(trapsOnMisuse: stores.contains(where: \.trapsOnConcurrencyMisuse))
    self.kinds = stores.map(StoreKind.init)
    self.tables = TableCatalog(tables)
  }

  /// The table of an entity.
  /// - Throws: ``SwiftDataError/unknownSchema`` if the container does not have the model.
  package func table(for entity: __Entity) throws -> EntityTable { try tables.table(for: entity) }

  package func table(named name: String) -> EntityTable? { tables.table(named: name) }

  package func store(of table: EntityTable) -> any EngineStore { stores[table.store] }

  package func kind(of table: EntityTable) -> StoreKind { kinds[table.store] }

  /// The stores whose fetches also update registered objects.
  var refreshingStores: Set<Int> {
    Set(kinds.indices.filter { if case .sql(let store) = kinds[$0] { store.refreshesOnFetch } else { false } })
  }

  /// The store of a table as an SQL store.
  /// - Parameter feature: the name of the operation for the error.
  /// - Throws: ``SwiftDataError/unsupportedFeature``.
  package func sqlStore(of table: EntityTable, for feature: String = "statements") throws -> any SQLStore {
    if case .sql(let store) = kinds[table.store] { return store }
    throw SwiftDataError(
      .unsupportedFeature, entity: table.entity.name,
      message: "its store \"\(stores[table.store].name)\" does not support \(feature), which needs a SQLite"
        + " or PostgreSQL store")
  }

  /// Runs a save. No other context saves meanwhile to a store that cannot merge concurrent saves.
  func exclusively<T>(_ body: () throws -> T) throws -> T {
    func run(_ stores: ArraySlice<any EngineStore>) throws -> T {
      guard let store = stores.first else { return try body() }
      return try store.exclusively { try run(stores.dropFirst()) }
    }
    return try run(stores[...])
  }

  // MARK: - Contexts

  func register(_ inbox: ContextInbox) {
    let others = contexts.withLock { $0.append(inbox) }
    withExtendedLifetime(others) {}
  }

  /// Ends deliveries to an inbox. Objects of an ended context keep its inbox alive.
  func unregister(_ inbox: ContextInbox) {
    let others = contexts.withLock { $0.remove(inbox) }
    withExtendedLifetime(others) {}
    _ = inbox.takeAll()
  }

  /// Watches the stores as long as the container lives.
  func keepWatch() {
    let watch = watch()
    let former = keptWatch.withLock { kept in
      defer { kept = watch }
      return kept
    }
    withExtendedLifetime(former) {}
  }

  /// Informs the other contexts about a save.
  /// - Parameter sender: nil for an external commit.
  func announce(_ changes: SavedChanges, from sender: ContextInbox?) {
    for inbox in contexts.withLock({ $0.all }) where inbox !== sender { inbox.deliver(changes) }
  }
}

/// A store by kind.
package enum StoreKind {
  /// A store that runs statements.
  case sql(any SQLStore)
  /// A store that answers requests for objects.
  case objects(any ObjectStore)

  init(_ store: any EngineStore) {
    switch store {
    // First, because a cast to a class does not search conformances.
    case let store as SQLiteStore: self = .sql(store)
    case let store as any SQLStore: self = .sql(store)
    case let store as any ObjectStore: self = .objects(store)
    default: preconditionFailure("every store of this package is of one of the two kinds")
    }
  }
}

extension ContainerCore {
  /// The SQLite stores, for operations that only they support.
  package var sqliteStores: [SQLiteStore] { stores.compactMap { $0 as? SQLiteStore } }
}
