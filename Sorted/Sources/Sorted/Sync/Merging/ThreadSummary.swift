import Foundation
import SwiftData

/// A conversation's last message and unread count. Both are computed from the messages, so they are right after any
/// order of arrival and any crash.
package enum ThreadSummary {
  /// Updates a conversation from its messages. One that is not on a server keeps its count.
  /// - Throws: `SwiftDataError`.
  static func refresh(_ conversationID: String, userID: String, _ context: ModelContext) throws {
    let found = try context.fetch(
      FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == conversationID }))
    guard let conversation = found.first else { return }
    var newest = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { $0.conversationID == conversationID },
      sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    newest.fetchLimit = 1
    let last = try context.fetch(newest).first
    let unread =
      conversation.serverTime == 0
      ? conversation.unreadCount
      : try context.fetchCount(FetchDescriptor(predicate: Self.unread(conversationID, userID)))
    let text = last?.text ?? conversation.lastMessageText
    let time = last?.createdAt ?? conversation.lastMessageAt
    let sender = last?.senderID ?? conversation.lastMessageSenderID
    guard
      conversation.unreadCount != unread || conversation.lastMessageText != text || conversation.lastMessageAt != time
        || conversation.lastMessageSenderID != sender
    else { return }
    try context.update(
      model: ConversationEntity.self, where: #Predicate { $0.id == conversationID },
      set: .assign(\.unreadCount, unread),
      .assign(\.lastMessageText, text), .assign(\.lastMessageAt, time), .assign(\.lastMessageSenderID, sender))
  }

  /// The messages of others from the server that the user has not read.
  package static func unread(_ conversationID: String, _ userID: String) -> Predicate<MessageEntity> {
    #Predicate {
      $0.conversationID == conversationID && $0.senderID != userID && $0.serverTime > 0 && !$0.readBy.contains(userID)
    }
  }
}
