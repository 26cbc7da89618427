import Foundation
import SwiftData

/// A local change that a later remote one replaced, kept so that no user's text is lost silently.
@Model
public final class SyncConflictEntity {
  /// Unique conflict identifier
  @Attribute(.unique) public var id: String = UUID().uuidString

  /// The identifier of the message or conversation
  public var objectID: String

  /// A ``MessageField`` or a ``ConversationField``
  public var field: String

  /// The local value
  public var localValue: String

  /// The time of the local change
  public var localTime: Date

  /// The value that replaced it
  public var remoteValue: String

  /// The time of that change
  public var remoteTime: Date

  /// Makes the record of a conflict.
  public init(
    objectID: String, field: String, localValue: String, localTime: Date, remoteValue: String, remoteTime: Date
  ) {
    self.objectID = objectID
    self.field = field
    self.localValue = localValue
    self.localTime = localTime
    self.remoteValue = remoteValue
    self.remoteTime = remoteTime
  }
}
