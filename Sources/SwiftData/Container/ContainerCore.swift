import Foundation
import Synchronization

/// What a container and its contexts share: the schema, the tables and the stores.
///
/// Contexts hold the core, not the container, so that objects stay readable for as long as anybody holds them.
// @unchecked Sendable because all but the locked contexts is immutable.
package final class ContainerCore: @unchecked Sendable {
  package let schema: Schema
  package let stores: [SQLiteStore]
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
    schema: Schema, configurations: [ModelConfiguration], migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    let targets = try Self.targets(schema: schema, configurations: configurations, migrationPlan: migrationPlan)
    self.init(schema, tables: targets.tables, stores: try targets.stores.map { try SQLiteStore($0) })
  }

  /// The core of a context that a migration's stage gets.
  convenience init(_ version: VersionLayout, store: SQLiteStore) {
    self.init(version.schema, tables: version.layout.tables, stores: [store])
  }

  /// A core without stores and models.
  convenience init() { self.init(Schema(), tables: [], stores: []) }

  private init(_ schema: Schema, tables: [EntityTable], stores: [SQLiteStore]) {
    self.schema = schema
    self.stores = stores
    self.tablesByEntity = Dictionary(uniqueKeysWithValues: tables.map { (ObjectIdentifier($0.entity), $0) })
    self.tablesByName = Dictionary(tables.map { ($0.entity.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.rootCount = Set(tables.map(\.root)).count
  }

  /// What each store has to become.
  static func targets(
    schema: Schema, configurations: [ModelConfiguration], migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> (tables: [EntityTable], stores: [MigrationTarget]) {
    let configurations = configurations.isEmpty ? [ModelConfiguration(schema: schema)] : configurations
    let assignment = try StoreAssignment(schema: schema, configurations: configurations)
    let tables = EntityTable.tables(of: schema, store: assignment.store)
    let owners = Dictionary(tables.map { ($0.entity.name, $0.store) }, uniquingKeysWith: { first, _ in first })
    let stores = configurations.enumerated().map { index, configuration in
      let members = tables.filter { $0.store == index }
      return MigrationTarget(
        configuration: configuration,
        current: VersionLayout(
          schema: Schema(members.map(\.entity.type), version: schema.version), layout: StoreLayout(tables: members)),
        plan: migrationPlan,
        keeps: { name in owners[name].map { $0 == index } ?? (configurations.count == 1 ? true : nil) })
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

  package func store(of table: EntityTable) -> SQLiteStore { stores[table.store] }

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

/// Which configuration keeps which entity.
struct StoreAssignment {
  private var stores: [ObjectIdentifier: Int] = [:]

  /// - Throws: ``SwiftDataError/duplicateConfiguration`` and what the `validate()` of schema and configurations finds.
  init(schema: Schema, configurations: [ModelConfiguration]) throws {
    try schema.validate()
    var names = Set<String>()
    var files = Set<URL>()
    for configuration in configurations {
      try configuration.validate()
      guard names.insert(configuration.name).inserted else {
        throw SwiftDataError(
          .duplicateConfiguration,
          message: "two configurations are named \"\(configuration.name)\"; give each its own name")
      }
      let file = configuration.url.standardizedFileURL
      guard configuration.isStoredInMemoryOnly || files.insert(file).inserted else {
        throw SwiftDataError(
          .duplicateConfiguration,
          message: "two configurations use the file \(file.path); give each its own")
      }
    }
    let entities = schema.runtimeEntities
    for (index, configuration) in configurations.enumerated() {
      guard let named = configuration.schema else { continue }
      for entity in named.runtimeEntities {
        guard entities.contains(where: { $0 === entity }) else {
          throw SwiftDataError(
            .configurationSchemaNotFoundInContainerSchema, entity: entity.name,
            message: "the configuration \"\(configuration.name)\" names it, the container's schema does not")
        }
        if let other = stores.updateValue(index, forKey: ObjectIdentifier(entity)) {
          throw SwiftDataError(
            .loadIssueModelContainer, entity: entity.name,
            message: "the configurations \"\(configurations[other].name)\" and \"\(configuration.name)\" both keep the"
              + " model, by name or through a relationship; let one of them keep it")
        }
      }
      if configuration.cloudKitContainerIdentifier != nil { try CloudKitRules.check(named) }
    }
    let fallback = configurations.firstIndex { $0.schema == nil }
    if let fallback, configurations[fallback].cloudKitContainerIdentifier != nil {
      try CloudKitRules.check(schema)
    }
    for entity in entities where stores[ObjectIdentifier(entity)] == nil {
      guard let store = fallback ?? (configurations.count == 1 ? 0 : nil) else {
        throw SwiftDataError(
          .loadIssueModelContainer, entity: entity.name,
          message: "no configuration keeps the model; name it in the schema of one of them")
      }
      stores[ObjectIdentifier(entity)] = store
    }
    try checkRelationships(entities)
  }

  func store(of entity: __Entity) -> Int { stores[ObjectIdentifier(entity)]! }

  /// A relationship cannot lead from one store to another.
  private func checkRelationships(_ entities: [__Entity]) throws {
    for entity in entities {
      for property in entity.properties {
        guard let destination = property.destination?.__entity else { continue }
        if stores[ObjectIdentifier(destination)] != stores[ObjectIdentifier(entity)] {
          throw SwiftDataError(
            .loadIssueModelContainer, entity: entity.name, property: property.name,
            message: "the relationship leads to \(destination.name), which another configuration keeps; keep both in"
              + " one store")
        }
      }
    }
  }
}
