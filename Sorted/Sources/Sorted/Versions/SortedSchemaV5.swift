import SwiftData

/// The models as they are now. Against ``SortedSchemaV4``, ``SharedInboxEntity`` and ``MessageVectorEntity`` are new. A message
/// knows whose stores have it (`deliveredTo`), and an attachment can have its file (`contents`).
public enum SortedSchemaV5: VersionedSchema {
  /// 5.0.0
  public static let versionIdentifier = Schema.Version(5, 0, 0)
  /// The models of the app.
  public static var models: [any PersistentModel.Type] {
    [
      MessageEntity.self, ConversationEntity.self, UserEntity.self, AttachmentEntity.self, FAQEntity.self,
      SyncStateEntity.self, SyncConflictEntity.self, AttachmentUploadEntity.self, AssistCorrectionEntity.self,
      SharedInboxEntity.self, MessageVectorEntity.self,
    ]
  }
}
