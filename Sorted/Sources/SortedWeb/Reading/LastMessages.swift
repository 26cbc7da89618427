import Sorted
import SwiftData

/// The message that a row shows.
enum LastMessage {
  /// The last one of the conversation.
  case ofConversation
  /// The last one that the viewer did not delete; nil if they deleted all.
  case seen(SeenMessage?)
}

/// The messages that the rows of some conversations show. A conversation knows its last message; one that the viewer deleted is not
/// shown.
struct LastMessages {
  private var found: [String: SeenMessage?] = [:]

  subscript(conversation: ConversationEntity) -> LastMessage {
    found[conversation.id].map(LastMessage.seen) ?? .ofConversation
  }

  /// - Throws: `SwiftDataError`.
  /// - Complexity: one statement for each conversation with a message that the viewer deleted.
  init(_ conversations: [ConversationEntity], _ sight: Sight, _ access: Access) throws {
    for conversation in conversations where sight.concerns(conversation.id) {
      var last = FetchDescriptor<MessageEntity>(
        predicate: sight.condition(in: conversation.id), sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
      last.fetchLimit = 1
      found[conversation.id] = .some(sight.seen(try access.work.inbox.fetch(last)).first)
    }
  }
}
