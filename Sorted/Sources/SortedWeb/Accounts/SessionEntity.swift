import Foundation
import SwiftData

/// A browser that is signed in.
@Model
public final class SessionEntity {
  /// The digest of the cookie: who reads the store cannot sign in with it
  @Attribute(.unique) public var tokenDigest: String

  /// The person who is signed in
  public var userID: String

  /// Whether it is the owner of the inbox, who sees everything
  public var isOwner: Bool

  /// When it ends
  public var expiresAt: Date

  /// When it began
  public var createdAt: Date = Date.distantPast

  /// When it was last used, to within ten minutes
  public var seenAt: Date = Date.distantPast

  /// What the browser calls itself
  public var agent: String = ""

  /// Makes a session.
  public init(tokenDigest: String, userID: String, isOwner: Bool, expiresAt: Date, agent: String = "") {
    self.tokenDigest = tokenDigest
    self.userID = userID
    self.isOwner = isOwner
    self.expiresAt = expiresAt
    self.createdAt = Date()
    self.seenAt = Date()
    self.agent = agent
  }
}
