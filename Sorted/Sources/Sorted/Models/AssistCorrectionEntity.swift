import AssistModel
import Foundation
import SwiftData

/// A person's category of a message, where the assistant chose another one. A person's corrections are the training set of
/// their personal layer.
@Model
public final class AssistCorrectionEntity {
  /// Unique: made of the person and the message, so that a person has one opinion of a message.
  @Attribute(.unique) public var id: String

  /// Whose opinion it is
  public var userID: String

  /// The message that it is about
  public var messageID: String

  /// What the message said then: the opinion outlives it
  public var text: String

  /// The name of a `Kind`; a message of no category is `none`
  public var kind: String

  /// When the person said so
  public var createdAt: Date

  /// Makes one.
  public init(userID: String, message: MessageEntity, kind: Kind, createdAt: Date = Date()) {
    self.id = Self.id(userID, message.id)
    self.userID = userID
    self.messageID = message.id
    self.text = message.text
    self.kind = kind.rawValue
    self.createdAt = createdAt
  }

  /// The identifier of a person's opinion of a message.
  static func id(_ userID: String, _ messageID: String) -> String { "\(userID)\n\(messageID)" }
}
