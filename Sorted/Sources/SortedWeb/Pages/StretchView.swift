import Foundation
import Sorted

/// A stretch of a conversation as its template wants it.
struct StretchView {
  struct Item {
    /// Nil for all but the first of a day.
    let dayHeading: String?
    /// Whether what was not read before begins here.
    let isFirstUnread: Bool
    let message: MessageRow
    /// Whether a search led to it.
    let isHit: Bool
    /// Whether it follows one of the same sender at once.
    let isGrouped: Bool
  }

  let messages: [Item]
  /// Nil if there are none.
  let olderAddress: String?
  let newerAddress: String?

  /// - Parameters:
  ///   - hit: the message that a search led to.
  ///   - firstUnread: the first message of others that was not read before.
  init(_ stretch: ThreadStretch, _ scene: ThreadScene, hit: String? = nil, firstUnread: String? = nil) {
    var before: MessageRow?
    messages = stretch.messages.map { message in
      let row = MessageRow(message, scene)
      defer { before = row }
      let isFirstUnread = message.id == firstUnread
      let isGrouped =
        before?.senderKey == row.senderKey && before?.messageDay == row.messageDay && !isFirstUnread
        && row.order - (before?.order ?? 0) < 300_000_000
      return Item(
        dayHeading: row.messageDay == before?.messageDay ? nil : row.messageDay, isFirstUnread: isFirstUnread,
        message: row, isHit: message.id == hit, isGrouped: isGrouped)
    }
    let path = "/c/\(Slug.encode(scene.conversation.id))"
    olderAddress = stretch.hasOlder ? stretch.messages.first.map { "\(path)?before=\(Slug.encode($0.id))" } : nil
    newerAddress = stretch.hasNewer ? stretch.messages.last.map { "\(path)?after=\(Slug.encode($0.id))" } : nil
  }
}
