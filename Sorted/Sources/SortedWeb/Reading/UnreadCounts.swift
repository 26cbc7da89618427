import Foundation
import Sorted
import SwiftData
import Synchronization

/// How many messages of some conversations a viewer has not read, read for all of them at once.
struct UnreadCounts {
  private var counts: [String: Int] = [:]

  /// Pages show larger counts as "99+".
  static let maximum = 100

  subscript(_ conversation: ConversationEntity) -> Int { counts[conversation.id] ?? 0 }

  /// - Throws: `SwiftDataError`.
  /// - Complexity: no statement for the owner, whose counts the conversations have; else one, which reads the unread messages
  ///   on an index. Conversations with ``maximum`` unread messages are left out of later ones (``FullThreads``).
  init(
    _ conversations: [ConversationEntity], _ places: [String: PlaceEntity], _ sight: Sight, _ access: Access
  ) throws {
    guard !access.viewer.isOwner else {
      for conversation in conversations { counts[conversation.id] = conversation.unreadCount }
      return
    }
    let (user, full) = (access.viewer.userID, access.work.fullThreads)
    var terms: [Predicate<MessageEntity>] = []
    for conversation in conversations {
      let (id, since) = (conversation.id, places[conversation.id]?.seenUpTo ?? .distantPast)
      guard let last = conversation.lastMessageAt, last > since else { continue }
      if full.contains(user, id, since: since) {
        counts[id] = Self.maximum
      } else {
        let seen = sight.condition(in: id)
        terms.append(#Predicate { seen.evaluate($0) && $0.createdAt > since && $0.senderID != user })
      }
    }
    guard !terms.isEmpty else { return }
    var unread = FetchDescriptor(predicate: MessageConditions.any(terms))
    if terms.count == 1 { unread.fetchLimit = Self.maximum }
    for (id, count) in try access.work.inbox.fetch(unread, groupedBy: \.conversationID, computing: .count) {
      counts[id] = min(count, Self.maximum)
      if count >= Self.maximum { full.insert(user, id, since: places[id]?.seenUpTo ?? .distantPast) }
    }
  }
}

/// The threads of which the server knows that a person has ``UnreadCounts/maximum`` unread messages at least. More messages
/// change nothing about that until the person reads, so a thread of 100,000 unread messages is counted once.
final class FullThreads: Sendable {
  /// The read mark that the count began at, by ``PlaceEntity/key(_:_:)``.
  private let marks = Mutex<[String: Date]>([:])
  /// Beyond it the server begins anew, so that its memory stays flat.
  private static let capacity = 10_000

  func contains(_ user: String, _ conversation: String, since: Date) -> Bool {
    marks.withLock { $0[PlaceEntity.key(user, conversation)] == since }
  }

  func insert(_ user: String, _ conversation: String, since: Date) {
    marks.withLock { marks in
      if marks.count >= Self.capacity { marks = [:] }
      marks[PlaceEntity.key(user, conversation)] = since
    }
  }

  /// After messages were deleted.
  func forget() { marks.withLock { $0 = [:] } }

  /// After a person deleted a message for themselves.
  func forget(_ user: String, _ conversation: String) {
    marks.withLock { $0[PlaceEntity.key(user, conversation)] = nil }
  }
}

extension PlaceEntity {
  /// The messages up to then are read, or deleted for the person.
  var seenUpTo: Date? { [readUpTo, cleared].compactMap(\.self).max() }
}
