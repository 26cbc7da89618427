import FirestoreProtocol
import Foundation
import SwiftData

/// Merges documents of conversations into the store.
struct ConversationInbox {
  let context: ModelContext

  /// Merges a conversation's document, the user's own document of it, or both.
  /// - Parameter notice: the user's own document.
  /// - Throws: `SwiftDataError`.
  func take(_ document: FirestoreDocument?, notice: FirestoreDocument? = nil, conversationID: String) throws {
    // If another process changed the conversation in between, it is read again. A limit ends endless interference.
    for _ in 0..<10 {
      let found = try context.fetch(
        FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == conversationID }))
      let values =
        found.first.map(ConversationValues.init)
        ?? ConversationValues(id: conversationID, createdAt: document?.fields["createdAt"]?.time ?? Date())
      var merge = ConversationMerge(values)
      if let document { merge.take(document, isShared: true) }
      if let notice { merge.take(notice, isShared: false) }
      if merge.values == values, found.first != nil { return }
      try record(merge.lost, of: conversationID)
      let updatedAt = document?.fields["updatedAt"]?.time
      if try merge.values.save(updatedAt: updatedAt, context) { return }
    }
    throw DataLayerError.syncFailed("the conversation \(conversationID) changes all the time; sync again")
  }

  /// Recorded before the change, so that a crash in between loses nothing. Recording the same conflict again does
  /// nothing.
  private func record(_ lost: [ConversationMerge.Lost], of conversationID: String) throws {
    for item in lost {
      let conflict = SyncConflictEntity(
        objectID: conversationID, field: item.field.rawValue, localValue: item.value, localTime: item.time,
        remoteValue: item.remoteValue, remoteTime: item.remoteTime)
      conflict.id = "\(conversationID)/\(item.field.rawValue)/\(ServerTime.microseconds(item.time))"
      context.insert(conflict)
    }
    if !lost.isEmpty { try context.save() }
  }
}
