import Foundation
import SwiftData

/// A change made here that a later one from elsewhere replaced: nothing of the user's is lost silently.
@Model
public final class SyncConflictEntity {
  /// Unique conflict identifier
  @Attribute(.unique) public var id: String = UUID().uuidString

  /// The message or the conversation
  public var objectID: String

  /// A ``MessageField`` or a ``ConversationField``
  public var field: String

  /// What was written here
  public var localValue: String

  /// When it was written here
  public var localTime: Date

  /// What replaced it
  public var remoteValue: String

  /// When that was written
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
