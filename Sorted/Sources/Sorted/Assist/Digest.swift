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
  /// - Throws: `SwiftDataError`.
  /// - Complexity: a constant number of statements.
  public func digest(
    for userID: String? = nil, days: Int = 30, now: Date = Date(),
    where isVisible: (ConversationEntity) throws -> Bool = { !$0.isArchived }
  ) throws -> Digest {
    let user = try userID ?? LocalUser.id(in: context)
    let since = now.addingTimeInterval(-Double(days) * 86_400)
    let recent = #Predicate<ConversationEntity> { ($0.lastMessageAt ?? since) > since }
    let conversations = try newestFromOthers(than: [user, LocalUser.placeholder], where: recent).filter(isVisible)
    return Digest(of: try lastMessages(of: conversations), for: user)
  }

  /// Returns the newest conversations whose last message comes from another person, ``digestCount`` at most.
  /// - Parameters:
  ///   - names: the identifiers of the reader.
  ///   - condition: which conversations are looked at.
  /// - Throws: `SwiftDataError`.
  public func newestFromOthers(
    than names: [String], where condition: Predicate<ConversationEntity>
  ) throws -> [ConversationEntity] {
    var descriptor = FetchDescriptor<ConversationEntity>(
      predicate: #Predicate {
        condition.evaluate($0) && $0.lastMessageSenderID != nil && !names.contains($0.lastMessageSenderID ?? "")
      }, sortBy: [SortDescriptor(\.lastMessageAt, order: .reverse)])
    descriptor.fetchLimit = Self.digestCount
    return try context.fetch(descriptor)
  }

  /// A conversation and its last message.
  public typealias Pair = (conversation: ConversationEntity, message: MessageEntity)

  /// Returns the last message of each conversation that has one.
  /// - Throws: `SwiftDataError`.
  /// - Complexity: one statement for 50 conversations, because the database then uses the index of conversation and time.
  public func lastMessages(of conversations: [ConversationEntity]) throws -> [Pair] {
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
}

extension Digest {
  /// Makes the digest of conversations and their last messages. Messages of the reader count for nothing.
  public init(of pairs: some Sequence<AssistInbox.Pair>, for user: String) {
    for (conversation, message) in pairs where message.senderID != user {
      switch message.category {
      case .urgent: urgent += 1
      case .business: business += 1
      case .fan: fans += 1
      case .spam: spam += 1
      case nil: break
      }
      guard message.needsAnswer else { continue }
      needAnswer.append(
        Item(
          conversationID: conversation.id,
          name: conversation.displayName ?? conversation.participantIDs.filter { $0 != user }.joined(separator: ", "),
          sender: message.senderID, text: message.text, createdAt: message.createdAt, category: message.category,
          opportunity: message.opportunityScore, draft: message.smartReplyDraft))
    }
    needAnswer.sort { $0.rank != $1.rank ? $0.rank > $1.rank : $0.createdAt > $1.createdAt }
  }
}

extension Digest.Item {
  fileprivate var rank: Int {
    switch category {
    case .urgent: 1_000
    case .business: 100 + (opportunity ?? 0)
    default: 0
    }
  }
}

extension MessageEntity {
  /// Whether the message needs an answer if it is the last one and comes from another person: it is urgent or business, matches a
  /// question, or contains a question mark. Spam never needs an answer.
  public var needsAnswer: Bool {
    switch category {
    case .spam: false
    case .urgent, .business: true
    case .fan, nil: faqMatchID != nil || text.contains("?")
    }
  }
}
