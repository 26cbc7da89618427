import Synchronization

/// What a container and its contexts share: the schema, the tables and the stores.
///
/// Contexts hold the core, not the container, so that objects stay readable for as long as anybody holds them.
// @unchecked Sendable because all but the locked contexts is immutable.
package final class ContainerCore: @unchecked Sendable {
  package let schema: Schema
  package let stores: [any EngineStore]
  /// What is done about contexts in the wrong hands.
  let misuse: ConcurrencyMisuse
  /// The same by what they are asked.
  private let kinds: [StoreKind]
  private let tablesByEntity: [ObjectIdentifier: EntityTable]
  private let tablesByName: [String: EntityTable]
  /// The number of class hierarchies; `EntityTable.root` counts them.
  package let rootCount: Int
  private let contexts = Mutex<[WeakContext]>([])
  /// The container, for the notifications that it posts.
  let container = Mutex(WeakContainer())
  let currentWatch = Mutex(WeakWatch())
  private let keptWatch = Mutex<StoreWatch?>(nil)

  /// A context as other threads may see it: only its inbox, which is locked.
  private struct WeakContext: Sendable { weak var inbox: ContextInbox? }

  struct WeakContainer: Sendable { weak var container: ModelContainer? }
  struct WeakWatch: Sendable { weak var watch: StoreWatch? }

  convenience init(
    schema: Schema, configurations: [any DataStoreConfiguration],
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    let targets = try Self.targets(schema: schema, configurations: configurations, migrationPlan: migrationPlan)
    self.init(schema, tables: targets.tables, stores: try targets.stores.map { try $0.open() })
  }

  /// The core of contexts over a store that is open: of a migration's stage, or of a request.
  package convenience init(_ version: VersionLayout, store: any EngineStore) {
    self.init(version.schema, tables: version.layout.tables, stores: [store])
  }

  /// A core without stores and models.
  package convenience init() { self.init(Schema(), tables: [], stores: []) }

  private init(_ schema: Schema, tables: [EntityTable], stores: [any EngineStore]) {
    self.schema = schema
    self.stores = stores
    let traps = stores.contains { ($0 as? SQLiteStore)?.configuration.trapsOnConcurrencyMisuse == true }
    self.misuse = ConcurrencyMisuse(trapsOnMisuse: traps)
    self.kinds = stores.map(StoreKind.init)
    self.tablesByEntity = Dictionary(uniqueKeysWithValues: tables.map { (ObjectIdentifier($0.entity), $0) })
    self.tablesByName = Dictionary(tables.map { ($0.entity.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.rootCount = Set(tables.map(\.root)).count
  }

  /// What each store has to become.
  static func targets(
    schema: Schema, configurations: [any DataStoreConfiguration], migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> (tables: [EntityTable], stores: [StoreTarget]) {
    let configurations = configurations.isEmpty ? [ModelConfiguration(schema: schema)] : configurations
    let assignment = try StoreAssignment(schema: schema, configurations: configurations)
    let tables = EntityTable.tables(of: schema, store: assignment.store) { index in
      (configurations[index] as? ModelConfiguration)?.encryptionKey != nil
    }
    for table in tables { try table.validateEncryption() }
    let owners = Dictionary(tables.map { ($0.entity.name, $0.store) }, uniquingKeysWith: { first, _ in first })
    let stores = configurations.enumerated().map { index, configuration -> StoreTarget in
      let members = tables.filter { $0.store == index }
      let own = Schema(members.map(\.entity.type), version: schema.version)
      guard let model = configuration as? ModelConfiguration else {
        return .custom(configuration, own, members, migrationPlan)
      }
      return .sqlite(
        MigrationTarget(
          configuration: model, current: VersionLayout(schema: own, layout: StoreLayout(tables: members)),
          plan: migrationPlan,
          keeps: { name in owners[name].map { $0 == index } ?? (configurations.count == 1 ? true : nil) }))
    }
    return (tables, stores)
  }

  /// The table of an entity.
  /// - Throws: ``SwiftDataError/unknownSchema`` where the container does not know the model.
  package func table(for entity: __Entity) throws -> EntityTable {
    guard let table = tablesByEntity[ObjectIdentifier(entity)] else {
      throw SwiftDataError(
        .unknownSchema, entity: entity.name,
        message: "the model is not in the container's schema; name it in ModelContainer(for:)")
    }
    return table
  }

  package func table(named name: String) -> EntityTable? { tablesByName[name] }

  package func store(of table: EntityTable) -> any EngineStore { stores[table.store] }

  package func kind(of table: EntityTable) -> StoreKind { kinds[table.store] }

  /// The stores whose rows a fetch reads into registered objects too.
  var refreshingStores: Set<Int> {
    Set(kinds.indices.filter { if case .sql(let store) = kinds[$0] { store.refreshesOnFetch } else { false } })
  }

  /// The store of a table, for operations that take statements.
  /// - Parameter feature: what the operation is, for the error.
  /// - Throws: ``SwiftDataError/unsupportedFeature``.
  package func sqlStore(of table: EntityTable, for feature: String = "statements") throws -> any SQLStore {
    if case .sql(let store) = kinds[table.store] { return store }
    throw SwiftDataError(
      .unsupportedFeature, entity: table.entity.name,
      message: "its store \"\(stores[table.store].name)\" does not speak SQL and does not offer \(feature)")
  }

  /// Runs a save while no other context saves to a store that cannot merge what two contexts save at a time.
  func exclusively<T>(_ body: () throws -> T) throws -> T {
    func run(_ stores: ArraySlice<any EngineStore>) throws -> T {
      guard let store = stores.first else { return try body() }
      return try store.exclusively { try run(stores.dropFirst()) }
    }
    return try run(stores[...])
  }

  var allTables: [EntityTable] { Array(tablesByEntity.values) }

  // MARK: - Contexts

  func register(_ inbox: ContextInbox) {
    contexts.withLock { contexts in
      contexts.removeAll { $0.inbox == nil }
      contexts.append(WeakContext(inbox: inbox))
    }
  }

  /// Watches the stores for as long as the container lives.
  func keepWatch() {
    let watch = watch()
    keptWatch.withLock { $0 = watch }
  }

  /// Tells the other contexts what was saved.
  /// - Parameter sender: nil where somebody outside saved.
  func announce(_ changes: SavedChanges, from sender: ContextInbox?) {
    for context in contexts.withLock({ $0 }) {
      if let inbox = context.inbox, inbox !== sender { inbox.deliver(changes) }
    }
  }
}

/// A store by what it is asked.
package enum StoreKind {
  /// Statements.
  case sql(any SQLStore)
  /// Requests for objects.
  case objects(any ObjectStore)

  init(_ store: any EngineStore) {
    switch store {
    case let store as any SQLStore: self = .sql(store)
    case let store as any ObjectStore: self = .objects(store)
    default: preconditionFailure("every store of this package is of one of the two kinds")
    }
  }
}
