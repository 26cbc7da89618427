import FirestoreProtocol
import Foundation
import SwiftData

/// Merges documents of messages into the store.
///
/// Statements change existing messages only if they are unchanged since they were read (`changeID`), so a concurrent
/// change by another process is never overwritten.
struct MessageInbox {
  let context: ModelContext
  let userID: String

  /// The result of merging.
  struct Outcome: Hashable {
    /// The number of new messages.
    var received = 0
    /// The number of changed messages.
    var updated = 0
    /// The number of local texts that later ones replaced.
    var conflicts = 0
    /// Local messages whose identifier another message has on the server.
    var strangers = [String]()
  }

  /// Merges documents of one conversation.
  /// - Throws: `SwiftDataError`. Some may have been merged; merging all again is correct.
  func take(_ documents: [RemoteMessage], conversationID: String) throws -> Outcome {
    var outcome = Outcome()
    var waiting = documents
    // If another process changed messages in between, they are read again. A limit ends endless interference.
    for _ in 0..<10 where !waiting.isEmpty {
      waiting = try takeOnce(waiting, conversationID, &outcome)
    }
    guard waiting.isEmpty else {
      throw DataLayerError.syncFailed("\(waiting.count) messages of \(conversationID) change all the time; sync again")
    }
    return outcome
  }

  /// - Returns: the documents of messages that changed meanwhile.
  private func takeOnce(
    _ documents: [RemoteMessage], _ conversationID: String, _ outcome: inout Outcome
  ) throws -> [RemoteMessage] {
    let conversation = try context.fetch(
      FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == conversationID })
    ).first
    let ids = documents.map(\.id)
    let stored = try context.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { ids.contains($0.id) }))
    let known = Dictionary(stored.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var changes = [MessageChange: [RemoteMessage]]()
    for remote in documents {
      let message = known[remote.id]
      if let message, !RemoteMessage(message).isSame(as: remote) {
        outcome.strangers.append(remote.id)
        continue
      }
      // Nothing is new, unless the answer to its own sending was lost.
      if let message, message.serverTime == remote.serverTime, message.status != .sending { continue }
      let merge = MessageMerge(
        local: message.map(RemoteMessage.init), pending: message?.pending ?? [], remote: remote, userID: userID,
        participants: conversation?.participantIDs ?? [])
      if let message {
        if let text = merge.lostText { record(text, of: message, merge, &outcome) }
        changes[MessageChange(merge, of: message), default: []].append(remote)
      } else {
        insert(merge, conversation)
        outcome.received += 1
      }
    }
    if context.hasChanges { try context.save() }
    var missed = [RemoteMessage]()
    for (change, messages) in changes {
      let changed = try change.apply(to: messages.map(\.id), context)
      outcome.updated += changed
      if changed < messages.count { missed += try missing(change, messages) }
    }
    return missed
  }

  private func insert(_ merge: MessageMerge, _ conversation: ConversationEntity?) {
    let remote = merge.message
    let message = MessageEntity(
      id: remote.id, conversationID: remote.conversationID, senderID: remote.senderID, text: remote.text,
      createdAt: remote.createdAt, status: remote.status, syncStatus: merge.pending.isEmpty ? .synced : .pending)
    message.readBy = remote.readBy
    message.editedAt = remote.editedAt
    message.deletedAt = remote.deletedAt
    message.replyToID = remote.replyToID
    message.reactions = remote.reactions
    message.serverTime = remote.serverTime
    message.pendingFields = merge.pending.map(\.rawValue)
    message.updatedAt = remote.updatedAt ?? remote.createdAt
    context.insert(message)
    message.conversation = conversation
  }

  private func record(_ text: String, of message: MessageEntity, _ merge: MessageMerge, _ outcome: inout Outcome) {
    let time = message.editedAt ?? message.createdAt
    let conflict = SyncConflictEntity(
      objectID: message.id, field: MessageField.text.rawValue, localValue: text, localTime: time,
      remoteValue: merge.message.text, remoteTime: merge.message.editedAt ?? merge.message.createdAt)
    // The same conflict after a crash gets the same identifier.
    conflict.id = "\(message.id)/text/\(ServerTime.microseconds(time))"
    context.insert(conflict)
    outcome.conflicts += 1
  }

  private func missing(_ change: MessageChange, _ messages: [RemoteMessage]) throws -> [RemoteMessage] {
    let ids = messages.map(\.id)
    let time = change.serverTime
    let done = try context.fetch(
      FetchDescriptor<MessageEntity>(predicate: #Predicate { ids.contains($0.id) && $0.serverTime == time }))
    let doneIDs = Set(done.map(\.id))
    return messages.filter { !doneIDs.contains($0.id) }
  }
}

extension MessageEntity {
  /// The fields to send.
  var pending: [MessageField] { pendingFields.compactMap(MessageField.init) }
}
