import Foundation
import SwiftData

/// How the sync of a store stands.
public struct SyncStatusReport: Codable, Equatable, Sendable {
  /// A message that is not tried again by itself, or not yet.
  public struct Failed: Codable, Equatable, Sendable {
    /// The message.
    public var id: String
    /// Where it is.
    public var conversationID: String
    /// What it says.
    public var text: String
    /// What the server said.
    public var reason: String
    /// How many times it failed.
    public var attempts: Int
    /// When it is tried again; nil where that is up to the user.
    public var nextAttempt: Date?
  }

  /// Something written here that a later change replaced.
  public struct Conflict: Codable, Equatable, Sendable {
    /// The message or the conversation.
    public var id: String
    /// Which field of it.
    public var field: String
    /// What was written here.
    public var local: String
    /// What it is now.
    public var remote: String
  }

  /// Whose store it is; nil before its first sync.
  public var user: String?
  /// Whether the server answers; nil where nobody asked it.
  public var online: Bool?
  /// Messages that wait to be sent, without failed ones.
  public var pending: Int
  /// The newest failed messages, at most ``SyncStatusReport/limit``.
  public var failed: [Failed]
  /// How many failed.
  public var failedCount: Int
  /// The newest conflicts, at most ``SyncStatusReport/limit``.
  public var conflicts: [Conflict]
  /// When everything had last been sent and received.
  public var lastSync: Date?
  /// Why the last sync did not come to its end.
  public var lastError: String?

  /// How many messages are listed.
  public static let limit = 50

  /// Reads a store.
  /// - Throws: `SwiftDataError`.
  public init(_ context: ModelContext, online: Bool? = nil) throws {
    let state = try SyncStateEntity.of(context)
    let pendingStatus = SyncStatus.pending
    let failedStatus = SyncStatus.failed
    self.online = online
    user = state?.userID
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
