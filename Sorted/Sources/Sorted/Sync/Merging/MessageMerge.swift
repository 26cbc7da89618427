import FirestoreClient
import Foundation

/// Brings a message of this store and its document together. It is a pure function: what comes out does not depend on
/// the order in which answers arrive.
struct MessageMerge {
  /// What the message is afterwards, with the document's time.
  var message: RemoteMessage
  /// What of it the server still has to learn.
  var pending: [MessageField]
  /// A text written here that a later one replaced.
  var lostText: String?

  /// - Parameters:
  ///   - local: the message of this store, nil where there is none.
  ///   - pending: which of its fields were changed here.
  ///   - userID: whose store this is.
  init(
    local: RemoteMessage?, pending: [MessageField], remote: RemoteMessage, userID: String, participants: [String]
  ) {
    var merged = remote
    if let local {
      merged.createdAt = local.createdAt
      merged.readBy += local.readBy.filter { !remote.readBy.contains($0) }
      merged.status = max(local.status, remote.status)
      let isLater = (local.editedAt ?? .distantPast) > (remote.editedAt ?? .distantPast)
      if isLater {
        merged.text = local.text
        merged.editedAt = local.editedAt
      } else if pending.contains(.text), local.text != remote.text {
        lostText = local.text
      }
    }
    // It has arrived here.
    if remote.senderID != userID { merged.status = max(merged.status, .delivered) }
    merged.status = max(
      merged.status, Self.status(readBy: merged.readBy, senderID: merged.senderID, participants: participants))
    self.message = merged
    self.pending = Self.difference(merged, remote)
  }

  private static func difference(_ merged: RemoteMessage, _ remote: RemoteMessage) -> [MessageField] {
    var fields = [MessageField]()
    if merged.text != remote.text || merged.editedAt != remote.editedAt { fields.append(.text) }
    if merged.status != remote.status { fields.append(.status) }
    if merged.readBy.contains(where: { !remote.readBy.contains($0) }) { fields.append(.readBy) }
    return fields
  }

  /// What the readers say about the status: read by one is delivered, by all others read.
  static func status(readBy: [String], senderID: String, participants: [String]) -> MessageStatus {
    let readers = Set(readBy).subtracting([senderID])
    if readers.isEmpty { return .sent }
    let others = Set(participants).subtracting([senderID, LocalUser.placeholder])
    return !others.isEmpty && others.isSubset(of: readers) ? .read : .delivered
  }
}
