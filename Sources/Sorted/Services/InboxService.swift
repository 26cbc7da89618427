import Foundation
import SwiftData

/// What the inbox does, on one context: what the command line and any other front end share.
public struct InboxService {
  /// Which conversations to list.
  public enum Filter: Sendable {
    case all
    case unread
    case pinned
    case archived
  }

  /// How many messages a page has.
  public static let pageSize = 20

  private let context: ModelContext

  /// Makes an inbox on a context.
  public init(context: ModelContext) { self.context = context }

  // MARK: - Reading

  /// The conversations of a filter: pinned ones first, then the latest. Archived ones only where asked for.
  /// - Throws: `SwiftDataError`.
  public func conversations(_ filter: Filter = .all) throws -> [ConversationEntity] {
    let predicate: Predicate<ConversationEntity>
    switch filter {
    case .all: predicate = #Predicate { !$0.isArchived }
    case .unread: predicate = #Predicate { !$0.isArchived && $0.unreadCount > 0 }
    case .pinned: predicate = #Predicate { !$0.isArchived && $0.isPinned }
    case .archived: predicate = #Predicate { $0.isArchived }
    }
    let found = try context.fetch(
      FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.lastMessageAt, order: .reverse)]))
    return found.filter(\.isPinned) + found.filter { !$0.isPinned }
  }

  /// The conversation with an identifier, or the only one whose identifier begins so, or the only one of that name.
  /// - Throws: ``DataLayerError/invalidData(_:)`` where there is none, or more than one.
  public func conversation(_ id: String) throws -> ConversationEntity {
    let exact = try context.fetch(FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == id }))
    if let conversation = exact.first { return conversation }
    // The empty text begins every identifier; it is nobody's.
    let similar =
      id.isEmpty
      ? []
      : try context.fetch(
        FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id.starts(with: id) }))
    let named =
      similar.isEmpty
      ? try context.fetch(FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.displayName == id })) : []
    let found = similar + named
    guard let only = found.first, found.count == 1 else {
      throw DataLayerError.invalidData(
        found.isEmpty
          ? "there is no conversation \"\(id)\"; `sorted list` shows their ids"
          : named.isEmpty
            ? "\(found.count) conversations begin with \"\(id)\"; give more of the id"
            : "\(found.count) conversations have the name \"\(id)\"; give an id")
    }
    return only
  }

  /// One page of a conversation.
  public struct Page {
    /// The newest last.
    public let messages: [MessageEntity]
    /// Counted from 1, the newest messages first.
    public let number: Int
    /// How many pages there are.
    public let count: Int
    /// How many messages the conversation has.
    public let total: Int
  }

  /// A page of a conversation, its newest message last. Page 1 has the newest messages.
  /// - Throws: ``DataLayerError/invalidData(_:)`` where there is no such page.
  public func page(_ number: Int, of conversation: ConversationEntity) throws -> Page {
    let id = conversation.id
    let all = #Predicate<MessageEntity> { $0.conversationID == id }
    let total = try context.fetchCount(FetchDescriptor(predicate: all))
    let count = max(1, (total + Self.pageSize - 1) / Self.pageSize)
    guard (1...count).contains(number) else {
      throw DataLayerError.invalidData("there is no page \(number); the conversation has \(count)")
    }
    var descriptor = FetchDescriptor(predicate: all, sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    // Times of one conversation differ (importers see to it), so pages neither overlap nor leave gaps.
    descriptor.fetchLimit = Self.pageSize
    descriptor.fetchOffset = (number - 1) * Self.pageSize
    return Page(
      messages: try context.fetch(descriptor).reversed(), number: number, count: count, total: total)
  }

  /// The newest messages that contain a text, and how many there are.
  public struct SearchResult {
    /// The newest first, as many as were asked for.
    public let messages: [MessageEntity]
    /// How many there are altogether.
    public let total: Int
  }

  /// The newest messages that contain a text, as typed or in lower, upper or capitalised letters.
  /// - Throws: ``DataLayerError/invalidData(_:)`` for an empty text.
  public func search(_ text: String, limit: Int = 50) throws -> SearchResult {
    guard !text.isEmpty else { throw DataLayerError.invalidData("the text to search for is empty") }
    let lower = text.lowercased()
    let upper = text.uppercased()
    let capital = lower.prefix(1).uppercased() + lower.dropFirst()
    // Every part costs a look at every message, so the usual case has as few as it can.
    let predicate =
      [lower, upper, capital].contains(text)
      ? #Predicate<MessageEntity> { $0.text.contains(lower) || $0.text.contains(upper) || $0.text.contains(capital) }
      : #Predicate<MessageEntity> {
        $0.text.contains(text) || $0.text.contains(lower) || $0.text.contains(upper) || $0.text.contains(capital)
      }
    let newestFirst = [SortDescriptor(\MessageEntity.createdAt, order: .reverse)]
    let found = try context.fetchIdentifiers(FetchDescriptor(predicate: predicate, sortBy: newestFirst))
    let shown = Set(found.prefix(max(0, limit)))
    let messages = try context.fetch(
      FetchDescriptor<MessageEntity>(
        predicate: #Predicate { shown.contains($0.persistentModelID) }, sortBy: newestFirst))
    return SearchResult(messages: messages, total: found.count)
  }

  /// The store in numbers.
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
    /// Messages that wait to be sent.
    public var pending = 0
    /// Messages that could not be sent.
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

    /// Those of an empty store.
    public init() {}
  }

  /// Counts what is in the store.
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

  // MARK: - Changing

  /// Stores a message as being sent; a sync service picks it up from there.
  /// - Throws: ``DataLayerError`` for an empty text, `SwiftDataError` where it cannot be stored.
  @discardableResult
  public func send(_ text: String, to conversation: ConversationEntity, from sender: String = "me") throws
    -> MessageEntity
  {
    guard !text.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty else {
      throw DataLayerError.invalidData("the message is empty")
    }
    let message = MessageEntity(
      conversationID: conversation.id, senderID: sender, text: text, status: .sending, syncStatus: .pending)
    context.insert(message)
    message.conversation = conversation
    conversation.updateWithMessage(message)
    try context.save()
    return message
  }

  /// Pins a conversation, or unpins it.
  /// - Returns: whether that changed anything.
  /// - Throws: `SwiftDataError`.
  @discardableResult
  public func setPinned(_ isPinned: Bool, _ conversation: ConversationEntity) throws -> Bool {
    try set(\.isPinned, isPinned, conversation)
  }

  /// Mutes a conversation, or unmutes it.
  /// - Returns: whether that changed anything.
  /// - Throws: `SwiftDataError`.
  @discardableResult
  public func setMuted(_ isMuted: Bool, _ conversation: ConversationEntity) throws -> Bool {
    try set(\.isMuted, isMuted, conversation)
  }

  /// Archives a conversation, or brings it back.
  /// - Returns: whether that changed anything.
  /// - Throws: `SwiftDataError`.
  @discardableResult
  public func setArchived(_ isArchived: Bool, _ conversation: ConversationEntity) throws -> Bool {
    try set(\.isArchived, isArchived, conversation)
  }

  private func set(
    _ property: ReferenceWritableKeyPath<ConversationEntity, Bool>, _ value: Bool, _ conversation: ConversationEntity
  ) throws -> Bool {
    guard conversation[keyPath: property] != value else { return false }
    conversation[keyPath: property] = value
    try context.save()
    return true
  }

  /// Keeps the messages of a conversation from ``RetentionService``, or leaves them to it.
  /// - Returns: whether that changed anything.
  /// - Throws: `SwiftDataError`.
  @discardableResult
  public func setKept(_ isKept: Bool, _ conversation: ConversationEntity) throws -> Bool {
    try set(\.isKept, isKept, conversation)
  }

  /// Marks a conversation as read.
  /// - Throws: `SwiftDataError`.
  public func markAsRead(_ conversation: ConversationEntity) throws {
    guard conversation.unreadCount > 0 else { return }
    conversation.markAsRead()
    try context.save()
  }

  /// Deletes a conversation with its messages and their attachments.
  /// - Throws: `SwiftDataError`.
  public func delete(_ conversation: ConversationEntity) throws {
    context.delete(conversation)
    try context.save()
  }
}
