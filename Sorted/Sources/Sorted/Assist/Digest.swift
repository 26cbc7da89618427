import Foundation
import SwiftData

/// A digest of the inbox: the recent conversations by category, and the messages that need an answer.
public struct Digest: Codable, Equatable, Sendable {
  /// A conversation whose last message needs an answer.
  public struct Item: Codable, Equatable, Sendable {
    /// The identifier of the conversation.
    public var conversationID: String
    /// The display name of the conversation, or its participants.
    public var name: String
    /// The sender of the last message.
    public var sender: String
    /// The text of the last message.
    public var text: String
    /// The time of the last message.
    public var createdAt: Date
    /// The category of the last message; nil if it has none.
    public var category: MessageCategory?
    /// The opportunity from 0 to 100; nil for other categories than business.
    public var opportunity: Int?
    /// The draft of an answer; nil if the message asks none of the person's questions.
    public var draft: String?
  }

  /// The conversations that need an answer: urgent ones first, then business by opportunity, then the newest.
  public var needAnswer: [Item] = []
  /// The number of conversations whose last message is urgent.
  public var urgent = 0
  /// The number of conversations whose last message is business.
  public var business = 0
  /// The number of conversations whose last message is from a fan.
  public var fans = 0
  /// The number of conversations whose last message is spam. They never need an answer.
  public var spam = 0

  /// Makes the digest of an empty inbox.
  public init() {}

  /// The digest in one line, for example "12 need an answer: 2 urgent, 3 business."
  public var headline: String {
    if needAnswer.isEmpty { return "Nothing needs an answer." }
    let urgent = needAnswer.count { $0.category == .urgent }
    let business = needAnswer.count { $0.category == .business }
    let parts = [urgent > 0 ? "\(urgent) urgent" : nil, business > 0 ? "\(business) business" : nil].compactMap { $0 }
    return "\(needAnswer.count) \(needAnswer.count == 1 ? "needs" : "need") an answer"
      + (parts.isEmpty ? "." : ": \(parts.joined(separator: ", ")).")
  }
}

extension AssistInbox {
  /// The largest number of conversations in a digest. It takes the newest ones.
  public static let digestCount = 200

  /// Makes the digest of the newest conversations whose last message comes from another person than the reader.
  ///
  /// A message needs an answer if it is urgent or business, matches a question, or contains a question mark. Spam never needs an
  /// answer.
  /// - Parameters:
  ///   - userID: the reader; nil is the owner of the store.
  ///   - days: the largest age of the last message in days.
  ///   - now: the current time.
  ///   - isVisible: a closure that returns whether the reader sees a conversation; without it, those that are not archived.
  ///   - isSeen: a closure that returns whether the reader sees a message.
  /// - Throws: `SwiftDataError`.
  /// - Complexity: a constant number of statements.
  public func digest(
    for userID: String? = nil, days: Int = 30, now: Date = Date(),
    where isVisible: (ConversationEntity) throws -> Bool = { !$0.isArchived },
    seeing isSeen: (MessageEntity) throws -> Bool = { _ in true }
  ) throws -> Digest {
    let user = try userID ?? LocalUser.id(in: context)
    let since = now.addingTimeInterval(-Double(days) * 86_400)
    var descriptor = FetchDescriptor<ConversationEntity>(
      predicate: #Predicate {
        ($0.lastMessageAt ?? since) > since && $0.lastMessageSenderID != user
          && $0.lastMessageSenderID != "me"
      }, sortBy: [SortDescriptor(\.lastMessageAt, order: .reverse)])
    descriptor.fetchLimit = Self.digestCount
    let conversations = try context.fetch(descriptor).filter(isVisible)
    return Self.digest(of: try lastMessages(of: conversations).filter { try isSeen($0.message) }, user)
  }

  private typealias Pair = (conversation: ConversationEntity, message: MessageEntity)

  /// Returns the last message of each conversation. One statement reads 50 conversations, because the database then uses the index of
  /// conversation and time.
  private func lastMessages(of conversations: [ConversationEntity]) throws -> [Pair] {
    var result: [Pair] = []
    var rest = conversations[...]
    while !rest.isEmpty {
      let part = rest.prefix(50)
      rest = rest.dropFirst(50)
      let ids = part.map(\.id)
      let dates = part.compactMap(\.lastMessageAt)
      let found = try context.fetch(
        FetchDescriptor<MessageEntity>(
          predicate: #Predicate { ids.contains($0.conversationID) && dates.contains($0.createdAt) }))
      let byConversation = Dictionary(grouping: found, by: \.conversationID)
      for conversation in part {
        guard let last = byConversation[conversation.id]?.max(by: { $0.createdAt < $1.createdAt }) else { continue }
        result.append((conversation, last))
      }
    }
    return result
  }

  private static func digest(of pairs: [Pair], _ user: String) -> Digest {
    var digest = Digest()
    for (conversation, message) in pairs where message.senderID != user {
      switch message.category {
      case .urgent: digest.urgent += 1
      case .business: digest.business += 1
      case .fan: digest.fans += 1
      case .spam: digest.spam += 1
      case nil: break
      }
      guard needsAnswer(message) else { continue }
      digest.needAnswer.append(
        Digest.Item(
          conversationID: conversation.id,
          name: conversation.displayName ?? conversation.participantIDs.filter { $0 != user }.joined(separator: ", "),
          sender: message.senderID, text: message.text, createdAt: message.createdAt, category: message.category,
          opportunity: message.opportunityScore, draft: message.smartReplyDraft))
    }
    digest.needAnswer.sort { rank($0) != rank($1) ? rank($0) > rank($1) : $0.createdAt > $1.createdAt }
    return digest
  }

  private static func needsAnswer(_ message: MessageEntity) -> Bool {
    switch message.category {
    case .spam: false
    case .urgent, .business: true
    case .fan, nil: message.faqMatchID != nil || message.text.contains("?")
    }
  }

  private static func rank(_ item: Digest.Item) -> Int {
    switch item.category {
    case .urgent: 1_000
    case .business: 100 + (item.opportunity ?? 0)
    default: 0
    }
  }
}
