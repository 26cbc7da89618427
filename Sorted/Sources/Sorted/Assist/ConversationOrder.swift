import Foundation
import SwiftData

/// How a list of conversations is ordered.
public enum ConversationOrder: String, Sendable, CaseIterable {
  /// Pinned ones first, then the latest.
  case latest
  /// The greatest opportunity of any of its messages first; conversations without one are left out.
  case opportunity
}

extension InboxService {
  /// The conversations of a filter that have a message of a category, in an order.
  /// - Parameters:
  ///   - filter: which conversations to list.
  ///   - category: nil is all conversations.
  ///   - order: the order of the list.
  /// - Throws: `SwiftDataError`.
  public func conversations(
    _ filter: Filter = .all, category: MessageCategory?, order: ConversationOrder = .latest
  ) throws -> [ConversationEntity] {
    let assist = AssistInbox(context: context)
    var found = try conversations(filter)
    if let category {
      let ids = Set(try assist.conversations(with: category))
      found = found.filter { ids.contains($0.id) }
    }
    guard order == .opportunity else { return found }
    let scores = try assist.opportunities()
    let scored = found.enumerated().compactMap { place, conversation in
      scores[conversation.id].map { (place: place, score: $0, conversation: conversation) }
    }
    return scored.sorted { $0.score != $1.score ? $0.score > $1.score : $0.place < $1.place }.map(\.conversation)
  }
}

extension AssistInbox {
  /// The conversations that have a message of a category which a person did not write.
  /// - Parameters:
  ///   - category: the category of the message.
  ///   - userID: nil is the owner of the store.
  /// - Throws: `SwiftDataError`.
  public func conversations(with category: MessageCategory, for userID: String? = nil) throws -> [String] {
    let user = try userID ?? LocalUser.id(in: context)
    let descriptor = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { $0.category == category && $0.senderID != user && $0.senderID != "me" })
    return try context.fetch(descriptor, groupedBy: \.conversationID, .count).map(\.0)
  }

  /// The greatest opportunity of each conversation that has one, by the messages of others.
  /// - Parameter userID: nil is the owner of the store.
  /// - Throws: `SwiftDataError`.
  public func opportunities(for userID: String? = nil) throws -> [String: Int] {
    let user = try userID ?? LocalUser.id(in: context)
    let descriptor = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { $0.opportunityScore != nil && $0.senderID != user && $0.senderID != "me" })
    let found = try context.fetch(descriptor, groupedBy: \.conversationID, .maximum(\.opportunityScore))
    return Dictionary(found.compactMap { id, score in score.map { (id, $0) } }, uniquingKeysWith: max)
  }

  /// The conversations whose last message is spam that a person did not write: what a list leaves out unless asked for it.
  /// - Parameter userID: nil is the owner of the store.
  /// - Throws: `SwiftDataError`.
  public func spamConversations(for userID: String? = nil) throws -> [String] {
    let user = try userID ?? LocalUser.id(in: context)
    let spam = MessageCategory.spam
    let descriptor = FetchDescriptor<MessageEntity>(
      predicate: #Predicate {
        $0.category == spam && $0.senderID != user && $0.senderID != "me"
          && $0.conversation?.lastMessageAt == $0.createdAt
      })
    return try context.fetch(descriptor, groupedBy: \.conversationID, .count).map(\.0)
  }
}
