import Foundation

/// The migration of a server's store along a plan.
package struct ServerMigration {
  /// A step from one version of the plan to another.
  package struct Step {
    package let source: VersionLayout
    package let target: VersionLayout
    package let willMigrate: ((ModelContext) throws -> Void)?
    package let didMigrate: ((ModelContext) throws -> Void)?
  }

  package let steps: [Step]
  /// The version after the step.
  package let version: Schema.Version

  /// - Parameters:
  ///   - current: the models of the program.
  ///   - stored: the version that the database records, or nil for a new database.
  ///   - name: the name of the store in errors.
  /// - Throws: ``SwiftDataError/unknownSchema``, ``SwiftDataError/unknownDataStoreSchema``, and
  ///   ``SwiftDataError/backwardMigration`` if the stored version is newer and no stages lead back.
  package init(
    _ plan: any SchemaMigrationPlan.Type, current: VersionLayout, from stored: Schema.Version?, name: String
  ) throws {
    let schemas = PlanVersions.types(of: plan)
    let classes = Set(schemas.flatMap { Schema(versionedSchema: $0).models.map { $0.__entity.name } })
    let own = Set(current.schema.models.map { $0.__entity.name })
    // A store with some models of the plan has them in every version, and those that only earlier versions had.
    let last = Set(schemas.last.map { Schema(versionedSchema: $0).models.map { $0.__entity.name } } ?? [])
    let versions = PlanVersions(plan, coding: current.layout.coding) {
      classes.contains($0) && (own.contains($0) || !last.contains($0))
    }
    let end = try versions.position(of: current)
    version = versions.layouts[end].schema.version
    guard let stored else {
      steps = []
      return
    }
    guard let start = versions.layouts.firstIndex(where: { $0.schema.version == stored }) else {
      // A newer program's version, which opening the store reports.
      if stored > version {
        steps = []
        return
      }
      throw SwiftDataError(
        .unknownDataStoreSchema,
        message: "the store \"\(name)\" has version \(stored) of the schema, which is not one of \(plan)'s; name that"
          + " version in the plan. Nothing was changed")
    }
    steps = try versions.path(from: start, to: end, store: "the store \"\(name)\"").map { step in
      var (will, did): (((ModelContext) throws -> Void)?, ((ModelContext) throws -> Void)?)
      if case .custom(_, _, let willMigrate, let didMigrate)? = step.stage { (will, did) = (willMigrate, didMigrate) }
      // Steps of a plan have a source.
      return Step(source: step.source ?? step.target, target: step.target, willMigrate: will, didMigrate: did)
    }
  }

  /// The error for a store whose tables do not fit the version that it records.
  package static func unknownShape(
    of stored: LayoutRecord, notThat source: VersionLayout, of plan: any SchemaMigrationPlan.Type, name: String
  ) -> SwiftDataError {
    let differences = LayoutPlan(from: stored, to: source.layout, isPlanned: true).changes
    return SwiftDataError(
      .unknownDataStoreSchema,
      message: "the store \"\(name)\" records version \(source.schema.version) of \(plan), but to be that version this"
        + " would have to change: \(PlanVersions.list(differences)). Name the models that wrote it in the plan. Nothing"
        + " was changed")
  }

  /// Calls a closure of the app with a context of one version, and saves what it leaves unsaved.
  /// - Parameter store: a store that writes within the migration's transaction.
  package static func run(
    _ body: (ModelContext) throws -> Void, on version: VersionLayout, store: any SQLStore
  ) throws {
    let context = ModelContext(ModelContainer(core: ContainerCore(version, store: store)))
    try body(context)
    if context.hasChanges { try context.save() }
  }
}
