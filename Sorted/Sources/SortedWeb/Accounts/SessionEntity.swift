import Foundation
import SwiftData

/// A browser that is signed in.
@Model
public final class SessionEntity {
  /// The digest of the cookie: who reads the store cannot sign in with it
  @Attribute(.unique) public var tokenDigest: String

  /// Who is signed in
  public var userID: String

  /// Whether it is the owner of the inbox, who sees everything
  public var isOwner: Bool

  /// When it ends
  public var expiresAt: Date

  /// Makes a session.
  public init(tokenDigest: String, userID: String, isOwner: Bool, expiresAt: Date) {
    self.tokenDigest = tokenDigest
    self.userID = userID
    self.isOwner = isOwner
    self.expiresAt = expiresAt
  }
}
