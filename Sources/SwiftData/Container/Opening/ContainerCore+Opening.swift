extension ContainerCore {
  /// Opens the stores of configurations.
  /// - Returns: the core, and what opening the stores changed.
  static func open(
    schema: Schema, configurations: [any DataStoreConfiguration],
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> (core: ContainerCore, migrations: [ModelContainer.MigrationSummary]) {
    let targets = try targets(schema: schema, configurations: configurations, migrationPlan: migrationPlan)
    let spans = Spans()
    let opened = try targets.stores.map { target in
      guard let spans else { return try target.open() }
      return try spans.span(
        "open", .internal, ["swiftdata.store": .text(target.name)],
        results: { $0.migration.map { ["swiftdata.migration.steps": .number($0.steps.count)] } ?? [:] }, target.open)
    }
    let stores = opened.map(\.store)
    try attachPacks(targets, stores)
    return (
      ContainerCore(schema, tables: targets.tables, stores: stores),
      opened.compactMap(\.migration).filter { !$0.isEmpty }
    )
  }

  /// The models that each store has to hold after opening.
  struct Targets {
    /// One for each entity, in the store that objects are inserted into.
    let tables: [EntityTable]
    /// The stores that are only read besides, for those that have some.
    let packs: [(table: EntityTable, stores: [Int])]
    let stores: [StoreTarget]
  }

  /// Returns the target of each store.
  static func targets(
    schema: Schema, configurations: [any DataStoreConfiguration], migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> Targets {
    let configurations = configurations.isEmpty ? [ModelConfiguration(schema: schema)] : configurations
    let assignment = try StoreAssignment(schema: schema, configurations: configurations)
    let tables = EntityTable.tables(of: schema, store: assignment.store) {
      (configurations[$0] as? any EncryptedConfiguration)?.columnCoding
    }
    for table in tables { try table.validateCodecs() }
    let owners = Dictionary(tables.map { ($0.entity.name, $0.store) }, uniquingKeysWith: { first, _ in first })
    // The same tables once more, for the packs.
    let others = assignment.hasPacks ? EntityTable.tables(of: schema, store: assignment.store) : []
    let stores = configurations.enumerated().map { index, configuration -> StoreTarget in
      let members =
        tables.filter { $0.store == index }
        + others.filter { assignment.packs(of: $0.entity).contains(index) }
      let own = schema.part(members.map(\.entity.type))
      guard let model = configuration as? ModelConfiguration else {
        return .custom(configuration, own, members, migrationPlan)
      }
      return .sqlite(
        MigrationTarget(
          configuration: model, current: VersionLayout(schema: own, layout: StoreLayout(tables: members)),
          plan: migrationPlan,
          hasPacks: tables.contains { $0.store == index && !assignment.packs(of: $0.entity).isEmpty },
          keeps: { name in
            if members.contains(where: { $0.entity.name == name }) { return true }
            return owners[name].map { $0 == index } ?? (configurations.count == 1 ? true : nil)
          }))
    }
    let packs = tables.map { (table: $0, stores: assignment.packs(of: $0.entity)) }.filter { !$0.stores.isEmpty }
    return Targets(tables: tables, packs: packs, stores: stores)
  }

  /// Attaches its packs to each store.
  static func attachPacks(_ targets: Targets, _ stores: [any EngineStore]) throws {
    for (index, store) in stores.enumerated() {
      let own = targets.packs.filter { $0.table.store == index }
      guard !own.isEmpty, let store = store as? SQLiteStore else { continue }
      let packs = Set(own.flatMap(\.stores)).sorted().compactMap { pack in
        (stores[pack] as? SQLiteStore).map { file in
          (store: file, tables: own.filter { $0.stores.contains(pack) }.map(\.table))
        }
      }
      try store.attach(packs)
    }
  }
}
