import Foundation
import Sorted

/// A change of a group: a person was added or removed, left, became an admin or stopped being one, or the group got another name. It
/// is a message of the person who made the change, so every store, list and search has it in its order. No browser can make one, because the keys of messages are UUIDs.
enum GroupEvent {
  case added([String])
  case removed(String)
  case left
  case appointed(String)
  case dismissed(String)
  case named(String)

  /// What the identifiers of such messages begin with.
  static let prefix = "event:"

  /// What the message says in all stores.
  var text: String {
    switch self {
    case .added(let names): "added " + names.joined(separator: ", ")
    case .removed(let name): "removed \(name)"
    case .left: "left the group"
    case .appointed(let name): "made \(name) an admin"
    case .dismissed(let name): "ended the admin rights of \(name)"
    case .named(let name): "named the group “\(name)”"
    }
  }

  /// What the message says in the current language.
  static func translated(_ text: String) -> String {
    if text == GroupEvent.left.text { return String(translated: "left the group") }
    if let match = text.wholeMatch(of: /added (.+)/.dotMatchesNewlines()) {
      return String(translated: "added \(match.1)")
    }
    if let match = text.wholeMatch(of: /removed (.+)/.dotMatchesNewlines()) {
      return String(translated: "removed \(match.1)")
    }
    if let match = text.wholeMatch(of: /made (.+) an admin/.dotMatchesNewlines()) {
      return String(translated: "made \(match.1) an admin")
    }
    if let match = text.wholeMatch(of: /ended the admin rights of (.+)/.dotMatchesNewlines()) {
      return String(translated: "ended the admin rights of \(match.1)")
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
