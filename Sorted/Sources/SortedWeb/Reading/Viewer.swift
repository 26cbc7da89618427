import Sorted

/// The person who looks at the inbox.
enum Viewer: Hashable, Sendable {
  /// Whose store it is: sees all of it.
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

  /// Whether a message is the viewer's own.
  func wrote(_ message: MessageEntity) -> Bool {
    message.senderID == userID || isOwner && message.senderID == LocalUser.placeholder
  }
}
