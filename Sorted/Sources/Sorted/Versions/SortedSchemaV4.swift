import SwiftData

/// The models before messages had vectors of their meaning.
///
/// Against ``SortedSchemaV3``: a message knows what it answers (`replyToID`), what people reacted with (`reactions`) and
/// whether it was deleted for everybody (`deletedAt`); a conversation knows its pinned messages (`pinnedMessageIDs`).
/// A message knows which weights judged it (`assistVersion`). Indices find messages by that, by their category, by their
/// time and by the words of their text. ``AssistCorrectionEntity`` is new.
public enum SortedSchemaV4: VersionedSchema {
  /// 4.0.0
  public static let versionIdentifier = Schema.Version(4, 0, 0)
  /// The models of the fourth version.
  public static var models: [any PersistentModel.Type] {
    [
      MessageEntity.self, ConversationEntity.self, UserEntity.self, AttachmentEntity.self, FAQEntity.self,
      SyncStateEntity.self, SyncConflictEntity.self, AttachmentUploadEntity.self, AssistCorrectionEntity.self,
    ]
  }
}
