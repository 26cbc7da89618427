import Foundation
import Sorted

/// What happens to a group: who was added by whom, who left, what it is called now. It is a message of the person who did it, so
/// every store, list and search has it in its order. No browser can make one, because the keys of messages are UUIDs.
enum GroupEvent {
  case added([String])
  case left
  case named(String)

  /// What the identifiers of such messages begin with.
  static let prefix = "event:"

  /// What the message says in all stores.
  var text: String {
    switch self {
    case .added(let names): "added " + names.joined(separator: ", ")
    case .left: "left the group"
    case .named(let name): "named the group “\(name)”"
    }
  }

  /// What the message says in the current language.
  static func translated(_ text: String) -> String {
    if text == GroupEvent.left.text { return String(translated: "left the group") }
    if let match = text.wholeMatch(of: /added (.+)/.dotMatchesNewlines()) {
      return String(translated: "added \(match.1)")
    }
    if let match = text.wholeMatch(of: /named the group “(.*)”/.dotMatchesNewlines()) {
      return String(translated: "named the group “\(match.1)”")
    }
    return text
  }

  /// Writes it into a conversation, for the viewer.
  /// - Throws: `DataLayerError` for a person who left; `SwiftDataError`.
  func note(in conversation: ConversationEntity, _ access: Access) throws {
    try InboxService(context: access.work.inbox).send(
      text, to: conversation, from: access.viewer.isOwner ? nil : access.viewer.userID,
      id: Self.prefix + UUID().uuidString)
  }
}

extension MessageEntity {
  /// Whether it says what happened to a group, and is not what a person wrote.
  var isGroupEvent: Bool { id.hasPrefix(GroupEvent.prefix) }
}
