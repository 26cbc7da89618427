import Foundation
import SwiftData

/// SwiftData model for local message storage with offline-first capabilities.
/// Stores message content, AI metadata, and sync status for offline queue.
@Model
public final class MessageEntity {
  /// A page of a thread is read from this index, whatever the size of the store. (Not in the guide.)
  #Index<MessageEntity>([\.conversationID, \.createdAt])

  // MARK: - Core Properties

  /// Unique message identifier (matches Firestore document ID)
  @Attribute(.unique) public var id: String

  /// Parent conversation ID
  public var conversationID: String

  /// Sender's user ID
  public var senderID: String

  /// Message text content
  public var text: String

  /// Message creation timestamp
  public var createdAt: Date

  /// Last update timestamp
  public var updatedAt: Date

  // MARK: - Status & Sync

  /// Message delivery status (sending, sent, delivered, read)
  public var status: MessageStatus

  /// Sync status for offline queue (pending, synced, failed)
  public var syncStatus: SyncStatus

  /// Number of sync retry attempts
  public var retryCount: Int

  /// Last sync attempt timestamp
  public var lastSyncAttempt: Date?

  /// When a failed message is to be tried again; nil where it needs no waiting, or is not tried again
  public var nextSyncAttempt: Date?

  /// Sync error message (if failed)
  public var syncError: String?

  // MARK: - Read Receipts

  /// Array of user IDs who have read this message
  public var readBy: [String]

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

  // MARK: - Relationships

  /// Parent conversation (inverse relationship)
  @Relationship(deleteRule: .nullify, inverse: \ConversationEntity.messages)
  public var conversation: ConversationEntity?

  /// Message attachments (cascade delete)
  @Relationship(deleteRule: .cascade)
  public var attachments: [AttachmentEntity]

  // MARK: - Initialization

  /// Makes one with the given values; the rest has its defaults.
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

  /// Works out the next attempt from the last one: 1, 2, 4 s after it (guide, 5.2, point 5)
  func computeNextSyncAttempt() {
    guard shouldRetry, let lastSyncAttempt else { return nextSyncAttempt = nil }
    nextSyncAttempt = lastSyncAttempt.addingTimeInterval(pow(2, Double(max(0, retryCount - 1))))
  }

  /// Check if message should be retried
  public var shouldRetry: Bool {
    syncStatus == .failed && retryCount < 3
  }

  /// Check if message is pending sync
  public var isPendingSync: Bool {
    syncStatus == .pending || (syncStatus == .failed && shouldRetry)
  }
}

// MARK: - Supporting Enums

/// How far a message has come.
public enum MessageStatus: String, Codable, Sendable {
  case sending
  case sent
  case delivered
  case read
}

/// Whether a message has reached the server.
public enum SyncStatus: String, Codable, Sendable {
  case pending
  case synced
  case failed
}

/// What kind of message it is.
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

/// How strong the mood is.
public enum SentimentIntensity: String, Codable, Sendable {
  case low
  case medium
  case high
}
