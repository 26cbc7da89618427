import Foundation
import SwiftData

/// A person with a password.
@Model
public final class AccountEntity {
  #Index<AccountEntity>([\.foldedName], [\.skeleton])

  /// The name as it was given, which is also who takes part in conversations
  @Attribute(.unique) public var userID: String

  /// A ``PasswordHash``
  public var passwordHash: String

  /// When it was made
  public var createdAt: Date

  /// The name without differences of upper and lower case: what a person signs in with
  public var foldedName: String = ""

  /// What the name looks like: two accounts never look the same
  public var skeleton: String = ""

  /// Makes an account.
  public init(userID: String, passwordHash: String, createdAt: Date = Date()) {
    self.userID = userID
    self.passwordHash = passwordHash
    self.createdAt = createdAt
    self.foldedName = AccountName.folded(userID)
    self.skeleton = AccountName.skeleton(userID)
  }
}
