import FirestoreClient
import Foundation

/// A field of a message that changes after it was written.
public enum MessageField: String, CaseIterable, Sendable {
  /// What it says.
  case text
  /// How far it has come.
  case status
  /// Who has read it.
  case readBy
}

/// A message as its document has it (guide, 4.1), and as the store has it apart from any context.
struct RemoteMessage: Hashable, Sendable {
  var id: String
  var conversationID: String
  var senderID: String
  var text: String
  /// Nil where the text is the first one.
  var editedAt: Date?
  var createdAt: Date
  var status: MessageStatus
  var readBy: [String]
  /// Microseconds by the server's clock; 0 where it has none.
  var serverTime: Int64
  /// By the server's clock; what cursors are compared with.
  var updatedAt: Date?

  /// Nil for a document that is no message.
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
    self.createdAt = createdAt
    // What is on the server was sent, whatever another client calls it.
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
    createdAt = message.createdAt
    status = message.status
    readBy = message.readBy
    serverTime = message.serverTime
    updatedAt = nil
  }

  /// Whether both are the same message: nobody else has its identifier, its sender and its time.
  func isSame(as other: RemoteMessage) -> Bool {
    id == other.id && conversationID == other.conversationID && senderID == other.senderID
      && ServerTime.microseconds(createdAt) == ServerTime.microseconds(other.createdAt)
  }

  // MARK: - Writing

  private static let serverTime = FirestoreTransform(FirestoreFieldPath("updatedAt"), .requestTime)

  /// Makes the document, unless there is one.
  func creation(_ paths: DocumentPaths) -> FirestoreWrite {
    var fields: [String: FirestoreValue] = [
      "id": .string(id), "conversationID": .string(conversationID), "senderID": .string(senderID),
      "text": .string(text), "status": .string(max(status, .sent).rawValue),
      "readBy": .array(readBy.map { .string($0) }), "createdAt": ServerTime.value(createdAt),
    ]
    if let editedAt { fields["editedAt"] = ServerTime.value(editedAt) }
    return .update(
      FirestoreDocument(name: paths.message(id, in: conversationID), fields: fields), transforms: [Self.serverTime],
      if: .exists(false))
  }

  /// Writes what was changed here. Readers are added on the server; a text replaces only the one that was known.
  func change(of pending: [MessageField], _ paths: DocumentPaths) -> FirestoreWrite {
    var fields: [String: FirestoreValue] = [:]
    var mask = [FirestoreFieldPath]()
    var transforms = [Self.serverTime]
    if pending.contains(.text) {
      fields["text"] = .string(text)
      fields["editedAt"] = ServerTime.value(editedAt ?? createdAt)
      mask += [FirestoreFieldPath("text"), FirestoreFieldPath("editedAt")]
    }
    if pending.contains(.status) || pending.contains(.readBy) {
      fields["status"] = .string(status.rawValue)
      mask.append(FirestoreFieldPath("status"))
    }
    if pending.contains(.readBy) {
      transforms.append(
        FirestoreTransform(FirestoreFieldPath("readBy"), .appendMissing(readBy.map { .string($0) })))
    }
    return .update(
      FirestoreDocument(name: paths.message(id, in: conversationID), fields: fields), mask: FirestoreMask(mask),
      transforms: transforms,
      if: pending.contains(.text) && serverTime > 0
        ? .updateTime(ServerTime.timestamp(serverTime)) : .exists(true))
  }
}
