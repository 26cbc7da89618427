import Foundation

/// A conversation as `--json` prints it.
public struct ConversationSummary: Codable, Equatable, Sendable {
  public var id: String
  public var name: String
  public var participants: [String]
  public var isGroup: Bool
  public var isPinned: Bool
  public var isMuted: Bool
  public var isArchived: Bool
  public var unreadCount: Int
  public var lastMessageText: String?
  public var lastMessageAt: Date?

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
  public var id: String
  public var conversationID: String
  public var conversationName: String?
  public var sender: String
  public var text: String
  public var createdAt: Date
  public var status: MessageStatus
  public var syncStatus: SyncStatus

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
  public var conversation: ConversationSummary
  public var page: Int
  public var pages: Int
  public var total: Int
  public var messages: [MessageSummary]

  public init(conversation: ConversationSummary, page: Int, pages: Int, total: Int, messages: [MessageSummary]) {
    self.conversation = conversation
    self.page = page
    self.pages = pages
    self.total = total
    self.messages = messages
  }

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
  public var messages: [MessageSummary]

  public init(total: Int, messages: [MessageSummary]) {
    self.total = total
    self.messages = messages
  }

  public init(_ result: InboxService.SearchResult) {
    total = result.total
    messages = result.messages.map(MessageSummary.init)
  }
}
