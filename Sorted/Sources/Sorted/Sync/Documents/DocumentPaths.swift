import FirestoreProtocol
import Foundation

/// The document names (guide, 4.1 and 4.2): `conversations/{id}`, `conversations/{id}/messages/{id}`,
/// `users/{uid}/conversations/{id}`.
struct DocumentPaths: Sendable {
  let root: String

  func conversation(_ id: String) -> String { "\(root)/conversations/\(Self.escaped(id))" }

  func message(_ id: String, in conversation: String) -> String {
    "\(self.conversation(conversation))/messages/\(Self.escaped(id))"
  }

  func user(_ id: String) -> String { "\(root)/users/\(Self.escaped(id))" }

  func notice(of user: String, _ conversation: String) -> String {
    "\(self.user(user))/conversations/\(Self.escaped(conversation))"
  }

  /// An identifier escaped for the last part of a name. Firestore forbids slashes, single dots and names in double
  /// underscores; identifiers of imported conversations contain slashes.
  static func escaped(_ id: String) -> String {
    // A slash with a combining mark is a slash for Firestore.
    var result = id.replacingOccurrences(of: "%", with: "%25", options: .literal)
      .replacingOccurrences(of: "/", with: "%2F", options: .literal)
    if result == "." || result == ".." { result = result.replacing(".", with: "%2E") }
    if result.hasPrefix("__") { result = "%5F" + result.dropFirst() }
    return result.isEmpty ? "%" : result
  }

  /// The identifier at the end of a document's name.
  static func identifier(_ name: String) -> String {
    let last = name.split(separator: "/").last.map(String.init) ?? ""
    return last == "%" ? "" : last.removingPercentEncoding ?? last
  }
}
