import FirestoreProtocol
import Foundation

/// Merges a local message with its document. It is a pure function: the result does not depend on the order of answers.
package struct MessageMerge {
  /// The merged message with the document's time.
  var message: RemoteMessage
  /// The fields that the server still lacks.
  var pending: [MessageField]
  /// A local text that a later one replaced.
  var lostText: String?

  /// - Parameters:
  ///   - local: the local message, or nil.
  ///   - pending: its locally changed fields.
  ///   - userID: the user of the store.
  init(
    local: RemoteMessage?, pending: [MessageField], remote: RemoteMessage, userID: String, participants: [String]
  ) {
    var merged = remote
    if let local {
      merged.createdAt = local.createdAt
      merged.readBy += local.readBy.filter { !remote.readBy.contains($0) }
      merged.status = max(local.status, remote.status)
      merged.replyToID = remote.replyToID ?? local.replyToID
      // Each client knows its own user's reaction best, and the server knows the others'.
      merged.reactions = local.reactions.merging(remote.reactions) { $1 }
      if pending.contains(.reactions), let own = local.reactions[userID] { merged.reactions[userID] = own }
      let isLater = (local.editedAt ?? .distantPast) > (remote.editedAt ?? .distantPast)
      if isLater {
        merged.text = local.text
        merged.editedAt = local.editedAt
        merged.deletedAt = local.deletedAt
      } else if pending.contains(.text), local.text != remote.text {
        lostText = local.text
      }
    }
    // It was delivered to this store.
    if remote.senderID != userID { merged.status = max(merged.status, .delivered) }
    merged.status = max(
      merged.status, Self.status(readBy: merged.readBy, senderID: merged.senderID, participants: participants))
    self.message = merged
    self.pending = Self.difference(merged, remote, userID)
  }

  private static func difference(
    _ merged: RemoteMessage, _ remote: RemoteMessage, _ userID: String
  ) -> [MessageField] {
    var fields = [MessageField]()
    if merged.text != remote.text || merged.editedAt != remote.editedAt { fields.append(.text) }
    if merged.status != remote.status { fields.append(.status) }
    if merged.readBy.contains(where: { !remote.readBy.contains($0) }) { fields.append(.readBy) }
    if merged.reactions[userID] != remote.reactions[userID] { fields.append(.reactions) }
    return fields
  }

  /// The status that follows from the readers: delivered if one has read it, read if all others have.
  package static func status(readBy: [String], senderID: String, participants: [String]) -> MessageStatus {
    let readers = Set(readBy).subtracting([senderID])
    if readers.isEmpty { return .sent }
    let others = Set(participants).subtracting([senderID, LocalUser.placeholder])
    return !others.isEmpty && others.isSubset(of: readers) ? .read : .delivered
  }
}
