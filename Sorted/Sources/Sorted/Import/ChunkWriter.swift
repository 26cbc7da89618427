import Foundation
import SwiftData

/// Writes one chunk of an archive with its own context. Writes only what differs from the store.
struct ChunkWriter {
  let context: ModelContext

  /// The differences.
  struct Changes {
    /// The number of created or changed messages.
    var messages = 0
    /// The created or changed conversations.
    var conversations = Set<String>()
    /// The conversations that messages moved from and to.
    var moved = Set<String>()
  }

  /// Writes the messages and saves them.
  /// - Throws: `SwiftDataError`. Then nothing of the chunk is stored.
  func write(_ chunk: [ImportedConversation]) throws -> Changes {
    var changes = Changes()
    var conversations = try storedConversations(chunk.map(\.id))
    let messages = try storedMessages(chunk.flatMap { $0.messages.map(\.id) })
    for imported in chunk {
      let conversation = conversations[imported.id] ?? make(imported, &changes)
      conversations[imported.id] = conversation
      for message in imported.messages {
        if let entity = messages[message.id] {
          if update(entity, message, conversation, &changes) { changes.messages += 1 }
        } else {
          let entity = MessageEntity(
            id: message.id, conversationID: conversation.id, senderID: message.sender, text: message.text,
            createdAt: message.createdAt, status: .read, syncStatus: .synced)
          context.insert(entity)
          entity.conversation = conversation
          changes.messages += 1
        }
      }
      if summarize(imported.messages, in: conversation) { changes.conversations.insert(imported.id) }
    }
    try context.save()
    return changes
  }

  /// Updates conversations from their messages, and deletes empty ones.
  /// - Returns: the changed conversations.
  /// - Throws: `SwiftDataError`. Then nothing is stored.
  func refresh(_ ids: Set<String>) throws -> Set<String> {
    for id in ids {
      let found = try context.fetch(FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == id }))
      guard let conversation = found.first else { continue }
      let rest = try context.fetch(
        FetchDescriptor<MessageEntity>(
          predicate: #Predicate { $0.conversationID == id }, sortBy: [SortDescriptor(\.createdAt)]))
      guard let first = rest.first, let last = rest.last else {
        context.delete(conversation)
        continue
      }
      var seen = Set<String>()
      conversation.createdAt = first.createdAt
      conversation.participantIDs = rest.map(\.senderID).filter { seen.insert($0).inserted }
      conversation.lastMessageText = last.text
      conversation.lastMessageAt = last.createdAt
      conversation.lastMessageSenderID = last.senderID
      conversation.updatedAt = last.createdAt
    }
    try context.save()
    return ids
  }

  // MARK: - Parts

  private func storedConversations(_ ids: [String]) throws -> [String: ConversationEntity] {
    let found = try context.fetch(FetchDescriptor<ConversationEntity>(predicate: #Predicate { ids.contains($0.id) }))
    return Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private func storedMessages(_ ids: [String]) throws -> [String: MessageEntity] {
    let found = try context.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { ids.contains($0.id) }))
    return Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The name is set here and never compared, because two files of an archive may give a conversation two names.
  private func make(_ imported: ImportedConversation, _ changes: inout Changes) -> ConversationEntity {
    let conversation = ConversationEntity(
      id: imported.id, participantIDs: [], displayName: imported.name, isGroup: imported.isGroup,
      createdAt: imported.messages[0].createdAt)
    context.insert(conversation)
    changes.conversations.insert(imported.id)
    return conversation
  }

  private func update(
    _ entity: MessageEntity, _ message: ImportedMessage, _ conversation: ConversationEntity, _ changes: inout Changes
  ) -> Bool {
    guard
      entity.text != message.text || entity.senderID != message.sender || entity.createdAt != message.createdAt
        || entity.conversationID != conversation.id
    else { return false }
    if entity.text != message.text { entity.resetClassification() }
    entity.text = message.text
    entity.senderID = message.sender
    entity.createdAt = message.createdAt
    if entity.conversationID != conversation.id {
      changes.moved.formUnion([entity.conversationID, conversation.id])
      changes.conversations.insert(conversation.id)
      entity.conversationID = conversation.id
      entity.conversation = conversation
    }
    return true
  }

  /// Updates the conversation's participants and its last message from the chunk.
  private func summarize(_ messages: [ImportedMessage], in conversation: ConversationEntity) -> Bool {
    var changed = false
    var participants = conversation.participantIDs
    var seen = Set(participants)
    for message in messages where seen.insert(message.sender).inserted { participants.append(message.sender) }
    if participants.count != conversation.participantIDs.count {
      conversation.participantIDs = participants
      changed = true
    }
    guard let last = messages.max(by: { $0.createdAt < $1.createdAt }) else { return changed }
    // A message sent from here may be later than the archive.
    if let current = conversation.lastMessageAt, current > last.createdAt { return changed }
    if conversation.lastMessageAt != last.createdAt || conversation.lastMessageText != last.text
      || conversation.lastMessageSenderID != last.sender
    {
      conversation.lastMessageText = last.text
      conversation.lastMessageAt = last.createdAt
      conversation.lastMessageSenderID = last.sender
      conversation.updatedAt = last.createdAt
      changed = true
    }
    return changed
  }
}
