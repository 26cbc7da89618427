import SwiftData

/// The models as they are now.
///
/// Against ``SortedSchemaV1``: a conversation can be kept (`isKept`, added), the remote place of an attachment has its
/// full name (`url` became `remoteURL`), and a message knows when to try again (`nextSyncAttempt`, computed from
/// `lastSyncAttempt` and `retryCount`).
public enum SortedSchemaV2: VersionedSchema {
  /// 2.0.0
  public static let versionIdentifier = Schema.Version(2, 0, 0)
  /// The models of the app.
  public static var models: [any PersistentModel.Type] {
    [MessageEntity.self, ConversationEntity.self, UserEntity.self, AttachmentEntity.self, FAQEntity.self]
  }
}
