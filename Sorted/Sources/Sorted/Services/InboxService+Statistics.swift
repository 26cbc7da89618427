public import Foundation
import SwiftData

extension InboxService {
  /// The counts of a store.
  public struct Statistics: Codable, Equatable, Sendable {
    /// All conversations.
    public var conversations = 0
    /// All messages.
    public var messages = 0
    /// Conversations with unread messages.
    public var unread = 0
    /// Pinned conversations.
    public var pinned = 0
    /// Archived conversations.
    public var archived = 0
    /// Messages waiting to be sent.
    public var pending = 0
    /// Messages that failed.
    public var failed = 0
    /// All attachments.
    public var attachments = 0
    /// All users.
    public var users = 0
    /// All answers to frequent questions.
    public var faqs = 0
    /// The time of the oldest message.
    public var firstMessageAt: Date?
    /// The time of the newest message.
    public var lastMessageAt: Date?

    /// The counts of an empty store.
    public init() {}
  }

  /// Counts the contents of the store.
  /// - Throws: `SwiftDataError`.
  public func statistics() throws -> Statistics {
    let pending = SyncStatus.pending
    let failed = SyncStatus.failed
    var result = Statistics()
    result.conversations = try context.fetchCount(FetchDescriptor<ConversationEntity>())
    result.messages = try context.fetchCount(FetchDescriptor<MessageEntity>())
    result.unread = try count(#Predicate<ConversationEntity> { $0.unreadCount > 0 })
    result.pinned = try count(#Predicate<ConversationEntity> { $0.isPinned })
    result.archived = try count(#Predicate<ConversationEntity> { $0.isArchived })
    result.pending = try count(#Predicate<MessageEntity> { $0.syncStatus == pending })
    result.failed = try count(#Predicate<MessageEntity> { $0.syncStatus == failed })
    result.attachments = try context.fetchCount(FetchDescriptor<AttachmentEntity>())
    result.users = try context.fetchCount(FetchDescriptor<UserEntity>())
    result.faqs = try context.fetchCount(FetchDescriptor<FAQEntity>())
    result.firstMessageAt = try edge(.forward)
    result.lastMessageAt = try edge(.reverse)
    return result
  }

  private func count<M: PersistentModel>(_ predicate: Predicate<M>) throws -> Int {
    try context.fetchCount(FetchDescriptor(predicate: predicate))
  }

  private func edge(_ order: SortOrder) throws -> Date? {
    var descriptor = FetchDescriptor<MessageEntity>(sortBy: [SortDescriptor(\.createdAt, order: order)])
    descriptor.fetchLimit = 1
    return try context.fetch(descriptor).first?.createdAt
  }
}
