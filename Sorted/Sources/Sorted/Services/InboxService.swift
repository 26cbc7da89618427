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
  ///
  /// Its time is later than that of every message in the conversation, however wrong this machine's clock is: who answers
  /// comes after what is answered, in every store.
  /// - Parameters:
  ///   - sender: nil is the user whose store it is.
  ///   - id: unique; who may have to send again what they sent gives the same one.
  ///   - attachments: new ones, which are stored with it.
  /// - Throws: ``DataLayerError`` for an empty text, `SwiftDataError` where it cannot be stored.
  @discardableResult
  public func send(
    _ text: String, to conversation: ConversationEntity, from sender: String? = nil, id: String = UUID().uuidString,
    attachments: [AttachmentEntity] = [], now: Date = Date()
  ) throws -> MessageEntity {
    guard !text.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty else {
      throw DataLayerError.invalidData("the message is empty")
    }
    let earliest = (conversation.lastMessageAt ?? .distantPast).addingTimeInterval(0.001)
    let message = MessageEntity(
      id: id, conversationID: conversation.id, senderID: try sender ?? LocalUser.id(in: context), text: text,
      createdAt: ServerTime.rounded(max(now, earliest)), status: .sending, syncStatus: .pending)
    context.insert(message)
    if !attachments.isEmpty { message.attachments = attachments }
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
    try set(\.isPinned, isPinned, conversation, .isPinned)
  }

  /// Mutes a conversation, or unmutes it.
  /// - Returns: whether that changed anything.
  /// - Throws: `SwiftDataError`.
  @discardableResult
  public func setMuted(_ isMuted: Bool, _ conversation: ConversationEntity) throws -> Bool {
    try set(\.isMuted, isMuted, conversation, .isMuted)
  }

  /// Archives a conversation, or brings it back.
  /// - Returns: whether that changed anything.
  /// - Throws: `SwiftDataError`.
  @discardableResult
  public func setArchived(_ isArchived: Bool, _ conversation: ConversationEntity) throws -> Bool {
    try set(\.isArchived, isArchived, conversation, .isArchived)
  }

  private func set(
    _ property: ReferenceWritableKeyPath<ConversationEntity, Bool>, _ value: Bool, _ conversation: ConversationEntity,
    _ field: ConversationField? = nil
  ) throws -> Bool {
    guard conversation[keyPath: property] != value else { return false }
    conversation[keyPath: property] = value
    if let field { conversation.noteChange(of: field) }
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

  /// Marks a conversation as read, and its messages, which the next sync tells those who wrote them.
  /// - Throws: `SwiftDataError`.
  public func markAsRead(_ conversation: ConversationEntity) throws {
    let user = try LocalUser.id(in: context)
    let unread = try context.fetch(FetchDescriptor(predicate: ThreadSummary.unread(conversation.id, user)))
    guard conversation.unreadCount > 0 || !unread.isEmpty else { return }
    for message in unread { message.markAsRead(by: user, participants: conversation.participantIDs) }
    conversation.markAsRead()
    try context.save()
  }

  /// Begins a conversation. Others see it when its first message is sent.
  /// - Parameters:
  ///   - id: unique; it may have slashes.
  ///   - participants: the others.
  /// - Throws: ``DataLayerError/invalidData(_:)`` where there is one already, or nobody takes part; `SwiftDataError`.
  public func begin(
    _ id: String = UUID().uuidString, with participants: [String], name: String? = nil
  ) throws -> ConversationEntity {
    guard !id.isEmpty, !participants.isEmpty, !participants.contains("") else {
      throw DataLayerError.invalidData("a conversation needs an id and somebody to talk to")
    }
    guard try context.fetchCount(FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == id })) == 0 else {
      throw DataLayerError.invalidData("there is a conversation \"\(id)\" already")
    }
    let conversation = ConversationEntity(
      id: id, participantIDs: [try LocalUser.id(in: context)] + participants, displayName: name,
      isGroup: participants.count > 1, createdAt: ServerTime.rounded(Date()))
    context.insert(conversation)
    try context.save()
    return conversation
  }

  /// Changes the text of a message of one's own; the next sync sends that.
  /// - Throws: ``DataLayerError/invalidData(_:)`` for an empty text and for a message of somebody else; `SwiftDataError`.
  public func edit(_ message: MessageEntity, text: String) throws {
    let user = try LocalUser.id(in: context)
    guard message.senderID == user || message.senderID == LocalUser.placeholder else {
      throw DataLayerError.invalidData("the message is \(message.senderID)'s; only who wrote it can change it")
    }
    guard !text.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty else {
      throw DataLayerError.invalidData("the message is empty")
    }
    message.edit(text: text)
    try context.save()
  }

  /// The message with an identifier.
  /// - Throws: ``DataLayerError/invalidData(_:)`` where there is none.
  public func message(_ id: String) throws -> MessageEntity {
    let found = try context.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.id == id }))
    guard let message = found.first else { throw DataLayerError.invalidData("there is no message \"\(id)\"") }
    return message
  }

  /// Puts failed messages back into the queue; the next sync tries them again.
  /// - Parameter id: nil for all that failed.
  /// - Returns: how many there were.
  /// - Throws: ``DataLayerError/invalidData(_:)`` where there is no such message; `SwiftDataError`.
  @discardableResult
  public func retry(_ id: String? = nil) throws -> Int {
    let failed = SyncStatus.failed
    let messages =
      try id.map { [try message($0)] }
      ?? context.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.syncStatus == failed }))
    let tried = messages.filter { $0.syncStatus == .failed }
    for message in tried { message.retry() }
    try context.save()
    return tried.count
  }

  /// Deletes a conversation with its messages and their attachments, here only: later news bring it back.
  /// - Throws: `SwiftDataError`.
  public func delete(_ conversation: ConversationEntity) throws {
    if conversation.noticeTime > 0, let state = try SyncStateEntity.of(context) {
      state.deletedNotices[conversation.id] = conversation.noticeTime
    }
    context.delete(conversation)
    try context.save()
  }
}
