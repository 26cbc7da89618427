import Foundation
import GRDB
import Logging

/// Leads a store along a path, all of it in one transaction: whoever opens the file sees the old version whole or the
/// new version whole, whenever the process dies. SQLite's journal keeps the old pages until then, as the copy.
struct MigrationRunner {
  let transaction: OpenTransaction
  let configuration: ModelConfiguration
  let identifier: String
  let externalStorage: ExternalStorage

  private var database: Database { transaction.database }
  private static let logger = Logger(label: "SwiftData.Migration")

  /// - Returns: what was done, and the layout of what the program does not name.
  func run(
    _ path: MigrationPath, from known: Metadata
  ) throws -> (steps: [ModelContainer.MigrationSummary.Step], retained: LayoutRecord) {
    var (record, retained) = (known.layout, known.retained)
    var done = [ModelContainer.MigrationSummary.Step]()
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
        try LayoutMigration(database: database, plan: plan, layout: step.target.layout, store: store, progress: report)
          .run()
        if case .custom(_, _, _, let didMigrate?)? = step.stage { try run(didMigrate, on: step.target) }
      } catch let error as DatabaseError {
        throw StoreErrors.error(
          code: error.extendedResultCode.rawValue, message: error.message, sql: error.sql,
          configuration: configuration, layout: step.target.layout)
      }
      (record, retained) = (step.target.layout.record, plan.retained)
      let summary = ModelContainer.MigrationSummary.Step(
        fromVersion: step.from, toVersion: step.target.schema.version, isCustom: step.isCustom, changes: plan.changes)
      // A version that changed nothing but its number is not worth a line.
      Self.logger.log(
        level: summary.changes.isEmpty && !summary.isCustom ? .debug : .info,
        "migrated \(configuration.name): \(summary)", metadata: ["duration": "\(ContinuousClock.now - start)"])
      done.append(summary)
    }
    return (done, retained)
  }

  private func store(_ version: VersionLayout) throws -> SQLiteStore {
    try SQLiteStore(
      within: transaction, configuration: configuration, layout: version.layout, identifier: identifier,
      externalStorage: externalStorage)
  }

  /// Gives a closure of the app a context of one version; what it leaves unsaved is saved.
  private func run(_ body: (ModelContext) throws -> Void, on version: VersionLayout) throws {
    let store = try store(version)
    // However it ends, what the closure kept must not reach the connection any more.
    defer { store.close() }
    let context = ModelContext(ModelContainer(core: ContainerCore(version, store: store)))
    try body(context)
    if context.hasChanges { try context.save() }
    try ForeignKeys.check(database)
  }
}

/// A transaction that others began and will end, as the contexts of a migration's stages use it.
final class OpenTransaction {
  let database: Database
  /// A connection belongs to the thread that began the transaction.
  private let thread = Thread.current

  init(_ database: Database) { self.database = database }

  var isOfThisThread: Bool { Thread.current === thread }
}
