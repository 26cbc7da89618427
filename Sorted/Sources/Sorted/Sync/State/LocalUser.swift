import Foundation
import SwiftData

/// Whose store it is.
public enum LocalUser {
  /// Who sends as long as the store has not been synced: the first sync puts the user's name in its place.
  public static let placeholder = "me"

  /// The user of a store, or the placeholder.
  /// - Throws: `SwiftDataError`.
  public static func id(in context: ModelContext) throws -> String {
    try SyncStateEntity.of(context)?.userID ?? placeholder
  }

  /// Makes a store a user's, and what waits in it to be sent.
  /// - Throws: ``SyncError/otherUser(_:)`` where it is another's, ``SyncError/invalidData(_:)`` for an empty name.
  static func claim(_ context: ModelContext, for userID: String) throws {
    guard !userID.isEmpty, userID != placeholder else {
      throw SyncError.invalidData("\"\(userID)\" is no user; give the user's identifier")
    }
    if let state = try SyncStateEntity.of(context) {
      guard state.userID == userID else { throw SyncError.otherUser(state.userID) }
    } else {
      context.insert(SyncStateEntity(userID: userID))
      try context.save()
    }
    // Each time, because a crash may have come in between.
    let synced = SyncStatus.synced
    let mine = #Predicate<MessageEntity> { $0.senderID == "me" && $0.syncStatus != synced && $0.serverTime == 0 }
    guard try context.fetchCount(FetchDescriptor(predicate: mine)) > 0 else { return }
    try context.update(model: MessageEntity.self, where: mine, set: .assign(\.senderID, userID))
  }
}
