import Foundation
import SwiftData

/// The models before inboxes shared conversations. Only their stored shape counts, and it never changes.
///
/// Against ``SortedSchemaV3``: a message knows what it answers (`replyToID`), what people reacted with (`reactions`) and
/// whether it was deleted for all people (`deletedAt`); a conversation knows its pinned messages (`pinnedMessageIDs`).
/// A message has the version of the weights that classified it (`assistVersion`). Indices find messages by that, by their category, by their
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

  @Model
  final class MessageEntity {
    #Index<MessageEntity>(
      [\.conversationID, \.createdAt], [\.createdAt], [\.syncStatus], [\.assistVersion], [\.category, \.createdAt])

    @Attribute(.unique) var id: String
    var conversationID: String
    var senderID: String
    @Attribute(.spotlight) var text: String
    var createdAt: Date
    var updatedAt: Date
    var status: MessageStatus
    var syncStatus: SyncStatus
    var retryCount: Int = 0
    var lastSyncAttempt: Date?
    var nextSyncAttempt: Date?
    var syncError: String?
    var pendingFields: [String] = []
    var changeID: Int64 = 0
    var serverTime: Int64 = 0
    var editedAt: Date?
    var deletedAt: Date?
    var replyToID: String?
    var reactions: [String: String] = [:]
    var readBy: [String] = []
    var category: MessageCategory?
    var categoryConfidence: Double?
    var sentiment: MessageSentiment?
    var sentimentIntensity: SentimentIntensity?
    var opportunityScore: Int?
    var faqMatchID: String?
    var faqConfidence: Double?
    var smartReplyDraft: String?
    var supermemoryID: String?
    var assistVersion: Int = 0
    @Relationship(deleteRule: .nullify, inverse: \ConversationEntity.messages)
    var conversation: ConversationEntity?
    @Relationship(deleteRule: .cascade)
    var attachments: [AttachmentEntity] = []

    init(
      id: String, conversationID: String, senderID: String, text: String, createdAt: Date, status: MessageStatus,
      syncStatus: SyncStatus
    ) {
      self.id = id
      self.conversationID = conversationID
      self.senderID = senderID
      self.text = text
      self.createdAt = createdAt
      self.updatedAt = createdAt
      self.status = status
      self.syncStatus = syncStatus
    }
  }

  @Model
  final class ConversationEntity {
    @Attribute(.unique) var id: String
    var participantIDs: [String]
    var displayName: String?
    var avatarURL: String?
    var isGroup: Bool = false
    var createdAt: Date
    var updatedAt: Date
    var isPinned: Bool = false
    var isMuted: Bool = false
    var isArchived: Bool = false
    var isKept: Bool = false
    var unreadCount: Int = 0
    var lastMessageText: String?
    var lastMessageAt: Date?
    var lastMessageSenderID: String?
    var pinnedMessageIDs: [String] = []
    var pendingFields: [String] = []
    var hasPendingFields: Bool = false
    var changeID: Int64 = 0
    var fieldTimes: [String: Date] = [:]
    var serverTime: Int64 = 0
    var noticeTime: Int64 = 0
    var messageCursor: Int64 = 0
    var supermemoryConversationID: String?
    @Relationship(deleteRule: .cascade)
    var messages: [MessageEntity] = []

    init(id: String, participantIDs: [String], createdAt: Date) {
      self.id = id
      self.participantIDs = participantIDs
      self.createdAt = createdAt
      self.updatedAt = createdAt
    }
  }

  @Model
  final class AttachmentEntity {
    @Attribute(.unique) var id: String
    var type: AttachmentType
    @Attribute(originalName: "url") var remoteURL: String?
    var localURL: String?
    var thumbnailURL: String?
    var fileSize: Int64
    var mimeType: String
    var fileName: String
    var uploadStatus: UploadStatus = UploadStatus.pending
    var uploadProgress: Double = 0
    var uploadError: String?
    var createdAt: Date
    @Relationship(deleteRule: .nullify, inverse: \MessageEntity.attachments)
    var message: MessageEntity?

    init(id: String, type: AttachmentType, fileSize: Int64, mimeType: String, fileName: String, createdAt: Date) {
      self.id = id
      self.type = type
      self.fileSize = fileSize
      self.mimeType = mimeType
      self.fileName = fileName
      self.createdAt = createdAt
    }
  }
}
