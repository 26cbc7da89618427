import Foundation
import Logging

/// The stores of an app's models.
///
/// A container is `Sendable`. Pass it to actors and tasks, and make a ``ModelContext`` in each. (Apple's documentation,
/// `ModelContainer`.)
public final class ModelContainer: Equatable, Sendable {
  /// The schema: the listed models and all models that their relationships reach.
  public var schema: Schema { core.schema }

  /// The plan that migrates older stores to this schema, or nil.
  public let migrationPlan: (any SchemaMigrationPlan.Type)?

  /// The configurations of the default stores.
  public var configurations: Set<ModelConfiguration> { Set(core.sqliteStores.map(\.configuration)) }

  /// The identifier of the store that a configuration opened; nil without a configuration of that name. (Apple's documentation,
  /// `ModelContainer.storeIdentifier(forConfigurationNamed:)`.)
  public func storeIdentifier(forConfigurationNamed name: String) -> String? {
    core.stores.first { $0.name == name }?.identifier
  }

  /// The name of the configuration that opened a store; nil if the container has no such store. (Apple's documentation,
  /// `ModelContainer.configurationName(forStoreIdentifier:)`.)
  public func configurationName(forStoreIdentifier identifier: String) -> String? {
    core.stores.first { $0.identifier == identifier }?.name
  }

  /// The migrations that opening the stores performed. Empty if there were none. (Not Apple's.)
  public var migrations: [ModelContainer.MigrationSummary] { openingMigrations }
  private let openingMigrations: [ModelContainer.MigrationSummary]

  package let core: ContainerCore
  /// The container holds it, because contexts hold the core.
  private let main = MainContextBox()

  @MainActor private final class MainContextBox {
    nonisolated init() {}
    var context: ModelContext?
  }

  /// Opens the stores for a schema.
  /// - Parameters:
  ///   - schema: the models.
  ///   - migrationPlan: the versions of the schema and the stages between them.
  ///   - configurations: one per store. Without any, there is one store at the default location.
  /// - Throws: ``SwiftDataError`` if a configuration or the schema is invalid, or a store cannot be opened. Its file is
  ///   then unchanged.
  public init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration] = []
  ) throws {
    self.migrationPlan = migrationPlan
    (core, openingMigrations) = try ContainerCore.open(
      schema: schema, configurations: configurations, migrationPlan: migrationPlan)
    register()
  }

  /// Opens stores of any kind for a schema.
  /// - Parameters:
  ///   - schema: the models.
  ///   - migrationPlan: the versions of the schema and the stages between them.
  ///   - configurations: one per store. A store without a schema keeps the models that the others leave.
  /// - Throws: as ``init(for:migrationPlan:configurations:)-(Schema,_,[ModelConfiguration])``, and errors of opening a
  ///   store.
  @_disfavoredOverload
  public init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [any DataStoreConfiguration]
  ) throws {
    self.migrationPlan = migrationPlan
    (core, openingMigrations) = try ContainerCore.open(
      schema: schema, configurations: configurations, migrationPlan: migrationPlan)
    register()
  }

  private func register() {
    core.container.withLock { $0.container = self }
    RemoteChange.register(core)
    if let sync = ContainerSync.current.withLock({ $0 }) { sync.didOpen(self) }
  }

  /// Opens stores of any kind for a schema.
  /// - Throws: as ``init(for:migrationPlan:configurations:)-(_,_,[DataStoreConfiguration])``.
  @_disfavoredOverload
  public convenience init(for schema: Schema, configurations: any DataStoreConfiguration...) throws {
    try self.init(for: schema, configurations: configurations)
  }

  /// Opens stores of any kind for some models and all models that they reach.
  /// - Throws: as ``init(for:migrationPlan:configurations:)-(_,_,[DataStoreConfiguration])``.
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

  /// Opens the stores for some models and all models that they reach.
  /// - Throws: as ``init(for:migrationPlan:configurations:)-(Schema,_,[ModelConfiguration])``.
  public convenience init(
    for types: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: Schema(types), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores for an array of models, a form that some articles about SwiftData use. Apple's compiler refuses it: list
  /// the models, or pass a ``Schema``.
  /// - Throws: as ``init(for:migrationPlan:configurations:)-(Schema,_,[ModelConfiguration])``.
  public convenience init(
    for types: [any PersistentModel.Type], migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration] = []
  ) throws {
    try self.init(for: Schema(types), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Describes what opening the stores would do, without doing it: one step per stage of the plan, with its changes.
  /// Problems that depend on rows (a value that does not fit, duplicates of a unique value) appear only at opening.
  /// (Not Apple's.)
  /// - Returns: one summary per store. It is empty for a new store and for one that needs no migration.
  /// - Throws: ``SwiftDataError`` if a store cannot be read or the plan does not know its schema.
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

  /// Describes what opening the stores would do for some models and all models that they reach, without doing it.
  /// - Throws: as ``migrationPreview(for:migrationPlan:configurations:)-(Schema,_,_)``.
  public static func migrationPreview(
    for types: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws -> [ModelContainer.MigrationSummary] {
    try migrationPreview(for: Schema(types), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Makes the container of a context that outlived its own.
  package init(core: ContainerCore) {
    self.core = core
    self.migrationPlan = nil
    self.openingMigrations = []
  }

  /// The context of the main actor, with autosave.
  @MainActor public var mainContext: ModelContext {
    if let context = main.context { return context }
    let context = ModelContext(core, mainOf: self)
    context.autosaveEnabled = true
    main.context = context
    return context
  }

  /// Posted after an external commit to a store of a container: by another process, or by another container with the
  /// same file. The object is the container. The user info has the store's identifier under `"storeIdentifier"`. The
  /// notification is posted on a background thread within some tenths of a second. Reading this property makes every
  /// container watch its stores from then on. (Apple's documentation, `ModelContainer.remoteChange`; the user info is
  /// ours.)
  public static var remoteChange: Notification.Name {
    RemoteChange.want()
    return RemoteChange.name
  }

  /// Deletes all objects of all stores. Objects in memory are unchanged.
  ///
  /// Like Apple's, it does not throw. If a store is not writable, it keeps its objects, and the library logs an error
  /// (swift-log, `SwiftData.Container`). ``erase()`` throws.
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

  /// Closes the stores and removes their files. The container and its contexts are unusable afterwards.
  ///
  /// A store with `allowsSave: false` stays, because it belongs to the program and not to its data.
  /// - Throws: ``SwiftDataError/storeReadOnly`` if no store may be saved to, and an error of the file system.
  public func erase() throws {
    let written = core.stores.filter { ($0 as? SQLiteStore)?.configuration.isFileOnlyRead != true }
    for store in written.isEmpty ? core.stores : written { try store.erase() }
  }

  /// Two containers are equal if they are the same object.
  public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool { lhs.core === rhs.core }
}
