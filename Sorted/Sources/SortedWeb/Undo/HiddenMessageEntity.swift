import Foundation
import SwiftData

/// A message that a person deleted for themselves. Others still see it.
@Model
public final class HiddenMessageEntity {
  #Index<HiddenMessageEntity>([\.userID, \.conversationID])

  /// ``key(_:_:)``
  @Attribute(.unique) public var id: String

  /// The person who deleted it
  public var userID: String

  /// The conversation
  public var conversationID: String

  /// The message
  public var messageID: String

  /// When it was hidden
  public var hiddenAt: Date

  /// Hides a message.
  public init(userID: String, conversationID: String, messageID: String, hiddenAt: Date = Date()) {
    self.id = Self.key(userID, messageID)
    self.userID = userID
    self.conversationID = conversationID
    self.messageID = messageID
    self.hiddenAt = hiddenAt
  }

  /// The identifier for a person and a message. Names of people have no control characters.
  public static func key(_ userID: String, _ messageID: String) -> String { "\(userID)\u{1F}\(messageID)" }
}
