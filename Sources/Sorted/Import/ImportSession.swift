import Foundation
import SwiftData
import Synchronization

/// Brings archives into a store: a chunk of messages at a time, each saved before the next is read, so that memory
/// stays small and an interruption loses nothing that was saved. Importing the same archive again changes nothing.
public struct ImportSession {
  private let container: ModelContainer
  private let chunkSize: Int

  /// - Parameter chunkSize: how many messages are saved together at the most.
  public init(container: ModelContainer, chunkSize: Int = 2_000) {
    self.container = container
    self.chunkSize = max(1, chunkSize)
  }

  /// Asks a running import to stop after the chunk at hand. Any thread, or a signal's handler, may ask.
  public final class StopSign: Sendable {
    private let raised = Atomic(false)
    public init() {}
    public func raise() { raised.store(true, ordering: .relaxed) }
    public var isRaised: Bool { raised.load(ordering: .relaxed) }
  }

  /// Imports an archive.
  /// - Parameter progress: called after each chunk with the messages so far and the fraction of files done.
  /// - Throws: what the reader or the store throws; chunks that were saved stay.
  public func run(
    _ reader: some ArchiveReader, stop: StopSign = StopSign(), progress: (ImportReport, Double) -> Void = { _, _ in }
  ) throws -> ImportReport {
    var report = ImportReport()
    var participants = Set<String>()
    let files = try reader.files()
    for (index, file) in files.enumerated() {
      if stop.isRaised {
        report.isInterrupted = true
        break
      }
      let parsed = try reader.read(file)
      for conversation in parsed.conversations {
        try store(conversation, stop: stop, report: &report)
        participants.formUnion(conversation.messages.map(\.sender))
        if report.isInterrupted { return report }
        report.participants = participants.count
        progress(report, (Double(index) + 0.5) / Double(files.count))
      }
      report.files += 1
      report.lines += parsed.lines
      report.events += parsed.events
      report.skipped += parsed.skipped
      progress(report, Double(index + 1) / Double(files.count))
    }
    return report
  }

  private func store(_ imported: ImportedConversation, stop: StopSign, report: inout ImportReport) throws {
    guard !imported.messages.isEmpty else { return }
    report.conversations += 1
    for start in stride(from: 0, to: imported.messages.count, by: chunkSize) {
      if stop.isRaised {
        report.isInterrupted = true
        return
      }
      let end = min(start + chunkSize, imported.messages.count)
      let messages = Array(imported.messages[start..<end])
      let writer = ChunkWriter(context: ModelContext(container))
      let changes = try writer.write(messages, of: imported)
      report.messages += messages.count
      report.changes += changes
    }
  }
}

/// What an import did.
public struct ImportReport: Codable, Equatable, Sendable {
  public var files = 0
  public var lines = 0
  public var messages = 0
  public var conversations = 0
  public var participants = 0
  public var events = 0
  /// How many messages and conversations were made or changed in the store.
  public var changes = 0
  public var skipped: [SkippedLine] = []
  /// Whether it was stopped before its end; running it again completes it.
  public var isInterrupted = false
}

/// Writes one chunk of one conversation, and only what differs from the store.
private struct ChunkWriter {
  let context: ModelContext

  /// - Returns: how many objects were made or changed.
  func write(_ messages: [ImportedMessage], of imported: ImportedConversation) throws -> Int {
    var changes = 0
    let conversation = try conversation(imported, &changes)
    let ids = messages.map(\.id)
    let stored = try context.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { ids.contains($0.id) }))
    let known = Dictionary(stored.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    for message in messages {
      if let entity = known[message.id] {
        if update(entity, message, conversation) { changes += 1 }
      } else {
        let entity = MessageEntity(
          id: message.id, conversationID: conversation.id, senderID: message.sender, text: message.text,
          createdAt: message.createdAt, status: .read, syncStatus: .synced)
        context.insert(entity)
        entity.conversation = conversation
        changes += 1
      }
    }
    if summarize(messages, in: conversation) && changes == 0 { changes += 1 }
    try context.save()
    return changes
  }

  private func conversation(_ imported: ImportedConversation, _ changes: inout Int) throws -> ConversationEntity {
    let id = imported.id
    let stored = try context.fetch(FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == id }))
    if let conversation = stored.first { return conversation }
    let conversation = ConversationEntity(
      id: id, participantIDs: [], displayName: imported.name, isGroup: imported.isGroup,
      createdAt: imported.messages[0].createdAt)
    context.insert(conversation)
    // Saved at once: the messages of a stored conversation need not be held to be added to.
    try context.save()
    changes += 1
    return conversation
  }

  private func update(
    _ entity: MessageEntity, _ message: ImportedMessage, _ conversation: ConversationEntity
  ) -> Bool {
    guard
      entity.text != message.text || entity.senderID != message.sender || entity.createdAt != message.createdAt
        || entity.conversationID != conversation.id
    else { return false }
    entity.text = message.text
    entity.senderID = message.sender
    entity.createdAt = message.createdAt
    if entity.conversationID != conversation.id {
      entity.conversationID = conversation.id
      entity.conversation = conversation
    }
    return true
  }

  /// Brings the conversation's participants and its last message up to the chunk.
  private func summarize(_ messages: [ImportedMessage], in conversation: ConversationEntity) -> Bool {
    var changed = false
    var participants = conversation.participantIDs
    var seen = Set(participants)
    for message in messages where seen.insert(message.sender).inserted { participants.append(message.sender) }
    if participants.count != conversation.participantIDs.count {
      conversation.participantIDs = participants
      changed = true
    }
    let last = messages.max { $0.createdAt < $1.createdAt }!
    if conversation.lastMessageAt.map({ $0 < last.createdAt }) ?? true {
      conversation.lastMessageText = last.text
      conversation.lastMessageAt = last.createdAt
      conversation.lastMessageSenderID = last.sender
      conversation.updatedAt = last.createdAt
      changed = true
    }
    return changed
  }
}
