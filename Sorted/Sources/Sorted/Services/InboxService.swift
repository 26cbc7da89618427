import Foundation
import SwiftData

/// The operations of the inbox in one context, which the command line, the web and other front ends share.
///
/// A service changes objects; it never saves. The front end that called it saves the context once, so one action is one
/// transaction.
public struct InboxService {
  /// A selection of conversations.
  public enum Filter: Sendable {
    case all
    case unread
    case pinned
    case archived
  }

  /// The number of messages per page.
  public static let pageSize = 20

  let context: ModelContext

  /// Makes an inbox on a context.
  public init(context: ModelContext) { self.context = context }

  // MARK: - Reading

  /// The conversations of a filter: pinned ones first, then the latest. Archived ones only on request.
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

  /// The conversation with an identifier, or the only one whose identifier has this prefix, or the only one with this
  /// name.
  /// - Throws: ``DataLayerError/invalidData(_:)`` if there is none or several.
  public func conversation(_ id: String) throws -> ConversationEntity {
    let exact = try context.fetch(FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == id }))
    if let conversation = exact.first { return conversation }
    // The empty text is a prefix of every identifier and matches none.
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
    /// The messages, newest last.
    public let messages: [MessageEntity]
    /// The page number, starting at 1 with the newest messages.
    public let number: Int
    /// The number of pages.
    public let count: Int
    /// The number of messages in the conversation.
    public let total: Int
  }

  /// A page of a conversation, newest message last. Page 1 has the newest messages.
  /// - Throws: ``DataLayerError/invalidData(_:)`` if there is no such page.
  public func page(_ number: Int, of conversation: ConversationEntity) throws -> Page {
    let id = conversation.id
    let all = #Predicate<MessageEntity> { $0.conversationID == id }
    let total = try context.fetchCount(FetchDescriptor(predicate: all))
    let count = max(1, (total + Self.pageSize - 1) / Self.pageSize)
    guard (1...count).contains(number) else {
      throw DataLayerError.invalidData("there is no page \(number); the conversation has \(count)")
    }
    var descriptor = FetchDescriptor(predicate: all, sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    // The times within a conversation are unique, so pages neither overlap nor leave gaps.
    descriptor.fetchLimit = Self.pageSize
    descriptor.fetchOffset = (number - 1) * Self.pageSize
    return Page(
      messages: try context.fetch(descriptor).reversed(), number: number, count: count, total: total)
  }

  // MARK: - Changing

  /// Adds a message with the status sending. A sync service sends it once it is saved.
  ///
  /// Its time is later than the time of every message in the conversation, whatever the clock says, so that an answer
  /// follows its question in every store.
  /// - Parameters:
  ///   - text: not empty unless there are attachments.
  ///   - conversation: the conversation of the message.
  ///   - sender: nil is the user of the store.
  ///   - id: a unique identifier. A caller that may repeat the call passes the same one.
  ///   - replyTo: the identifier of the answered message.
  ///   - attachments: new attachments, stored with the message.
  ///   - now: the time of the message.
  /// - Throws: ``DataLayerError`` for an empty text, `SwiftDataError` if it cannot be stored.
  @discardableResult
  public func send(
    _ text: String, to conversation: ConversationEntity, from sender: String? = nil, id: String = UUID().uuidString,
    replyTo: String? = nil, attachments: [AttachmentEntity] = [], now: Date = Date()
  ) throws -> MessageEntity {
    guard !Self.isBlank(text) else { throw DataLayerError.invalidData("the message is empty") }
    let sender = try sender ?? LocalUser.id(in: context)
    try checkPresence(of: sender, in: conversation)
    let earliest = (conversation.lastMessageAt ?? .distantPast).addingTimeInterval(0.001)
    let message = MessageEntity(
      id: id, conversationID: conversation.id, senderID: sender, text: text,
      createdAt: ServerTime.rounded(max(now, earliest)), status: .sending, syncStatus: .pending)
    message.replyToID = replyTo
    context.insert(message)
    try attach(attachments, to: message)
    message.conversation = conversation
    conversation.updateWithMessage(message)
    // Where several people write into one store, the message of another one is new to its user.
    let names = [LocalUser.placeholder, try LocalUser.id(in: context)]
    if !names.contains(sender), conversation.participantIDs.contains(where: names.contains) {
      conversation.incrementUnreadCount()
    }
    return message
  }

  /// Whether a text has nothing to see: blanks, and characters that fonts draw as nothing.
  static func isBlank(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      let properties = scalar.properties
      // U+2800 is a pattern of Braille without dots.
      return properties.isWhitespace || properties.isDefaultIgnorableCodePoint || scalar.value == 0x2800
        || [.control, .format].contains(properties.generalCategory)
    }
  }

  /// Pins or unpins a conversation.
  /// - Returns: whether that changed anything.
  /// - Throws: `SwiftDataError`.
  @discardableResult
  public func setPinned(_ isPinned: Bool, _ conversation: ConversationEntity) throws -> Bool {
    try set(\.isPinned, isPinned, conversation, .isPinned)
  }

  /// Mutes or unmutes a conversation.
  /// - Returns: whether that changed anything.
  /// - Throws: `SwiftDataError`.
  @discardableResult
  public func setMuted(_ isMuted: Bool, _ conversation: ConversationEntity) throws -> Bool {
    try set(\.isMuted, isMuted, conversation, .isMuted)
  }

  /// Archives a conversation or brings it back.
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
    return true
  }

  /// Protects the messages of a conversation from ``RetentionService``, or stops that.
  /// - Returns: whether that changed anything.
  /// - Throws: `SwiftDataError`.
  @discardableResult
  public func setKept(_ isKept: Bool, _ conversation: ConversationEntity) throws -> Bool {
    try set(\.isKept, isKept, conversation)
  }

  /// Marks a conversation and its messages as read. The next sync sends read receipts.
  /// - Parameters:
  ///   - conversation: the conversation that was read.
  ///   - date: the time of the last message that was seen; nil marks all. Later messages stay unread.
  /// - Throws: `SwiftDataError`.
  public func markAsRead(_ conversation: ConversationEntity, upTo date: Date? = nil) throws {
    let user = try LocalUser.id(in: context)
    let unread = try context.fetch(FetchDescriptor(predicate: ThreadSummary.unread(conversation.id, user)))
    guard conversation.unreadCount > 0 || !unread.isEmpty else { return }
    let seen = unread.filter { date == nil || $0.createdAt <= date ?? .distantPast }
    for message in seen { message.markAsRead(by: user, participants: conversation.participantIDs) }
    guard let date, date < conversation.lastMessageAt ?? .distantPast else { return conversation.markAsRead() }
    let (id, names) = (conversation.id, [user, LocalUser.placeholder])
    let left = try context.fetchCount(
      FetchDescriptor<MessageEntity>(
        predicate: #Predicate {
          $0.conversationID == id && $0.createdAt > date && !names.contains($0.senderID)
        }))
    conversation.unreadCount = min(conversation.unreadCount, left)
  }

  /// Starts a conversation. The others see it when its first message is sent.
  /// - Parameters:
  ///   - id: a unique identifier. It may contain slashes.
  ///   - participants: the other participants.
  ///   - name: the display name, or nil to show the participants.
  /// - Throws: ``DataLayerError/invalidData(_:)`` if the identifier exists or there are no participants;
  ///   `SwiftDataError`.
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
    return conversation
  }

  /// Changes the text of a message; the next sync sends that. The list shows the new text where the message is the last.
  /// - Parameters:
  ///   - message: the message.
  ///   - text: the new text; not empty.
  ///   - sender: who asks; nil is the user whose store it is.
  /// - Throws: ``DataLayerError/invalidData(_:)`` for an empty text and for a message of another sender; `SwiftDataError`.
  public func edit(_ message: MessageEntity, text: String, by sender: String? = nil) throws {
    try checkSender(of: message, sender)
    guard !Self.isBlank(text) else { throw DataLayerError.invalidData("the message is empty") }
    guard message.deletedAt == nil else { throw DataLayerError.invalidData("the message was deleted") }
    if let conversation = message.conversation { try checkPresence(of: message.senderID, in: conversation) }
    message.edit(text: text)
    showLast(message)
  }

  /// Deletes a message for all people. The rest says that it was deleted, so that other stores learn of it; clients
  /// that do not know deletions show that text.
  /// - Parameters:
  ///   - message: the message.
  ///   - sender: who asks; nil is the user whose store it is.
  ///   - now: the time of the deletion.
  /// - Throws: ``DataLayerError/invalidData(_:)`` for a message of another sender; `SwiftDataError`.
  public func deleteForEverybody(_ message: MessageEntity, by sender: String? = nil, now: Date = Date()) throws {
    try checkSender(of: message, sender)
    guard message.deletedAt == nil else { return }
    message.deletedAt = ServerTime.rounded(now)
    message.edit(text: Self.deletedText, now: now)
    for attachment in message.attachments { context.delete(attachment) }
    message.attachments = []
    try MessageVectorEntity.delete(of: [message.id], in: context)
    showLast(message)
  }

  /// Takes back ``deleteForEverybody(_:by:now:)``.
  /// - Parameters:
  ///   - message: the deleted message.
  ///   - text: what the message said.
  ///   - attachments: new copies of its attachments.
  /// - Throws: `SwiftDataError`.
  public func restore(_ message: MessageEntity, text: String, attachments: [AttachmentEntity]) throws {
    message.deletedAt = nil
    message.edit(text: text)
    try attach(attachments, to: message)
    showLast(message)
  }

  /// The text of a message that was deleted for all people.
  public static let deletedText = "This message was deleted."

  private func checkSender(of message: MessageEntity, _ sender: String?) throws {
    let user = try sender ?? LocalUser.id(in: context)
    guard message.senderID == user || sender == nil && message.senderID == LocalUser.placeholder else {
      throw DataLayerError.invalidData("the message is \(message.senderID)'s; only who wrote it can change it")
    }
  }

  private func checkPresence(of person: String, in conversation: ConversationEntity) throws {
    guard !conversation.hasLeft(person) else {
      throw DataLayerError.invalidData("who left a conversation cannot write there")
    }
  }

  /// The list shows the last message; a change of it is a change of the list.
  private func showLast(_ message: MessageEntity) {
    guard let conversation = message.conversation, conversation.lastMessageAt == message.createdAt else { return }
    conversation.lastMessageText = message.text
  }

  /// Reacts to a message with an emoji, or takes the reaction back. Each person has one reaction to a message.
  /// - Parameters:
  ///   - emoji: nil takes the reaction back.
  ///   - message: the message.
  ///   - user: nil is the user whose store it is.
  ///   - now: the time of the reaction.
  /// - Throws: ``DataLayerError/invalidData(_:)`` for a text that is not a single emoji, and for a person who left the conversation;
  ///   `SwiftDataError`.
  public func react(_ emoji: String?, to message: MessageEntity, by user: String? = nil, now: Date = Date()) throws {
    if let emoji {
      let isEmoji = emoji.unicodeScalars.contains { $0.properties.isEmojiPresentation || $0.value == 0xFE0F }
      // The longest emoji, a flag or a family, has less than 50 bytes. A character may have any number of combining marks.
      guard emoji.count == 1, emoji.utf8.count <= 64, isEmoji else {
        throw DataLayerError.invalidData("a reaction is one emoji")
      }
    }
    let person = try user ?? LocalUser.id(in: context)
    if let conversation = message.conversation { try checkPresence(of: person, in: conversation) }
    message.react(emoji, by: person, now: now)
  }

  /// Pins a message in its conversation, or unpins it.
  /// - Parameters:
  ///   - isPinned: whether the message is pinned afterwards.
  ///   - message: the message.
  ///   - conversation: the message's conversation.
  ///   - user: who does it; nil is the user whose store it is.
  /// - Throws: ``DataLayerError/invalidData(_:)`` for more than ``maximumPins``, and for a person who left the conversation;
  ///   `SwiftDataError`.
  public func setPinned(
    _ isPinned: Bool, _ message: MessageEntity, in conversation: ConversationEntity, by user: String? = nil
  ) throws {
    try checkPresence(of: try user ?? LocalUser.id(in: context), in: conversation)
    guard conversation.pinnedMessageIDs.contains(message.id) != isPinned else { return }
    if isPinned {
      guard conversation.pinnedMessageIDs.count < Self.maximumPins else {
        throw DataLayerError.invalidData("a conversation has \(Self.maximumPins) pinned messages at most")
      }
      conversation.setPins(conversation.pinnedMessageIDs + [message.id])
    } else {
      conversation.setPins(conversation.pinnedMessageIDs.filter { $0 != message.id })
    }
    conversation.noteChange(of: .pinnedMessages)
  }

  /// The largest number of pinned messages in a conversation.
  public static let maximumPins = 20

  /// The message with an identifier.
  /// - Throws: ``DataLayerError/invalidData(_:)`` if there is none.
  public func message(_ id: String) throws -> MessageEntity {
    let found = try context.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.id == id }))
    guard let message = found.first else { throw DataLayerError.invalidData("there is no message \"\(id)\"") }
    return message
  }

  /// Puts failed messages back into the queue for the next sync.
  /// - Parameter id: nil for all failed messages.
  /// - Returns: the number of messages.
  /// - Throws: ``DataLayerError/invalidData(_:)`` if there is no such message; `SwiftDataError`.
  @discardableResult
  public func retry(_ id: String? = nil) throws -> Int {
    let failed = SyncStatus.failed
    let messages =
      try id.map { [try message($0)] }
      ?? context.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.syncStatus == failed }))
    let tried = messages.filter { $0.syncStatus == .failed }
    for message in tried { message.retry() }
    return tried.count
  }

  /// Deletes a conversation with its messages and attachments in this store only. New messages bring it back.
  ///
  /// In a `SharedInbox` the user leaves a conversation with others instead. It goes away with the next sync, or into the
  /// archive of the person who shared it, and the others keep it.
  /// - Throws: `SwiftDataError`.
  public func delete(_ conversation: ConversationEntity) throws {
    if conversation.serverTime > 0, try SharedInboxEntity.of(context) != nil {
      try changePeople(of: conversation, removing: [LocalUser.id(in: context)])
      _ = try setArchived(true, conversation)
      return
    }
    if conversation.noticeTime > 0, let state = try SyncStateEntity.of(context) {
      state.deletedNotices[conversation.id] = conversation.noticeTime
    }
    let id = conversation.id
    try context.delete(model: MessageVectorEntity.self, where: #Predicate { $0.conversationID == id })
    context.delete(conversation)
  }
}
