import Foundation
import Sorted
import SwiftData

/// Notes that a person has seen a conversation.
struct ReadReceipts {
  let access: Access
  /// At most this many messages get a read receipt at once: the newest.
  private static let maximum = 200

  /// - Parameter seen: the time of the last message that was on the screen; nil marks all. Later messages stay unread.
  func markAsRead(_ conversation: ConversationEntity, upTo seen: Date? = nil) throws {
    guard let last = conversation.lastMessageAt else { return }
    let end = min(seen ?? last, last)
    guard !access.viewer.isOwner else {
      let inbox = InboxService(context: access.work.inbox)
      // It came back, and stays in the list also without unread messages.
      if conversation.isArchived, !conversation.isMuted,
        Standing.isBack(conversation, try access.place(in: conversation.id))
      {
        try inbox.setArchived(false, conversation)
      }
      try inbox.markAsRead(conversation, upTo: end)
      return try tellMembers(conversation, since: .distantPast, upTo: end)
    }
    let place = try access.makePlace(in: conversation.id)
    let since = place.readUpTo ?? .distantPast
    guard end > since else { return }
    try tellMembers(conversation, since: since, upTo: end)
    place.readUpTo = end
  }

  /// Those who use this server see that their messages were read.
  private func tellMembers(_ conversation: ConversationEntity, since: Date, upTo end: Date) throws {
    guard access.work.setting.hasAccounts else { return }
    let (id, user) = (conversation.id, access.viewer.userID)
    var unread = FetchDescriptor<MessageEntity>(
      predicate: #Predicate {
        $0.conversationID == id && $0.createdAt > since && $0.createdAt <= end && $0.senderID != user
          && !$0.readBy.contains(user)
      }, sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    unread.fetchLimit = Self.maximum
    for message in try access.work.inbox.fetch(unread) {
      message.markAsRead(by: user, participants: conversation.participantIDs)
    }
  }
}
