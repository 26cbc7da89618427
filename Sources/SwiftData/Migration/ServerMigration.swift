import Foundation

/// The way of a store of rows on a server along a migration plan.
package struct ServerMigration {
  /// From one version of the plan to a later one.
  package struct Step {
    package let source: VersionLayout
    package let target: VersionLayout
    package let willMigrate: ((ModelContext) throws -> Void)?
    package let didMigrate: ((ModelContext) throws -> Void)?
  }

  package let steps: [Step]
  /// The version that the store has afterwards.
  package let version: Schema.Version

  /// - Parameters:
  ///   - current: the models of the program.
  ///   - stored: the version that the database records; nil where it is new.
  ///   - name: what to call the store in errors.
  /// - Throws: ``SwiftDataError/unknownSchema`` and ``SwiftDataError/unknownDataStoreSchema``.
  package init(
    _ plan: any SchemaMigrationPlan.Type, current: VersionLayout, from stored: Schema.Version?, name: String
  ) throws {
    let schemas = PlanVersions.types(of: plan)
    let classes = Set(schemas.flatMap { Schema(versionedSchema: $0).models.map { $0.__entity.name } })
    let own = Set(current.schema.models.map { $0.__entity.name })
    // A store of some models of the plan has these in every version; what only former versions had it had too.
    let last = Set(schemas.last.map { Schema(versionedSchema: $0).models.map { $0.__entity.name } } ?? [])
    let versions = PlanVersions(plan) { classes.contains($0) && (own.contains($0) || !last.contains($0)) }
    let end = try versions.position(of: current)
    version = versions.layouts[end].schema.version
    guard let stored else {
      steps = []
      return
    }
    guard let start = versions.layouts.firstIndex(where: { $0.schema.version == stored }) else {
      // A newer program's, which whoever opens it says.
      if stored > version {
        steps = []
        return
      }
      throw SwiftDataError(
        .unknownDataStoreSchema,
        message: "the store \"\(name)\" has version \(stored) of the schema, which is none of \(plan)'s; name that"
          + " version in the plan. Nothing was changed")
    }
    steps = versions.steps(from: min(start, end), to: end).map { step in
      var (will, did): (((ModelContext) throws -> Void)?, ((ModelContext) throws -> Void)?)
      if case .custom(_, _, let willMigrate, let didMigrate)? = step.stage { (will, did) = (willMigrate, didMigrate) }
      // Steps of a plan have a source.
      return Step(source: step.source ?? step.target, target: step.target, willMigrate: will, didMigrate: did)
    }
  }

  /// Gives a closure of the app a context of one version; what it leaves unsaved is saved.
  /// - Parameter store: writes within the transaction of the migration.
  package static func run(
    _ body: (ModelContext) throws -> Void, on version: VersionLayout, store: any SQLStore
  ) throws {
    let context = ModelContext(ModelContainer(core: ContainerCore(version, store: store)))
    try body(context)
    if context.hasChanges { try context.save() }
  }
}
