import FirestoreProtocol
import Foundation

/// A message to send, with the facts needed when the answer arrives.
struct OutgoingMessage: Hashable, Sendable {
  var content: RemoteMessage
  /// The changed fields. A new message sends all.
  var pending: [MessageField]
  /// Its `changeID` when it was read.
  var changeID: Int64
  var retryCount: Int
  /// Whether the server is not known to have it.
  var isNew: Bool { content.serverTime == 0 }

  init(_ message: MessageEntity) {
    content = RemoteMessage(message)
    let fields = message.pending
    // A program may have set its status to pending directly.
    pending = fields.isEmpty ? MessageField.allCases : fields
    changeID = message.changeID
    retryCount = message.retryCount
  }

  func write(by userID: String, _ paths: DocumentPaths) -> FirestoreWrite {
    isNew ? content.creation(paths) : content.change(of: pending, by: userID, paths)
  }
}

/// The contents of one commit for a conversation: messages in order, the conversation's document, and a notice for each
/// participant.
struct OutgoingSlice: Sendable {
  var conversation: ConversationValues
  var messages: [OutgoingMessage]
  let userID: String

  /// Leaves room for messages in a commit.
  static let maximumParticipants = 400
  static let tooManyParticipants = "the conversation has more than \(maximumParticipants) participants"

  /// The number of writes in addition to the messages.
  var overhead: Int { conversation.recipients(userID).count + 1 }

  /// The conversation's fields to send.
  private var shared: [ConversationField] {
    ConversationField.allCases.filter { $0.isShared && (isCreation || conversation.pending.contains($0.rawValue)) }
  }
  private var own: [ConversationField] {
    ConversationField.allCases.filter { !$0.isShared && conversation.pending.contains($0.rawValue) }
  }
  private var isCreation: Bool { conversation.serverTime == 0 }

  /// Whether the commit writes the conversation's document.
  var writesConversation: Bool { isCreation || !shared.isEmpty || messages.contains(where: \.isNew) }

  func writes(_ paths: DocumentPaths) -> [FirestoreWrite] {
    var writes = messages.map { $0.write(by: userID, paths) }
    if let write = conversationWrite(paths) { writes.append(write) }
    return writes + conversation.recipients(userID).map { notice(for: $0, paths) }
  }

  /// The last message is a hint for clients that read no messages: the one committed last. Stores compute it from the
  /// messages.
  private func conversationWrite(_ paths: DocumentPaths) -> FirestoreWrite? {
    guard writesConversation else { return nil }
    let newest = messages.filter(\.isNew).max { $0.content.createdAt < $1.content.createdAt }?.content
    var values = conversation
    values.participants = conversation.recipients(userID)
    var fields: [String: FirestoreValue] = [:]
    for field in shared { fields[field.rawValue] = field.value(in: values) }
    if let newest {
      fields["lastMessageText"] = .string(newest.text)
      fields["lastMessageAt"] = ServerTime.value(newest.createdAt)
      fields["lastMessageSenderID"] = .string(newest.senderID)
    }
    var mask = fields.keys.sorted().map { FirestoreFieldPath($0) }
    mask += addTimes(of: shared, to: &fields)
    if isCreation {
      fields["id"] = .string(conversation.id)
      fields["createdAt"] = ServerTime.value(conversation.createdAt)
    }
    return .update(
      FirestoreDocument(name: paths.conversation(conversation.id), fields: fields),
      mask: isCreation ? nil : FirestoreMask(mask), transforms: [Self.serverTime], if: precondition)
  }

  /// Fields replace only the known version. The last message needs no precondition.
  private var precondition: FirestorePrecondition? {
    if isCreation { return .exists(false) }
    return shared.isEmpty ? nil : .updateTime(ServerTime.timestamp(conversation.serverTime))
  }

  private func notice(for recipient: String, _ paths: DocumentPaths) -> FirestoreWrite {
    var fields: [String: FirestoreValue] = ["conversationID": .string(conversation.id)]
    var mask = [FirestoreFieldPath("conversationID")]
    if recipient == userID {
      for field in own {
        fields[field.rawValue] = field.value(in: conversation)
        mask.append(FirestoreFieldPath(field.rawValue))
      }
      mask += addTimes(of: own, to: &fields)
    }
    return .update(
      FirestoreDocument(name: paths.notice(of: recipient, conversation.id), fields: fields),
      mask: FirestoreMask(mask), transforms: [Self.serverTime])
  }

  private func addTimes(
    of list: [ConversationField], to fields: inout [String: FirestoreValue]
  ) -> [FirestoreFieldPath] {
    let known = list.filter { conversation.times[$0.rawValue] != nil }
    guard !known.isEmpty else { return [] }
    fields["fieldTimes"] = .map(
      Dictionary(uniqueKeysWithValues: known.map { ($0.rawValue, ServerTime.value(conversation.times[$0.rawValue]!)) }))
    return known.map { FirestoreFieldPath("fieldTimes", $0.rawValue) }
  }

  private static let serverTime = FirestoreTransform(FirestoreFieldPath("updatedAt"), .requestTime)
}
