import Foundation
import SwiftData

/// SwiftData model for local message storage with offline-first capabilities.
/// Stores message content, AI metadata, and sync status for offline queue.
@Model
public final class MessageEntity {
  /// A page of a thread is read from this index, whatever the size of the store. (Not in the guide.)
  /// The second one finds what waits to be sent, which is asked for at every sync.
  #Index<MessageEntity>([\.conversationID, \.createdAt], [\.syncStatus])

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

  /// Which fields were changed here since the server had the message: names of ``MessageField``
  public var pendingFields: [String] = []

  /// Another number after each change that is made here, so that an answer of the server is never taken for one to a
  /// later change
  public var changeID: Int64 = 0

  /// When the server's document was last changed, as far as it is known here: microseconds since 1970 by the server's
  /// clock; 0 where it is not known to have one
  public var serverTime: Int64 = 0

  /// When the text was last changed after it was written; the later change wins
  public var editedAt: Date?

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

  /// Works out the next attempt from the last one: 1, 2, 4 s after it (guide, 5.2, point 5)
  func computeNextSyncAttempt() {
    guard shouldRetry, let lastSyncAttempt else { return nextSyncAttempt = nil }
    nextSyncAttempt = lastSyncAttempt.addingTimeInterval(pow(2, Double(max(0, retryCount - 1))))
  }

  /// Changes the text, to be sent by the next sync. A text that is assigned instead stays in this store.
  /// - Parameter now: when; a change is never earlier than the one that it replaces, however wrong the clock is.
  public func edit(text: String, now: Date = Date()) {
    guard text != self.text else { return }
    self.text = text
    editedAt = ServerTime.rounded(max(now, (editedAt ?? createdAt).addingTimeInterval(0.001)))
    noteChange(of: .text, now: now)
  }

  /// Notes that a user has read it, to be sent by the next sync.
  public func markAsRead(by userID: String, participants: [String], now: Date = Date()) {
    guard senderID != userID, !readBy.contains(userID) else { return }
    readBy.append(userID)
    status = max(status, MessageMerge.status(readBy: readBy, senderID: senderID, participants: participants))
    noteChange(of: .readBy, now: now)
  }

  /// Puts a message that failed back into the queue. Otherwise it does nothing.
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

  /// After so many failures a message is tried again only where the user says so (guide, 1.1)
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
