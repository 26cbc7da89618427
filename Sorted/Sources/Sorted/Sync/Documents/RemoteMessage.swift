import FirestoreProtocol
import Foundation

/// A field of a message that may change.
public enum MessageField: String, CaseIterable, Sendable {
  /// Its text, and whether it was deleted.
  case text
  /// The delivery state.
  case status
  /// The users who have read it.
  case readBy
  /// The reactions of people. Each client writes its own user's reaction only.
  case reactions
}

/// A message in the form of its document (guide, 4.1), independent of a context.
struct RemoteMessage: Hashable, Sendable {
  var id: String
  var conversationID: String
  var senderID: String
  var text: String
  /// Nil if the text was never edited.
  var editedAt: Date?
  /// Nil where it was not deleted. It belongs to the text: the later change decides both.
  var deletedAt: Date?
  var createdAt: Date
  var replyToID: String?
  /// The reactions, by user; an empty text is a removed reaction.
  var reactions: [String: String]
  var status: MessageStatus
  var readBy: [String]
  /// The server's update time in microseconds, or 0 if the server does not have the message.
  var serverTime: Int64
  /// The server's time that cursors are compared with.
  var updatedAt: Date?

  /// Returns nil if the document is not a message.
  init?(_ document: FirestoreDocument, conversationID: String) {
    let fields = document.fields
    guard let senderID = fields["senderID"]?.text, let text = fields["text"]?.text,
      let createdAt = fields["createdAt"]?.time
    else { return nil }
    self.id = fields["id"]?.text ?? DocumentPaths.identifier(document.name)
    self.conversationID = conversationID
    self.senderID = senderID
    self.text = text
    self.editedAt = fields["editedAt"]?.time
    self.deletedAt = fields["deletedAt"]?.time
    self.createdAt = createdAt
    self.replyToID = fields["replyTo"]?.text
    self.reactions = fields["reactions"]?.members?.compactMapValues(\.text) ?? [:]
    // A message on the server counts as sent, whatever another client wrote.
    self.status = max(.sent, fields["status"]?.text.flatMap(MessageStatus.init) ?? .sent)
    self.readBy = fields["readBy"]?.texts ?? []
    self.serverTime = document.serverTime
    self.updatedAt = fields["updatedAt"]?.time
    guard !id.isEmpty else { return nil }
  }

  init(_ message: MessageEntity) {
    id = message.id
    conversationID = message.conversationID
    senderID = message.senderID
    text = message.text
    editedAt = message.editedAt
    deletedAt = message.deletedAt
    createdAt = message.createdAt
    replyToID = message.replyToID
    reactions = message.reactions
    status = message.status
    readBy = message.readBy
    serverTime = message.serverTime
    updatedAt = nil
  }

  /// Whether both are the same message: identifier, sender and time are equal.
  func isSame(as other: RemoteMessage) -> Bool {
    id == other.id && conversationID == other.conversationID && senderID == other.senderID
      && ServerTime.microseconds(createdAt) == ServerTime.microseconds(other.createdAt)
  }

  // MARK: - Writing

  private static let serverTime = FirestoreTransform(FirestoreFieldPath("updatedAt"), .requestTime)

  /// The write that creates the document unless it exists.
  func creation(_ paths: DocumentPaths) -> FirestoreWrite {
    var fields: [String: FirestoreValue] = [
      "id": .string(id), "conversationID": .string(conversationID), "senderID": .string(senderID),
      "text": .string(text), "status": .string(max(status, .sent).rawValue),
      "readBy": .array(readBy.map { .string($0) }), "createdAt": ServerTime.value(createdAt),
    ]
    if let editedAt { fields["editedAt"] = ServerTime.value(editedAt) }
    if let deletedAt { fields["deletedAt"] = ServerTime.value(deletedAt) }
    if let replyToID { fields["replyTo"] = .string(replyToID) }
    if !reactions.isEmpty { fields["reactions"] = .map(reactions.mapValues { .string($0) }) }
    return .update(
      FirestoreDocument(name: paths.message(id, in: conversationID), fields: fields), transforms: [Self.serverTime],
      if: .exists(false))
  }

  /// Writes what was changed here. Readers are added on the server; a text replaces only the one that was known; of the
  /// reactions, the user's own is written.
  func change(of pending: [MessageField], by userID: String, _ paths: DocumentPaths) -> FirestoreWrite {
    var fields: [String: FirestoreValue] = [:]
    var mask = [FirestoreFieldPath]()
    var transforms = [Self.serverTime]
    if pending.contains(.text) {
      fields["text"] = .string(text)
      fields["editedAt"] = ServerTime.value(editedAt ?? createdAt)
      // A field of the mask without a value is removed: the message is there again.
      if let deletedAt { fields["deletedAt"] = ServerTime.value(deletedAt) }
      mask += [FirestoreFieldPath("text"), FirestoreFieldPath("editedAt"), FirestoreFieldPath("deletedAt")]
    }
    if pending.contains(.status) || pending.contains(.readBy) {
      fields["status"] = .string(status.rawValue)
      mask.append(FirestoreFieldPath("status"))
    }
    if pending.contains(.reactions), let own = reactions[userID] {
      fields["reactions"] = .map([userID: .string(own)])
      mask.append(FirestoreFieldPath("reactions", userID))
    }
    if pending.contains(.readBy) {
      transforms.append(
        FirestoreTransform(FirestoreFieldPath("readBy"), .appendMissing(readBy.map { .string($0) })))
    }
    return .update(
      FirestoreDocument(name: paths.message(id, in: conversationID), fields: fields), mask: FirestoreMask(mask),
      transforms: transforms,
      if: (pending.contains(.text) || pending.contains(.reactions)) && serverTime > 0
        ? .updateTime(ServerTime.timestamp(serverTime)) : .exists(true))
  }
}
