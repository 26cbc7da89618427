import Foundation

/// Migrates a store along a path in one transaction. Any reader and any crash sees either the old or the new version.
/// SQLite's journal keeps the old pages until the commit.
struct MigrationRunner {
  let transaction: OpenTransaction
  let configuration: ModelConfiguration
  let identifier: String
  let externalStorage: ExternalStorage
  let log: MigrationLog

  private var database: SQLiteDatabase { transaction.database }

  /// - Returns: the performed steps, and the layout of models that the program does not list.
  func run(_ path: MigrationPath) throws -> (steps: [ModelContainer.MigrationSummary.Step], retained: LayoutRecord) {
    var (record, retained) = (path.stored, path.retained)
    var done = [ModelContainer.MigrationSummary.Step]()
    if let format = path.format {
      let plan = LayoutPlan(from: record, retained: retained, to: format.layout, isPlanned: path.isPlanned)
      let removed = try LayoutMigration(
        database: database, plan: plan, layout: format.layout, store: store(format), progress: { _, _, _ in }
      ).run()
      for removal in removed { log.warn(removal) }
      (record, retained) = (format.layout.record, plan.retained)
      log.add(.info, "\(configuration.name): the tables have the names of store format \(StoreFile.format) now")
    }
    for (index, step) in path.steps.enumerated() {
      let plan = LayoutPlan(
        from: record, retained: retained, to: step.target.layout, isPlanned: step.isPlanned)
      func report(_ entity: String, _ rows: Int, _ total: Int) {
        configuration.migrationProgress?(
          ModelConfiguration.MigrationProgress(
            configuration: configuration.name, step: index + 1, stepCount: path.steps.count, from: step.from,
            to: step.target.schema.version, entity: entity, completedRows: rows, totalRows: total))
      }
      let start = ContinuousClock.now
      do {
        if case .custom(_, _, let willMigrate?, _)? = step.stage, let source = step.source {
          try run(willMigrate, on: source)
        }
        let store = try store(step.target)
        let migration = LayoutMigration(
          database: database, plan: plan, layout: step.target.layout, store: store, progress: report)
        for removal in try migration.run() { log.warn(removal) }
        if case .custom(_, _, _, let didMigrate?)? = step.stage { try run(didMigrate, on: step.target) }
      } catch let error as SQLiteError {
        throw StoreErrors.error(error, configuration: configuration, layout: step.target.layout)
      }
      (record, retained) = (step.target.layout.record, plan.retained)
      let summary = ModelContainer.MigrationSummary.Step(
        fromVersion: step.from, toVersion: step.target.schema.version, isCustom: step.isCustom, changes: plan.changes)
      // A version that changed only its number is not logged.
      log.add(
        summary.changes.isEmpty && !summary.isCustom ? .debug : .info, "migrated \(configuration.name): \(summary)",
        ["duration": "\(ContinuousClock.now - start)"])
      done.append(summary)
    }
    return (done, retained)
  }

  private func store(_ version: VersionLayout) throws -> SQLiteStore {
    try SQLiteStore(
      within: transaction, configuration: configuration, layout: version.layout, identifier: identifier,
      externalStorage: externalStorage)
  }

  /// Calls a closure of the app with a context of one version, and saves what it leaves unsaved.
  private func run(_ body: (ModelContext) throws -> Void, on version: VersionLayout) throws {
    let store = try store(version)
    // After the stage, objects that the closure kept must not reach the connection.
    defer { store.close() }
    let context = ModelContext(ModelContainer(core: ContainerCore(version, store: store)))
    try body(context)
    if context.hasChanges { try context.save() }
    try ForeignKeys.check(database)
  }
}
