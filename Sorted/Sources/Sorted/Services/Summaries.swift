import Foundation

/// The JSON form of a conversation.
public struct ConversationSummary: Codable, Equatable, Sendable {
  /// The identifier for commands.
  public var id: String
  /// The display name, or the participants.
  public var name: String
  /// The identifiers of the participants.
  public var participants: [String]
  /// Whether it is a group conversation.
  public var isGroup: Bool
  /// Whether it is pinned.
  public var isPinned: Bool
  /// Whether it is muted.
  public var isMuted: Bool
  /// Whether it is archived.
  public var isArchived: Bool
  /// The number of unread messages.
  public var unreadCount: Int
  /// The text of the newest message.
  public var lastMessageText: String?
  /// The time of the newest message.
  public var lastMessageAt: Date?

  /// Makes the summary of a conversation.
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

/// The JSON form of a message.
public struct MessageSummary: Codable, Equatable, Sendable {
  /// Unique in the store.
  public var id: String
  /// The identifier of the conversation.
  public var conversationID: String
  /// The display name of that conversation.
  public var conversationName: String?
  /// The sender.
  public var sender: String
  /// The text.
  public var text: String
  /// The creation time.
  public var createdAt: Date
  /// The delivery state.
  public var status: MessageStatus
  /// Whether the server has it.
  public var syncStatus: SyncStatus

  /// Makes the summary of a message.
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

/// The JSON form of a page of a conversation.
public struct PageSummary: Codable, Equatable, Sendable {
  /// The conversation.
  public var conversation: ConversationSummary
  /// The page number, starting at 1 with the newest messages.
  public var page: Int
  /// The number of pages.
  public var pages: Int
  /// The number of messages in the conversation.
  public var total: Int
  /// The messages, newest last.
  public var messages: [MessageSummary]

  /// Makes a summary.
  public init(conversation: ConversationSummary, page: Int, pages: Int, total: Int, messages: [MessageSummary]) {
    self.conversation = conversation
    self.page = page
    self.pages = pages
    self.total = total
    self.messages = messages
  }

  /// Makes the summary of a page.
  public init(_ page: InboxService.Page, of conversation: ConversationEntity) {
    self.conversation = ConversationSummary(conversation)
    self.page = page.number
    self.pages = page.count
    self.total = page.total
    self.messages = page.messages.map(MessageSummary.init)
  }
}

/// The JSON form of a search result.
public struct SearchSummary: Codable, Equatable, Sendable {
  /// The number of matches, or nil if it is not counted.
  public var total: Int?
  /// Whether older matches follow.
  public var hasMore: Bool
  /// The newest matches, newest first.
  public var messages: [MessageSummary]

  /// Makes a summary.
  public init(total: Int?, hasMore: Bool, messages: [MessageSummary]) {
    self.total = total
    self.hasMore = hasMore
    self.messages = messages
  }

  /// Makes the summary of a search result.
  public init(_ result: InboxService.SearchResult) {
    total = result.total
    hasMore = result.hasMore
    messages = result.messages.map(MessageSummary.init)
  }
}
