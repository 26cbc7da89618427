/// The versions of a schema and the stages between them. (Apple's documentation, `SchemaMigrationPlan`.)
public protocol SchemaMigrationPlan: SendableMetatype {
  /// The versions, oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The stages between adjacent versions, in order.
  static var stages: [MigrationStage] { get }
}

/// A synonym of ``SchemaMigrationPlan``, which some articles about SwiftData use. Apple's compiler refuses it.
public typealias VersionedSchemaMigrationPlan = SchemaMigrationPlan

// @unchecked Sendable because the closures run one after another, each with its own context. A `static let` stage, the
// usual form, requires the conformance.
/// A step of a migration. (Apple's documentation, `MigrationStage`.)
public enum MigrationStage: @unchecked Sendable {
  /// A migration without code of the app.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
  /// A migration with code of the app. `willMigrate` sees the objects of the old version, `didMigrate` the objects of the new
  /// one.
  case custom(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    willMigrate: ((ModelContext) throws -> Void)?, didMigrate: ((ModelContext) throws -> Void)?)
}
