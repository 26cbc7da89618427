import Foundation
import SwiftData

/// What the web keeps beside the inbox: accounts, sessions, invitations, each person's place in each conversation and the
/// look of their pages, messages that are hidden or can still be had back, who blocked whom, and how long messages are kept.
public enum WebSchema: VersionedSchema {
  /// 1.0.0
  public static let versionIdentifier = Schema.Version(1, 0, 0)
  /// The models.
  public static var models: [any PersistentModel.Type] {
    [
      AccountEntity.self, SessionEntity.self, PlaceEntity.self, DeletedMessageEntity.self, RetentionEntity.self,
      SiteEntity.self, InvitationEntity.self, HiddenMessageEntity.self, LookEntity.self, LinkPreviewEntity.self,
      BlockEntity.self,
    ]
  }

  /// Opens the web's own store in a file, made if it is not there.
  /// - Throws: `SwiftDataError`.
  public static func open(_ url: URL) throws -> ModelContainer {
    let schema = Schema(versionedSchema: WebSchema.self)
    return try ModelContainer(
      for: schema, configurations: [ModelConfiguration("web", schema: schema, url: url, cloudKitDatabase: .none)])
  }

  /// A store in memory, for tests.
  /// - Throws: `SwiftDataError`.
  public static func inMemory() throws -> ModelContainer {
    let schema = Schema(versionedSchema: WebSchema.self)
    return try ModelContainer(
      for: schema, configurations: [ModelConfiguration("web", schema: schema, isStoredInMemoryOnly: true)])
  }
}
