import Foundation
import SwiftData

/// A message that was deleted and can be had back for a while.
@Model
public final class DeletedMessageEntity {
  /// The message's identifier
  @Attribute(.unique) public var id: String

  /// The person who deleted it
  public var userID: String

  /// The conversation
  public var conversationID: String

  /// When it was deleted
  public var deletedAt: Date

  /// All of it, as JSON
  public var contents: Data

  /// Makes one.
  public init(id: String, userID: String, conversationID: String, deletedAt: Date = Date(), contents: Data) {
    self.id = id
    self.userID = userID
    self.conversationID = conversationID
    self.deletedAt = deletedAt
    self.contents = contents
  }
}
