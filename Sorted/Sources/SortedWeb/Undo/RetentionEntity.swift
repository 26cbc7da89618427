import Foundation
import SwiftData

/// How long a person keeps messages.
@Model
public final class RetentionEntity {
  /// Whose wish it is
  @Attribute(.unique) public var userID: String

  /// After so many days messages may go
  public var days: Int

  /// Makes a wish.
  public init(userID: String, days: Int) {
    self.userID = userID
    self.days = days
  }
}
