import Foundation
import Logging
import Synchronization

/// The stores of an app's models, and the way to them.
///
/// A container is `Sendable`: hand it to actors and tasks, and let each make its own ``ModelContext``.
/// (Apple's documentation, `ModelContainer`.)
public final class ModelContainer: Equatable, Sendable {
  /// The schema: the models that were named and all that they reach through relationships.
  public var schema: Schema { core.schema }

  /// The plan that leads older stores to this schema, if one was given.
  public let migrationPlan: (any SchemaMigrationPlan.Type)?

  /// The configurations of the default stores.
  public var configurations: Set<ModelConfiguration> { Set(core.sqliteStores.map(\.configuration)) }

  /// What opening the stores did to them; empty where none needed a migration. (Not Apple's.)
  public var migrations: [ModelContainer.MigrationSummary] { core.stores.map(\.migration).filter { !$0.isEmpty } }

  package let core: ContainerCore
  /// Held here and not by the core, which contexts hold.
  private let main = MainContextBox()

  @MainActor private final class MainContextBox {
    nonisolated init() {}
    var context: ModelContext?
  }

  /// Opens the stores for a schema.
  /// - Parameter configurations: one for each store; none means one store at the default place.
  /// - Throws: ``SwiftDataError`` where a configuration or the schema is invalid or a store cannot be opened; the file
  ///   of such a store is left untouched.
  public init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration] = []
  ) throws {
    self.migrationPlan = migrationPlan
    self.core = try ContainerCore(
      schema: schema, configurations: configurations, migrationPlan: migrationPlan)
    register()
  }

  /// Opens stores of any kind for a schema.
  /// - Parameter configurations: one for each store. A store whose configuration names no schema keeps what the others
  ///   leave.
  /// - Throws: as ``init(for:migrationPlan:configurations:)-(Schema,_,[ModelConfiguration])``, and what opening a store
  ///   throws.
  @_disfavoredOverload
  public init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [any DataStoreConfiguration]
  ) throws {
    self.migrationPlan = migrationPlan
    self.core = try ContainerCore(schema: schema, configurations: configurations, migrationPlan: migrationPlan)
    register()
  }

  private func register() {
    core.container.withLock { $0.container = self }
    RemoteChange.register(core)
  }

  /// Opens stores of any kind for a schema.
  /// - Throws: as ``init(for:migrationPlan:configurations:)-(Schema,_,[any DataStoreConfiguration])``.
  @_disfavoredOverload
  public convenience init(for schema: Schema, configurations: any DataStoreConfiguration...) throws {
    try self.init(for: schema, configurations: configurations)
  }

  /// Opens stores of any kind for some models and all that they reach.
  /// - Throws: as ``init(for:migrationPlan:configurations:)-(Schema,_,[any DataStoreConfiguration])``.
  @_disfavoredOverload
  public convenience init(
    for types: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(for: Schema(types), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores for a schema.
  /// - Throws: as ``init(for:migrationPlan:configurations:)-(Schema,_,[ModelConfiguration])``.
  public convenience init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
  ) throws {
    try self.init(for: schema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores for some models and all that they reach.
  /// - Throws: as ``init(for:migrationPlan:configurations:)-(Schema,_,[ModelConfiguration])``.
  public convenience init(
    for types: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: Schema(types), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores for a list of models: the form of the seeds.
  /// - Throws: as ``init(for:migrationPlan:configurations:)-(Schema,_,[ModelConfiguration])``.
  public convenience init(
    for types: [any PersistentModel.Type], migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration] = []
  ) throws {
    try self.init(for: Schema(types), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// What opening the stores would do to them, without doing it: a step for each stage of the plan, with the changes
  /// of each. What depends on the rows (a value that has no room, duplicates of something unique) is found when the
  /// stores are opened. (Not Apple's.)
  /// - Returns: one summary for each store; empty ones for stores that are new or need no migration.
  /// - Throws: ``SwiftDataError`` where a store cannot be read or its schema is not known to the plan.
  public static func migrationPreview(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration] = []
  ) throws -> [ModelContainer.MigrationSummary] {
    let targets = try ContainerCore.targets(
      schema: schema, configurations: configurations, migrationPlan: migrationPlan)
    return try targets.stores.compactMap { target in
      guard case .sqlite(let target) = target else { return nil }
      return ModelContainer.MigrationSummary(
        configuration: target.configuration.name, steps: try StoreOpening.preview(target))
    }
  }

  /// The same for some models and all that they reach.
  /// - Throws: as ``migrationPreview(for:migrationPlan:configurations:)-(Schema,_,_)``.
  public static func migrationPreview(
    for types: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws -> [ModelContainer.MigrationSummary] {
    try migrationPreview(for: Schema(types), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// The container of a context whose own container is gone.
  package init(core: ContainerCore) {
    self.core = core
    self.migrationPlan = nil
  }

  /// The context of the main actor, which saves by itself.
  @MainActor public var mainContext: ModelContext {
    if let context = main.context { return context }
    let context = ModelContext(mainOf: self)
    context.autosaveEnabled = true
    main.context = context
    return context
  }

  /// Posted when somebody else saved to a store of a container: another process, or another container over the same
  /// file. The object is the container; the user info has the store's identifier under `"storeIdentifier"`. Posted on a
  /// thread of its own, within some tenths of a second. Naming it makes every container watch its stores from then on.
  /// (Apple's documentation, `ModelContainer.remoteChange`; the user info is ours.)
  public static var remoteChange: Notification.Name {
    RemoteChange.want()
    return RemoteChange.name
  }

  /// Removes all objects of all stores. Objects in memory are not touched.
  ///
  /// It does not throw, as Apple's does not. A store that cannot be written keeps its objects, which is logged as an error
  /// (swift-log, `SwiftData.Container`); ``erase()`` throws.
  public func deleteAllData() {
    for store in core.stores {
      do {
        try store.deleteAllRows()
      } catch {
        Self.logger.error("deleteAllData() left the store \"\(store.name)\" as it was: \(error)")
      }
    }
    var changes = SavedChanges()
    changes.isEverything = true
    core.announce(changes, from: nil)
  }

  private static let logger = Logger(label: "SwiftData.Container")

  /// Closes the stores and removes their files; the container and its contexts cannot be used afterwards.
  /// - Throws: an error of the file system.
  public func erase() throws {
    for store in core.stores { try store.erase() }
  }

  /// Two containers are equal when they are the same object.
  public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool { lhs.core === rhs.core }
}
