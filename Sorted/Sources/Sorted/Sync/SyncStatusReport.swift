import Foundation
import SwiftData

/// The sync status of a store.
public struct SyncStatusReport: Codable, Equatable, Sendable {
  /// A message that is not retried automatically, or not yet.
  public struct Failed: Codable, Equatable, Sendable {
    /// The identifier of the message.
    public var id: String
    /// The identifier of the conversation.
    public var conversationID: String
    /// The text.
    public var text: String
    /// The server's message.
    public var reason: String
    /// The number of failures.
    public var attempts: Int
    /// The time of the retry, or nil if only the user can retry.
    public var nextAttempt: Date?
  }

  /// A local change that a later one replaced.
  public struct Conflict: Codable, Equatable, Sendable {
    /// The identifier of the message or conversation.
    public var id: String
    /// The field.
    public var field: String
    /// The local value.
    public var local: String
    /// The current value.
    public var remote: String
  }

  /// The user of the store, or nil before its first sync.
  public var user: String?
  /// The server of a `SharedInbox`, or nil.
  public var server: String?
  /// Whether the server answers, or nil if it was not asked.
  public var online: Bool?
  /// The number of pending messages without failed ones.
  public var pending: Int
  /// The newest failed messages, at most ``SyncStatusReport/limit``.
  public var failed: [Failed]
  /// The number of failed messages.
  public var failedCount: Int
  /// The newest conflicts, at most ``SyncStatusReport/limit``.
  public var conflicts: [Conflict]
  /// The end of the last complete sync.
  public var lastSync: Date?
  /// The reason why the last sync was incomplete.
  public var lastError: String?

  /// The maximum number of listed messages.
  public static let limit = 50

  /// Reads the status of a store.
  /// - Throws: `SwiftDataError`.
  public init(_ context: ModelContext, online: Bool? = nil) throws {
    let state = try SyncStateEntity.of(context)
    let pendingStatus = SyncStatus.pending
    let failedStatus = SyncStatus.failed
    self.online = online
    (user, server) = (state?.userID, try SharedInboxEntity.of(context)?.server)
    lastSync = state?.lastSyncAt
    lastError = state?.lastError
    pending = try context.fetchCount(
      FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.syncStatus == pendingStatus }))
    var descriptor = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { $0.syncStatus == failedStatus },
      sortBy: [SortDescriptor(\.createdAt, order: .reverse), SortDescriptor(\.id)])
    failedCount = try context.fetchCount(descriptor)
    descriptor.fetchLimit = Self.limit
    failed = try context.fetch(descriptor).map {
      Failed(
        id: $0.id, conversationID: $0.conversationID, text: $0.text, reason: $0.syncError ?? "",
        attempts: $0.retryCount,
        nextAttempt: $0.shouldRetry ? $0.nextSyncAttempt : nil)
    }
    var newest = FetchDescriptor<SyncConflictEntity>(sortBy: [SortDescriptor(\.localTime, order: .reverse)])
    newest.fetchLimit = Self.limit
    conflicts = try context.fetch(newest).map {
      Conflict(id: $0.objectID, field: $0.field, local: $0.localValue, remote: $0.remoteValue)
    }
  }
}
