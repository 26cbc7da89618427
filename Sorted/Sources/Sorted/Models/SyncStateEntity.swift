import Foundation
import SwiftData

/// The user of a store and the progress of its sync. A store has at most one.
@Model
public final class SyncStateEntity {
  /// Always ``onlyID``
  @Attribute(.unique) public var id: String = SyncStateEntity.onlyID

  /// The user whose messages this store sends, set by the first sync
  public var userID: String

  /// The time up to which changed conversations were received, in microseconds since 1970 (server's clock)
  public var noticeCursor: Int64 = 0

  /// Conversations that were deleted here, with the time of their last known change. Only a later change restores them.
  public var deletedNotices: [String: Int64] = [:]

  /// The end of the last complete sync
  public var lastSyncAt: Date?

  /// The reason why the last sync was incomplete, or nil
  public var lastError: String?

  /// The time of ``lastError``
  public var lastErrorAt: Date?

  /// The identifier of the only instance
  public static let onlyID = "sync"

  /// Makes the state of a store before its first sync.
  public init(userID: String) { self.userID = userID }

  /// The state of a store, or nil before its first sync.
  /// - Throws: `SwiftDataError`.
  public static func of(_ context: ModelContext) throws -> SyncStateEntity? {
    try context.fetch(FetchDescriptor<SyncStateEntity>()).first
  }
}
