/// The target state of a store at opening.
enum StoreTarget {
  case sqlite(MigrationTarget)
  /// A custom store with the models that it keeps.
  case custom(any DataStoreConfiguration, Schema, [EntityTable], (any SchemaMigrationPlan.Type)?)

  /// The name of the configuration.
  var name: String {
    switch self {
    case .sqlite(let target): target.configuration.name
    case .custom(let configuration, _, _, _): configuration.name
    }
  }

  /// Opens the store. The summary is nil if the store cannot tell what opening it changed.
  func open() throws -> (store: any EngineStore, migration: ModelContainer.MigrationSummary?) {
    switch self {
    case .sqlite(let target): return try StoreOpening.open(target)
    case .custom(let configuration, let schema, let tables, let plan):
      let store = try Self.open(configuration, schema, tables, plan)
      return (store, (store as? any MigratedStore)?.migration)
    }
  }

  private static func open<C: DataStoreConfiguration>(
    _ configuration: C, _ schema: Schema, _ tables: [EntityTable], _ plan: (any SchemaMigrationPlan.Type)?
  ) throws -> any EngineStore {
    var configuration = configuration
    if configuration.schema == nil { configuration.schema = schema }
    let entities = Dictionary(tables.map { ($0.entity.name, $0.entity) }, uniquingKeysWith: { first, _ in first })
    SnapshotEntities.register(entities)
    let base = try SnapshotEntities.$current.withValue(entities) { try C.Store(configuration, migrationPlan: plan) }
    // A store of another module of this package conforms to the engine's protocol itself.
    if let store = base as? any SQLStore { return store }
    return SnapshotStore(base, entities: entities)
  }
}
