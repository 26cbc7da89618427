import FirestoreProtocol
import Foundation

/// A field of a conversation that users change. The later change wins.
public enum ConversationField: String, CaseIterable, Sendable {
  /// Its name.
  case displayName
  /// Its picture.
  case avatarURL
  /// The participants; on the server `participants` (guide, 4.2).
  case participants
  /// Whether it is a group conversation.
  case isGroup
  /// The pinned messages.
  case pinnedMessages
  /// Whether it is pinned for the user.
  case isPinned
  /// Whether it is muted for the user.
  case isMuted
  /// Whether it is archived for the user.
  case isArchived

  /// Whether all participants share the field. If not, it is in `users/{uid}/conversations/{id}`.
  public var isShared: Bool {
    switch self {
    case .displayName, .avatarURL, .participants, .isGroup, .pinnedMessages: true
    case .isPinned, .isMuted, .isArchived: false
    }
  }

  func value(in conversation: ConversationValues) -> FirestoreValue {
    switch self {
    case .displayName: conversation.displayName.map { .string($0) } ?? .null
    case .avatarURL: conversation.avatarURL.map { .string($0) } ?? .null
    case .participants: .array(conversation.participants.map { .string($0) })
    case .isGroup: .boolean(conversation.isGroup)
    case .pinnedMessages: .array(conversation.pinnedMessages.map { .string($0) })
    case .isPinned: .boolean(conversation.isPinned)
    case .isMuted: .boolean(conversation.isMuted)
    case .isArchived: .boolean(conversation.isArchived)
    }
  }

  /// Sets the field from a document's value. Ignores a value of another type.
  func set(_ value: FirestoreValue, in conversation: inout ConversationValues) {
    switch self {
    case .displayName: if let text = Self.optional(value) { conversation.displayName = text }
    case .avatarURL: if let text = Self.optional(value) { conversation.avatarURL = text }
    case .participants: if let list = value.texts { conversation.participants = list }
    case .isGroup: if let flag = value.flag { conversation.isGroup = flag }
    case .pinnedMessages: if let list = value.texts { conversation.pinnedMessages = list }
    case .isPinned: if let flag = value.flag { conversation.isPinned = flag }
    case .isMuted: if let flag = value.flag { conversation.isMuted = flag }
    case .isArchived: if let flag = value.flag { conversation.isArchived = flag }
    }
  }

  private static func optional(_ value: FirestoreValue) -> String?? {
    if case .null = value { return .some(nil) }
    return value.text.map { .some($0) }
  }

  /// The value as text for a person.
  static func words(_ value: FirestoreValue) -> String {
    switch value {
    case .string(let text): text
    case .boolean(let flag): "\(flag)"
    case .array: value.texts?.joined(separator: ", ") ?? ""
    default: ""
    }
  }
}
