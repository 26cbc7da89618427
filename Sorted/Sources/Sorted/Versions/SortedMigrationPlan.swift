import Foundation
import SwiftData

/// The migration plan of Sorted's stores, from each version to the newest.
public enum SortedMigrationPlan: SchemaMigrationPlan {
  /// The versions of the schema, the oldest first.
  public static var schemas: [any VersionedSchema.Type] {
    [
      SortedSchemaV1.self, SortedSchemaV2.self, SortedSchemaV3.self, SortedSchemaV4.self, SortedSchemaV5.self,
      SortedSchemaV6.self,
    ]
  }
  /// The stages between consecutive versions.
  public static var stages: [MigrationStage] { [toV2, toV3, toV4, toV5, toV6] }

  /// The new column and the renamed one follow from the models; only the next attempts have to be computed.
  private static let toV2 = MigrationStage.custom(
    fromVersion: SortedSchemaV1.self, toVersion: SortedSchemaV2.self, willMigrate: nil,
    didMigrate: computeNextSyncAttempts)

  /// Everything that is new has a default.
  private static let toV3 = MigrationStage.lightweight(
    fromVersion: SortedSchemaV2.self, toVersion: SortedSchemaV3.self)

  /// Everything that is new has a default.
  private static let toV4 = MigrationStage.lightweight(
    fromVersion: SortedSchemaV3.self, toVersion: SortedSchemaV4.self)

  /// Everything that is new has a default.
  private static let toV5 = MigrationStage.lightweight(
    fromVersion: SortedSchemaV4.self, toVersion: SortedSchemaV5.self)

  /// Everything that is new has a default.
  private static let toV6 = MigrationStage.lightweight(
    fromVersion: SortedSchemaV5.self, toVersion: SortedSchemaV6.self)

  private static func computeNextSyncAttempts(_ context: ModelContext) throws {
    let failed = SyncStatus.failed
    let retryable = FetchDescriptor<SortedSchemaV2.MessageEntity>(
      predicate: #Predicate { $0.syncStatus == failed && $0.retryCount < 3 && $0.lastSyncAttempt != nil })
    try context.enumerate(retryable, allowEscapingMutations: true) { $0.computeNextSyncAttempt() }
    try context.save()
  }
}
