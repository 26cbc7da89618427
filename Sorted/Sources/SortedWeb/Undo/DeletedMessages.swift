import Foundation
import Sorted
import SwiftData

/// Deletes messages so that they can be had back.
///
/// A deleted message leaves the inbox at once: what was not sent yet is not sent, and no other program sees it. A copy in
/// the web's own store is what it is made from again.
struct DeletedMessages {
  let access: Access

  /// - Throws: `SwiftDataError`.
  func delete(_ message: MessageEntity, in conversation: ConversationEntity) throws {
    let contents = try JSONEncoder().encode(MessageCopy(message))
    access.work.own.insert(
      DeletedMessageEntity(
        id: message.id, userID: access.viewer.userID, conversationID: conversation.id, contents: contents))
    access.work.inbox.delete(message)
    // It stays where it is in the list.
    if conversation.lastMessageAt == message.createdAt { try showNewest(of: conversation) }
  }

  /// - Throws: ``PageError`` where it cannot be had back any more, or somebody else deleted it.
  func restore(_ id: String, in conversation: ConversationEntity) throws {
    let (user, conversationID) = (access.viewer.userID, conversation.id)
    let found = try access.work.own.fetch(
      FetchDescriptor<DeletedMessageEntity>(
        predicate: #Predicate { $0.id == id && $0.userID == user && $0.conversationID == conversationID }))
    guard let deleted = found.first else {
      throw PageError(.gone, "Too late", "That message is gone for good: it could be had back for a short time only.")
    }
    try insert(try JSONDecoder().decode(MessageCopy.self, from: deleted.contents), into: conversation)
    // The message first: if the program ends between the two, it is there and its copy goes by itself.
    try access.work.inbox.save()
    access.work.own.delete(deleted)
  }

  private func insert(_ copy: MessageCopy, into conversation: ConversationEntity) throws {
    let context = access.work.inbox
    let id = copy.id
    // The sync may have brought it already.
    guard try context.fetchCount(FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.id == id })) == 0 else {
      return
    }
    let message = copy.message()
    context.insert(message)
    message.conversation = conversation
    message.attachments = copy.attachments.map { $0.attachment() }
    try context.save()
    if conversation.lastMessageAt.map({ $0 <= message.createdAt }) ?? true { try showNewest(of: conversation) }
  }

  /// Has the list show the newest message that there is.
  private func showNewest(of conversation: ConversationEntity) throws {
    let newest = try ThreadReader(context: access.work.inbox, conversationID: conversation.id).newest().messages.last
    conversation.lastMessageText = newest?.text
    conversation.lastMessageSenderID = newest?.senderID
  }
}
