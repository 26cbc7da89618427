import AssistModel
import Foundation
import SwiftData

/// A person's correction of a message's category. The corrections of a person are the training set of the personal layer.
@Model
public final class AssistCorrectionEntity {
  /// The unique key: the person and the message. A person has at most one correction of a message.
  @Attribute(.unique) public var id: String

  /// The person who corrected the message
  public var userID: String

  /// The corrected message
  public var messageID: String

  /// The text of the message at the time of the correction. The correction outlives the message.
  public var text: String

  /// The raw value of a `Kind`; a message without a category is `none`
  public var kind: String

  /// The time of the correction
  public var createdAt: Date

  /// Makes a correction.
  public init(userID: String, message: MessageEntity, kind: Kind, createdAt: Date = Date()) {
    self.id = Self.id(userID, message.id)
    self.userID = userID
    self.messageID = message.id
    self.text = message.text
    self.kind = kind.rawValue
    self.createdAt = createdAt
  }

  /// Returns the identifier of a person's correction of a message.
  static func id(_ userID: String, _ messageID: String) -> String { "\(userID)\n\(messageID)" }
}
