import Foundation
import SwiftData

/// What one person keeps about one conversation. It is in the web's own store, because several people may read one inbox.
@Model
public final class PlaceEntity {
  #Index<PlaceEntity>([\.userID])

  /// ``key(_:_:)``
  @Attribute(.unique) public var id: String

  /// Whose it is
  public var userID: String

  /// The conversation
  public var conversationID: String

  /// What is being written
  public var draft: String = ""

  /// When it was deleted; it stays out of sight until it is really gone, or a newer message comes
  public var deletedAt: Date?

  /// Up to when its messages are read, where several people use the inbox
  public var readUpTo: Date?

  /// Whether it leads the list, where several people use the inbox
  public var isPinned: Bool = false

  /// Whether it is silent, where several people use the inbox
  public var isMuted: Bool = false

  /// Whether it left the list, where several people use the inbox
  public var isArchived: Bool = false

  /// The last message that it had when it was archived; a later one brings it back
  public var archivedUpTo: Date?

  /// The messages up to then are deleted for the person, also after a later message or the person brought the conversation back
  public var clearedUpTo: Date?

  /// Whether the person said that it is no spam
  public var isAccepted: Bool = false

  /// Whether the person administers the group (``GroupAdmins``)
  public var isAdmin: Bool = false

  /// Makes an empty one.
  public init(userID: String, conversationID: String) {
    self.id = Self.key(userID, conversationID)
    self.userID = userID
    self.conversationID = conversationID
  }

  /// The identifier of a person's place in a conversation. Names of people have no control characters.
  public static func key(_ userID: String, _ conversationID: String) -> String { "\(userID)\u{1F}\(conversationID)" }
}
