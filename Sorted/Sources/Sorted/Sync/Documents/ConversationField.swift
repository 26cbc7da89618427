import FirestoreClient
import Foundation

/// A field of a conversation that users change, and that the later change decides.
public enum ConversationField: String, CaseIterable, Sendable {
  /// Its name.
  case displayName
  /// Its picture.
  case avatarURL
  /// Who takes part; on the server `participants` (guide, 4.2).
  case participants
  /// Whether it is no talk of two.
  case isGroup
  /// Whether it leads the user's list.
  case isPinned
  /// Whether it is silent for the user.
  case isMuted
  /// Whether it left the user's list.
  case isArchived

  /// Whether all participants share it, or each user has an own one, in `users/{uid}/conversations/{id}`.
  public var isShared: Bool {
    switch self {
    case .displayName, .avatarURL, .participants, .isGroup: true
    case .isPinned, .isMuted, .isArchived: false
    }
  }

  func value(in conversation: ConversationValues) -> FirestoreValue {
    switch self {
    case .displayName: conversation.displayName.map { .string($0) } ?? .null
    case .avatarURL: conversation.avatarURL.map { .string($0) } ?? .null
    case .participants: .array(conversation.participants.map { .string($0) })
    case .isGroup: .boolean(conversation.isGroup)
    case .isPinned: .boolean(conversation.isPinned)
    case .isMuted: .boolean(conversation.isMuted)
    case .isArchived: .boolean(conversation.isArchived)
    }
  }

  /// Sets the field from a document's; a value of another type is left alone.
  func set(_ value: FirestoreValue, in conversation: inout ConversationValues) {
    switch self {
    case .displayName: if let text = Self.optional(value) { conversation.displayName = text }
    case .avatarURL: if let text = Self.optional(value) { conversation.avatarURL = text }
    case .participants: if let list = value.texts { conversation.participants = list }
    case .isGroup: if let flag = value.flag { conversation.isGroup = flag }
    case .isPinned: if let flag = value.flag { conversation.isPinned = flag }
    case .isMuted: if let flag = value.flag { conversation.isMuted = flag }
    case .isArchived: if let flag = value.flag { conversation.isArchived = flag }
    }
  }

  private static func optional(_ value: FirestoreValue) -> String?? {
    if case .null = value { return .some(nil) }
    return value.text.map { .some($0) }
  }

  /// For a person.
  static func words(_ value: FirestoreValue) -> String {
    switch value {
    case .string(let text): text
    case .boolean(let flag): "\(flag)"
    case .array: value.texts?.joined(separator: ", ") ?? ""
    default: ""
    }
  }
}
