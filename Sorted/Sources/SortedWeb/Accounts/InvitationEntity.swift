import Foundation
import SwiftData

/// A place in a conversation for a person without an account. The link of the invitation gives the place away.
@Model
public final class InvitationEntity {
  /// The participant's identifier until then: ``prefix``, the name, and a code
  @Attribute(.unique) public var id: String

  /// The inviter, who alone sees the link
  public var inviterID: String

  /// What the inviter calls them
  public var name: String

  /// The conversation
  public var conversationID: String

  /// When it was made
  public var createdAt: Date

  /// What identifiers begin with. No account's name has a colon.
  public static let prefix = "invited:"

  /// Keeps a place.
  /// - Parameter code: what tells it from other places for the same name.
  public init(inviterID: String, name: String, conversationID: String, code: String = UUID().uuidString) {
    self.id = Self.identifier(name, code)
    self.inviterID = inviterID
    self.name = name
    self.conversationID = conversationID
    self.createdAt = Date()
  }

  static func identifier(_ name: String, _ code: String) -> String { prefix + name + ":" + code }

  /// What the link carries.
  func token(_ secret: String) -> String { Secret.code(id, secret) + "." + Slug.encode(id) }

  /// The identifier that a token is for, or nil for an invalid token.
  static func id(of token: String, _ secret: String) -> String? {
    let parts = token.split(separator: ".").map(String.init)
    guard parts.count == 2, let id = try? Slug.decode(parts[1]), Secret.isEqual(parts[0], Secret.code(id, secret))
    else { return nil }
    return id
  }
}

extension Viewer {
  /// How a participant is called on a page.
  static func shownName(_ id: String) -> String {
    guard id.hasPrefix(InvitationEntity.prefix) else { return id }
    let name = id.dropFirst(InvitationEntity.prefix.count).prefix { $0 != ":" }
    return String(translated: "\(name) (invited)")
  }
}
