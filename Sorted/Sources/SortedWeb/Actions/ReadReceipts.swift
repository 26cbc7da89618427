import Foundation
import Sorted
import SwiftData

/// Notes that a person has seen a conversation.
struct ReadReceipts {
  let access: Access
  /// At most this many messages get a read receipt at once: the newest.
  private static let maximum = 200

  func markAsRead(_ conversation: ConversationEntity) throws {
    guard !access.viewer.isOwner else {
      try InboxService(context: access.work.inbox).markAsRead(conversation)
      return try tellMembers(conversation, since: .distantPast)
    }
    let place = try access.makePlace(in: conversation.id)
    let since = place.readUpTo ?? .distantPast
    guard let last = conversation.lastMessageAt, last > since else { return }
    try tellMembers(conversation, since: since)
    place.readUpTo = last
  }

  /// Those who use this server see that their messages were read.
  private func tellMembers(_ conversation: ConversationEntity, since: Date) throws {
    guard access.work.setting.hasAccounts else { return }
    let (id, user) = (conversation.id, access.viewer.userID)
    var unread = FetchDescriptor<MessageEntity>(
      predicate: #Predicate {
        $0.conversationID == id && $0.createdAt > since && $0.senderID != user && !$0.readBy.contains(user)
      }, sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    unread.fetchLimit = Self.maximum
    for message in try access.work.inbox.fetch(unread) {
      message.markAsRead(by: user, participants: conversation.participantIDs)
    }
  }
}
