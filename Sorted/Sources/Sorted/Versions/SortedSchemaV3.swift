import SwiftData

/// The models as they are now.
///
/// Against ``SortedSchemaV2``: messages and conversations know what of them waits to be sent and what the server had last
/// (`pendingFields`, `changeID`, `serverTime`, `editedAt`, `fieldTimes`, cursors), messages that wait are found by an
/// index, and there are ``SyncStateEntity``, ``SyncConflictEntity`` and ``AttachmentUploadEntity``.
public enum SortedSchemaV3: VersionedSchema {
  /// 3.0.0
  public static let versionIdentifier = Schema.Version(3, 0, 0)
  /// The models of the app.
  public static var models: [any PersistentModel.Type] {
    [
      MessageEntity.self, ConversationEntity.self, UserEntity.self, AttachmentEntity.self, FAQEntity.self,
      SyncStateEntity.self, SyncConflictEntity.self, AttachmentUploadEntity.self,
    ]
  }
}
