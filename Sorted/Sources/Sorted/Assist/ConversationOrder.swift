import Foundation
import SwiftData

/// The order of a list of conversations.
public enum ConversationOrder: String, Sendable, CaseIterable {
  /// Pinned conversations first, then by the time of the last message in descending order.
  case latest
  /// By the largest opportunity of their messages in descending order, without conversations that have none.
  case opportunity
}

extension InboxService {
  /// Returns the conversations that pass a filter and have a message of a category.
  /// - Parameters:
  ///   - filter: the filter of conversations.
  ///   - category: the category; nil returns conversations of any category.
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
    let scored = found.enumerated().compactMap { index, conversation in
      scores[conversation.id].map { (index: index, score: $0, conversation: conversation) }
    }
    return scored.sorted { $0.score != $1.score ? $0.score > $1.score : $0.index < $1.index }.map(\.conversation)
  }
}

extension AssistInbox {
  /// Returns the conversations that have a message of a category from another person than the reader.
  /// - Parameters:
  ///   - category: the category of the message.
  ///   - userID: the reader; nil is the owner of the store.
  /// - Throws: `SwiftDataError`.
  public func conversations(with category: MessageCategory, for userID: String? = nil) throws -> [String] {
    let user = try userID ?? LocalUser.id(in: context)
    let descriptor = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { $0.category == category && $0.senderID != user && $0.senderID != "me" })
    return try context.fetch(descriptor, groupedBy: \.conversationID, .count).map(\.0)
  }

  /// Returns the largest opportunity of each conversation, over the messages from other people than the reader.
  /// - Parameter userID: the reader; nil is the owner of the store.
  /// - Throws: `SwiftDataError`.
  public func opportunities(for userID: String? = nil) throws -> [String: Int] {
    let user = try userID ?? LocalUser.id(in: context)
    let descriptor = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { $0.opportunityScore != nil && $0.senderID != user && $0.senderID != "me" })
    let found = try context.fetch(descriptor, groupedBy: \.conversationID, .maximum(\.opportunityScore))
    return Dictionary(found.compactMap { id, score in score.map { (id, $0) } }, uniquingKeysWith: max)
  }

  /// Returns the conversations whose last message is spam from another person than the reader. Lists hide them by default.
  /// - Parameter userID: the reader; nil is the owner of the store.
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
