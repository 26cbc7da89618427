import SwiftData

/// The models as they are now. Against ``SortedSchemaV5``, a conversation knows who left (`departures`) and what was unpinned
/// (`unpinnings`).
public enum SortedSchemaV6: VersionedSchema {
  /// 6.0.0
  public static let versionIdentifier = Schema.Version(6, 0, 0)
  /// The models of the app.
  public static var models: [any PersistentModel.Type] {
    [
      MessageEntity.self, ConversationEntity.self, UserEntity.self, AttachmentEntity.self, FAQEntity.self,
      SyncStateEntity.self, SyncConflictEntity.self, AttachmentUploadEntity.self, AssistCorrectionEntity.self,
      SharedInboxEntity.self, MessageVectorEntity.self,
    ]
  }
}
