import Foundation
import SwiftData

/// The user of a store.
public enum LocalUser {
  /// The sender before the first sync, which replaces it by the user's name.
  public static let placeholder = "me"

  /// The user of a store, or the placeholder.
  /// - Throws: `SwiftDataError`.
  public static func id(in context: ModelContext) throws -> String {
    try SyncStateEntity.of(context)?.userID ?? placeholder
  }

  /// Binds a store and its queue to a user.
  /// - Throws: ``SyncError/otherUser(_:)`` if it belongs to another user, ``SyncError/invalidData(_:)`` for an empty
  ///   name.
  package static func claim(_ context: ModelContext, for userID: String) throws {
    guard !userID.isEmpty, userID != placeholder else {
      throw SyncError.invalidData("\"\(userID)\" is not a user; give the user's identifier")
    }
    if let state = try SyncStateEntity.of(context) {
      guard state.userID == userID else { throw SyncError.otherUser(state.userID) }
    } else {
      context.insert(SyncStateEntity(userID: userID))
      try context.save()
    }
    // Each time, because a crash may have interrupted it.
    let synced = SyncStatus.synced
    let mine = #Predicate<MessageEntity> { $0.senderID == "me" && $0.syncStatus != synced && $0.serverTime == 0 }
    guard try context.fetchCount(FetchDescriptor(predicate: mine)) > 0 else { return }
    try context.update(model: MessageEntity.self, where: mine, set: .assign(\.senderID, userID))
  }
}
