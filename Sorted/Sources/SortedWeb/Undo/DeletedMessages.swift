import Foundation
import Sorted
import SwiftData

/// Deletes messages so that they can be had back: for oneself, or for everybody.
///
/// A message that is deleted for everybody says so from then on, also in stores that it was synced to. A copy in the web's
/// own store is what it is restored from. The copy is stored before the text goes, and stays until it is purged: what says
/// whether a message is deleted is the message, so a failure between the saves of the two stores loses nothing.
struct DeletedMessages {
  let access: Access

  /// Deletes a message for oneself.
  func hide(_ message: MessageEntity) throws {
    let key = HiddenMessageEntity.key(access.viewer.userID, message.id)
    let known = try access.work.own.fetchCount(
      FetchDescriptor<HiddenMessageEntity>(predicate: #Predicate { $0.id == key }))
    guard known == 0 else { return }
    access.work.own.insert(
      HiddenMessageEntity(
        userID: access.viewer.userID, conversationID: message.conversationID, messageID: message.id))
    let (user, id, full) = (access.viewer.userID, message.conversationID, access.work.fullThreads)
    access.work.ifStored { full.forget(user, id) }
  }

  /// Deletes a message of one's own for everybody.
  /// - Throws: ``PageError`` for another person's message; `SwiftDataError`.
  func delete(_ message: MessageEntity) throws {
    try Sending(access: access).check(message)
    guard message.deletedAt == nil else { return }
    let (id, contents) = (message.id, try JSONEncoder().encode(MessageCopy(message)))
    access.work.keep(
      DeletedMessageEntity(
        id: id, userID: access.viewer.userID, conversationID: message.conversationID, contents: contents))
    let sender = access.viewer.isOwner ? nil : access.viewer.userID
    try InboxService(context: access.work.inbox).deleteForEverybody(message, by: sender)
  }

  /// Takes back whichever deletion the viewer made.
  /// - Throws: ``PageError`` if the bin does not have it any more, if another person deleted it, or if it would reach a person who takes
  ///   no messages from the viewer.
  func restore(_ id: String, in conversation: ConversationEntity) throws {
    let key = HiddenMessageEntity.key(access.viewer.userID, id)
    if let hidden = try access.work.own.fetch(
      FetchDescriptor<HiddenMessageEntity>(predicate: #Predicate { $0.id == key })
    ).first {
      access.work.own.delete(hidden)
      // Those who watch hear of a change, not of what is hidden.
      try access.anyMessage(id, in: conversation).updatedAt = Date()
      return
    }
    let (user, conversationID) = (access.viewer.userID, conversation.id)
    let found = try access.work.own.fetch(
      FetchDescriptor<DeletedMessageEntity>(
        predicate: #Predicate { $0.id == id && $0.userID == user && $0.conversationID == conversationID }))
    let message = try ifThere { try access.anyMessage(id, in: conversation) }
    guard let deleted = found.first, message == nil || message?.deletedAt != nil else {
      throw PageError(.gone, "Too late", "The message was deleted for good. The bin keeps messages for 30 days.")
    }
    try access.checkBlocks(in: conversation)
    let copy = try JSONDecoder().decode(MessageCopy.self, from: deleted.contents)
    let attachments = copy.attachments.map { $0.attachment() }
    try InboxService(context: access.work.inbox).restore(
      message ?? insert(copy, into: conversation), text: copy.text, attachments: attachments)
  }

  /// Makes a message again that left the store meanwhile.
  private func insert(_ copy: MessageCopy, into conversation: ConversationEntity) -> MessageEntity {
    let message = copy.message()
    access.work.inbox.insert(message)
    message.conversation = conversation
    return message
  }
}
