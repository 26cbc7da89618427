import Foundation
import SwiftData

/// SwiftData model for local message storage with offline-first capabilities.
/// Stores message content, AI metadata, and sync status for offline queue.
@Model
public final class MessageEntity {
  /// The guide has no indices. The first one serves a page of a thread, the second one a page of a search. The others find
  /// the messages that wait to be sent, that the assistant has not classified yet, and that have a category.
  #Index<MessageEntity>(
    [\.conversationID, \.createdAt], [\.createdAt], [\.syncStatus], [\.assistVersion], [\.category, \.createdAt])

  // MARK: - Core Properties

  /// Unique message identifier (matches Firestore document ID)
  @Attribute(.unique) public var id: String

  /// Parent conversation ID
  public var conversationID: String

  /// Sender's user ID
  public var senderID: String

  /// Message text content, which the full-text index covers
  @Attribute(.spotlight) public var text: String

  /// Message creation timestamp
  public var createdAt: Date

  /// Last update timestamp
  public var updatedAt: Date = Date.distantPast

  // MARK: - Status & Sync

  /// Message delivery status (sending, sent, delivered, read)
  public var status: MessageStatus = MessageStatus.sent

  /// Sync status for offline queue (pending, synced, failed)
  public var syncStatus: SyncStatus = SyncStatus.synced

  /// Number of sync retry attempts
  public var retryCount: Int = 0

  /// Last sync attempt timestamp
  public var lastSyncAttempt: Date?

  /// The time of the next retry, or nil if it needs no waiting or is not retried
  public var nextSyncAttempt: Date?

  /// Sync error message (if failed)
  public var syncError: String?

  /// The ``MessageField``s that changed here and were not sent
  public var pendingFields: [String] = []

  /// A new number after each local change, so that a server's answer is never applied to a later change
  public var changeID: Int64 = 0

  /// The update time of the server's document in microseconds since 1970 (server's clock), or 0 if it is unknown
  public var serverTime: Int64 = 0

  /// The time of the last edit of the text. The later edit wins.
  public var editedAt: Date?

  /// The time when it was deleted for all people, as its text then says
  public var deletedAt: Date?

  // MARK: - What it belongs to

  /// The message that it answers; it may be one that this store does not have
  public var replyToID: String?

  /// The reactions of people, by user; an empty text is a removed reaction
  public var reactions: [String: String] = [:]

  // MARK: - Read Receipts

  /// Array of user IDs who have read this message
  public var readBy: [String]

  /// The users whose stores were the first to have this message, where the inbox syncs with a sync server (`SharedInbox`)
  public var deliveredTo: [String] = []

  // MARK: - AI Metadata

  /// AI-generated category (Fan, Business, Spam, Urgent)
  public var category: MessageCategory?

  /// Confidence score for category (0.0 - 1.0)
  public var categoryConfidence: Double?

  /// Sentiment analysis result
  public var sentiment: MessageSentiment?

  /// Sentiment intensity (low, medium, high)
  public var sentimentIntensity: SentimentIntensity?

  /// Opportunity score (0-100) for business messages
  public var opportunityScore: Int?

  /// FAQ match ID (if detected)
  public var faqMatchID: String?

  /// FAQ confidence score (0.0 - 1.0)
  public var faqConfidence: Double?

  /// AI-generated draft reply
  public var smartReplyDraft: String?

  /// Supermemory reference ID
  public var supermemoryID: String?

  /// The `MessageModel.version` of the weights that classified the message. The message is pending if the program has a newer
  /// version.
  public var assistVersion: Int = 0

  // MARK: - Relationships

  /// Parent conversation (inverse relationship)
  @Relationship(deleteRule: .nullify, inverse: \ConversationEntity.messages)
  public var conversation: ConversationEntity?

  /// Message attachments (cascade delete)
  @Relationship(deleteRule: .cascade)
  public var attachments: [AttachmentEntity]

  // MARK: - Initialization

  /// Makes a message. Other properties have their defaults.
  public init(
    id: String = UUID().uuidString,
    conversationID: String,
    senderID: String,
    text: String,
    createdAt: Date = Date(),
    status: MessageStatus = .sending,
    syncStatus: SyncStatus = .pending
  ) {
    self.id = id
    self.conversationID = conversationID
    self.senderID = senderID
    self.text = text
    self.createdAt = createdAt
    self.updatedAt = createdAt
    self.status = status
    self.syncStatus = syncStatus
    self.retryCount = 0
    self.readBy = []
    self.attachments = []
  }

  // MARK: - Helper Methods

  /// Mark message as synced with Firestore
  public func markAsSynced() {
    self.syncStatus = .synced
    self.pendingFields = []
    self.syncError = nil
    self.nextSyncAttempt = nil
    self.updatedAt = Date()
  }

  /// Mark message as failed sync with error
  public func markAsFailed(error: String) {
    self.syncStatus = .failed
    self.syncError = error
    self.retryCount += 1
    self.lastSyncAttempt = Date()
    self.updatedAt = Date()
    computeNextSyncAttempt()
  }

  /// Computes the next retry from the last attempt: after 1, 2, 4 s (guide, 5.2, point 5)
  func computeNextSyncAttempt() {
    guard shouldRetry, let lastSyncAttempt else { return nextSyncAttempt = nil }
    nextSyncAttempt = lastSyncAttempt.addingTimeInterval(pow(2, Double(max(0, retryCount - 1))))
  }

  /// Edits the text for the next sync. Assigning `text` directly changes this store only.
  /// - Parameters:
  ///   - text: the new text.
  ///   - now: the time of the edit. An edit is never earlier than the one that it replaces, whatever the clock says.
  public func edit(text: String, now: Date = Date()) {
    guard text != self.text else { return }
    self.text = text
    resetClassification()
    editedAt = ServerTime.rounded(max(now, (editedAt ?? createdAt).addingTimeInterval(0.001)))
    noteChange(of: .text, now: now)
  }

  /// Marks the message as pending. The version differs from every former version, so that the save stores the change even if another
  /// context has classified the message in the meantime.
  package func resetClassification() { assistVersion = -abs(assistVersion) - 1 }

  /// Records that a user has read the message, for the next sync.
  public func markAsRead(by userID: String, participants: [String], now: Date = Date()) {
    guard senderID != userID, !readBy.contains(userID) else { return }
    readBy.append(userID)
    status = max(status, MessageMerge.status(readBy: readBy, senderID: senderID, participants: participants))
    noteChange(of: .readBy, now: now)
  }

  /// Notes the reaction of a user, to be sent by the next sync; nil takes it back.
  public func react(_ emoji: String?, by userID: String, now: Date = Date()) {
    guard (reactions[userID] ?? "") != emoji ?? "" else { return }
    reactions[userID] = emoji ?? ""
    noteChange(of: .reactions, now: now)
  }

  /// Puts a failed message back into the queue. Does nothing for others.
  public func retry() {
    guard let next = state.after(.retried) else { return }
    syncStatus = next.sync
    retryCount = 0
    syncError = nil
    nextSyncAttempt = nil
  }

  /// The state as one value.
  public var state: MessageState { MessageState(status, syncStatus) }

  private func noteChange(of field: MessageField, now: Date) {
    if !pendingFields.contains(field.rawValue) { pendingFields.append(field.rawValue) }
    changeID = .random(in: 1 ... .max)
    syncStatus = .pending
    retryCount = 0
    syncError = nil
    nextSyncAttempt = nil
    updatedAt = now
  }

  /// After this number of failures only the user can retry (guide, 1.1)
  public static let maximumRetries = 3

  /// Check if message should be retried
  public var shouldRetry: Bool {
    syncStatus == .failed && retryCount < Self.maximumRetries
  }

  /// Check if message is pending sync
  public var isPendingSync: Bool {
    syncStatus == .pending || (syncStatus == .failed && shouldRetry)
  }
}

// MARK: - Supporting Enums

/// The delivery state of a message.
public enum MessageStatus: String, Codable, Sendable {
  case sending
  case sent
  case delivered
  case read
}

/// Whether the server has the message.
public enum SyncStatus: String, Codable, Sendable {
  case pending
  case synced
  case failed
}

/// The category of a message.
public enum MessageCategory: String, Codable, Sendable {
  case fan
  case business
  case spam
  case urgent
}

/// The mood of a message.
public enum MessageSentiment: String, Codable, Sendable {
  case positive
  case negative
  case urgent
  case neutral
}

/// The intensity of the mood.
public enum SentimentIntensity: String, Codable, Sendable {
  case low
  case medium
  case high
}
