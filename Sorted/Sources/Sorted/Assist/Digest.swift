import Foundation
import SwiftData

/// Recent activity of the inbox and the messages that wait for an answer.
public struct Digest: Codable, Equatable, Sendable {
  /// A conversation whose last message waits for an answer.
  public struct Item: Codable, Equatable, Sendable {
    /// The conversation.
    public var conversationID: String
    /// Its display name, or its participants.
    public var name: String
    /// Who wrote last.
    public var sender: String
    /// Their text.
    public var text: String
    /// When.
    public var createdAt: Date
    /// The category, if it has one.
    public var category: MessageCategory?
    /// 0 to 100, for business.
    public var opportunity: Int?
    /// The draft of an answer, where the question is a known one.
    public var draft: String?
  }

  /// What waits for an answer: urgent ones first, then business by its opportunity, then the newest.
  public var needAnswer: [Item] = []
  /// Conversations whose last message is urgent.
  public var urgent = 0
  /// Conversations whose last message is business.
  public var business = 0
  /// Conversations whose last message is from a fan.
  public var fans = 0
  /// Conversations whose last message is spam, which waits for nothing.
  public var spam = 0

  /// The digest of an empty inbox.
  public init() {}

  /// "12 need an answer: 2 urgent, 3 business."
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
  /// As many conversations are looked at, the newest.
  public static let digestCount = 200

  /// Sums up the newest conversations whose last message is someone else's.
  ///
  /// A message needs an answer where it is urgent or business, asks a known question, or has a question mark; never where it
  /// is spam.
  /// - Parameters:
  ///   - userID: who reads it; nil is the owner of the store.
  ///   - days: how old a message may be.
  ///   - now: the time to count the days back from.
  ///   - isVisible: which conversations the reader sees.
  /// - Throws: `SwiftDataError`.
  /// - Complexity: a few statements, however many conversations the store has.
  public func digest(
    for userID: String? = nil, days: Int = 30, now: Date = Date(),
    where isVisible: (ConversationEntity) throws -> Bool = { _ in true }
  ) throws -> Digest {
    let user = try userID ?? LocalUser.id(in: context)
    let since = now.addingTimeInterval(-Double(days) * 86_400)
    var descriptor = FetchDescriptor<ConversationEntity>(
      predicate: #Predicate {
        !$0.isArchived && ($0.lastMessageAt ?? since) > since && $0.lastMessageSenderID != user
          && $0.lastMessageSenderID != "me"
      }, sortBy: [SortDescriptor(\.lastMessageAt, order: .reverse)])
    descriptor.fetchLimit = Self.digestCount
    let conversations = try context.fetch(descriptor).filter(isVisible)
    return Self.sumUp(try lastMessages(of: conversations), user)
  }

  private typealias Pair = (conversation: ConversationEntity, message: MessageEntity)

  /// The last message of each conversation, 50 conversations a statement: both lists together are found by the index.
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

  private static func sumUp(_ pairs: [Pair], _ user: String) -> Digest {
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
