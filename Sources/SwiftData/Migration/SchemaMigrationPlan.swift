/// The versions of a schema, and the stages that lead a store from each to the next.
/// (Apple's documentation, `SchemaMigrationPlan`.)
public protocol SchemaMigrationPlan: SendableMetatype {
  /// The versions, oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The stages between neighbouring versions, in order.
  static var stages: [MigrationStage] { get }
}

/// The seeds' name of ``SchemaMigrationPlan``.
public typealias VersionedSchemaMigrationPlan = SchemaMigrationPlan

/// One step of a migration. (Apple's documentation, `MigrationStage`.)
// @unchecked Sendable because the closures run one after another, each with a context made for it; a `static let`
// stage, as everybody writes it, needs the conformance.
public enum MigrationStage: @unchecked Sendable {
  /// The tables are changed without code of the app.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
  /// `willMigrate` sees the objects of the old version, `didMigrate` those of the new one.
  case custom(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    willMigrate: ((ModelContext) throws -> Void)?, didMigrate: ((ModelContext) throws -> Void)?)
}
