import Foundation
import SwiftData

/// What makes this web store another than all others. There is one.
@Model
public final class SiteEntity {
  /// Always ``onlyID``
  @Attribute(.unique) public var id: String = SiteEntity.onlyID

  /// Part of the names that browsers keep drafts and messages by: another store at the same address is another place
  public var name: String

  /// What invitations are made with
  public var secret: String

  /// Which ``Confusables/version`` the accounts' skeletons were made with
  public var skeletonVersion: Int = 0

  /// The identifier of the only one
  public static let onlyID = "site"

  /// Makes one with names of its own.
  public init() {
    name = String(Secret.random().prefix(12))
    secret = Secret.random()
  }
}
