import Foundation
import SwiftData

/// The server of a store that syncs as a `SharedInbox`, and how far its imports were counted. Other stores have none.
@Model
public final class SharedInboxEntity {
  /// Always ``onlyID``
  @Attribute(.unique) public var id: String = SharedInboxEntity.onlyID

  /// The address of the server
  public var server: String

  /// The `DefaultHistoryToken`, as JSON, of the newest import whose messages were counted and acknowledged
  public var arrivalToken: Data

  /// The identifier of the only instance
  public static let onlyID = "shared"

  /// Notes the server of a store.
  public init(server: String, arrivalToken: Data) { (self.server, self.arrivalToken) = (server, arrivalToken) }

  /// The notes of a store; nil for one that does not sync as a `SharedInbox`. In one that does, deletions reach the other
  /// participants.
  /// - Throws: `SwiftDataError`.
  public static func of(_ context: ModelContext) throws -> SharedInboxEntity? {
    try context.fetch(FetchDescriptor<SharedInboxEntity>()).first
  }
}
