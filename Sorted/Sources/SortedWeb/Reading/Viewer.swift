import Sorted

/// The person who looks at the inbox.
enum Viewer: Hashable, Sendable {
  /// Whose store it is. Sees all of it if no one else uses it, and otherwise what a member sees.
  case owner(String)
  /// One of several people: sees the conversations that they take part in.
  case member(String)

  var userID: String {
    switch self {
    case .owner(let id), .member(let id): id
    }
  }

  var isOwner: Bool {
    if case .owner = self { true } else { false }
  }

  /// The identifiers that the viewer's messages and conversations may have: an owner writes under a placeholder until the first
  /// sync.
  var names: [String] { isOwner && userID != LocalUser.placeholder ? [userID, LocalUser.placeholder] : [userID] }

  /// Whether a message is the viewer's own.
  func wrote(_ message: MessageEntity) -> Bool { names.contains(message.senderID) }
}
