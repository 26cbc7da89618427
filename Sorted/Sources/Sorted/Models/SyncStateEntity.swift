import Foundation
import SwiftData

/// Whose store it is, and how far its sync has come. There is one at most.
@Model
public final class SyncStateEntity {
  /// Always ``onlyID``
  @Attribute(.unique) public var id: String = SyncStateEntity.onlyID

  /// The user whose messages this store sends, chosen by the first sync
  public var userID: String

  /// Up to when news of conversations were received: microseconds since 1970 by the server's clock
  public var noticeCursor: Int64 = 0

  /// Conversations that were deleted here, each with the last news of it: only later news bring it back
  public var deletedNotices: [String: Int64] = [:]

  /// When everything had last been sent and received
  public var lastSyncAt: Date?

  /// Why the last sync did not come to its end; nil where it did
  public var lastError: String?

  /// When ``lastError`` happened
  public var lastErrorAt: Date?

  /// The identifier of the only one
  public static let onlyID = "sync"

  /// Makes the state of a store that has not been synced yet.
  public init(userID: String) { self.userID = userID }

  /// The state of a store; nil before its first sync.
  /// - Throws: `SwiftDataError`.
  public static func of(_ context: ModelContext) throws -> SyncStateEntity? {
    try context.fetch(FetchDescriptor<SyncStateEntity>()).first
  }
}
