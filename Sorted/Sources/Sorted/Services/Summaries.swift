import Foundation

/// A conversation as `--json` prints it.
public struct ConversationSummary: Codable, Equatable, Sendable {
  /// What the commands take.
  public var id: String
  /// Its display name, or its participants.
  public var name: String
  /// The identifiers of those who take part.
  public var participants: [String]
  /// Whether it is no talk of two.
  public var isGroup: Bool
  /// Whether it leads the list.
  public var isPinned: Bool
  /// Whether it is silent.
  public var isMuted: Bool
  /// Whether it left the list.
  public var isArchived: Bool
  /// How many of its messages are unread.
  public var unreadCount: Int
  /// What its newest message says.
  public var lastMessageText: String?
  /// When its newest message was written.
  public var lastMessageAt: Date?

  /// Sums up a conversation.
  public init(_ conversation: ConversationEntity) {
    id = conversation.id
    name = conversation.displayName ?? conversation.participantIDs.joined(separator: ", ")
    participants = conversation.participantIDs
    isGroup = conversation.isGroup
    isPinned = conversation.isPinned
    isMuted = conversation.isMuted
    isArchived = conversation.isArchived
    unreadCount = conversation.unreadCount
    lastMessageText = conversation.lastMessageText
    lastMessageAt = conversation.lastMessageAt
  }
}

/// A message as `--json` prints it.
public struct MessageSummary: Codable, Equatable, Sendable {
  /// Unique in the store.
  public var id: String
  /// The conversation that it is in.
  public var conversationID: String
  /// The display name of that conversation.
  public var conversationName: String?
  /// Who wrote it.
  public var sender: String
  /// What it says.
  public var text: String
  /// When it was written.
  public var createdAt: Date
  /// How far it has come.
  public var status: MessageStatus
  /// Whether it has reached the server.
  public var syncStatus: SyncStatus

  /// Sums up a message.
  public init(_ message: MessageEntity) {
    id = message.id
    conversationID = message.conversationID
    conversationName = message.conversation?.displayName
    sender = message.senderID
    text = message.text
    createdAt = message.createdAt
    status = message.status
    syncStatus = message.syncStatus
  }
}

/// A page of a conversation as `--json` prints it.
public struct PageSummary: Codable, Equatable, Sendable {
  /// The conversation.
  public var conversation: ConversationSummary
  /// Counted from 1, the newest messages first.
  public var page: Int
  /// How many pages there are.
  public var pages: Int
  /// How many messages the conversation has.
  public var total: Int
  /// The newest last.
  public var messages: [MessageSummary]

  /// Makes one.
  public init(conversation: ConversationSummary, page: Int, pages: Int, total: Int, messages: [MessageSummary]) {
    self.conversation = conversation
    self.page = page
    self.pages = pages
    self.total = total
    self.messages = messages
  }

  /// Sums up a page.
  public init(_ page: InboxService.Page, of conversation: ConversationEntity) {
    self.conversation = ConversationSummary(conversation)
    self.page = page.number
    self.pages = page.count
    self.total = page.total
    self.messages = page.messages.map(MessageSummary.init)
  }
}

/// The messages that a search found as `--json` prints them.
public struct SearchSummary: Codable, Equatable, Sendable {
  /// How many there are; the newest of them follow.
  public var total: Int
  /// The newest first.
  public var messages: [MessageSummary]

  /// Makes one.
  public init(total: Int, messages: [MessageSummary]) {
    self.total = total
    self.messages = messages
  }

  /// Sums up what a search found.
  public init(_ result: InboxService.SearchResult) {
    total = result.total
    messages = result.messages.map(MessageSummary.init)
  }
}
