import Foundation
import SwiftData

/// A person with a password.
@Model
public final class AccountEntity {
  /// The name to sign in with, which is also who takes part in conversations
  @Attribute(.unique) public var userID: String

  /// A ``PasswordHash``
  public var passwordHash: String

  /// When it was made
  public var createdAt: Date

  /// Makes an account.
  public init(userID: String, passwordHash: String, createdAt: Date = Date()) {
    self.userID = userID
    self.passwordHash = passwordHash
    self.createdAt = createdAt
  }
}
