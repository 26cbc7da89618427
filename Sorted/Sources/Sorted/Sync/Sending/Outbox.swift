import Foundation
import SwiftData

/// The queue of a store. Statements change messages only if these are unchanged since they were sent.
struct Outbox {
  let context: ModelContext
  let userID: String
  let environment: SyncEnvironment

  // MARK: - What waits

  /// The messages that the guide calls pending (4.1).
  static var waiting: Predicate<MessageEntity> {
    let pending = SyncStatus.pending
    let failed = SyncStatus.failed
    return #Predicate { $0.syncStatus == pending || ($0.syncStatus == failed && $0.retryCount < 3) }
  }

  /// The number of messages in the queue.
  func count() throws -> Int { try context.fetchCount(FetchDescriptor(predicate: Self.waiting)) }

  /// The conversations with something to send, longest waiting first.
  func conversations() throws -> [String] {
    let messages = FetchDescriptor(predicate: Self.waiting, sortBy: [SortDescriptor(\MessageEntity.createdAt)])
    let ids = try context.fetch(messages, groupedBy: \.conversationID, computing: .count).map(\.0)
    let edited = try context.fetch(
      FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.hasPendingFields && $0.serverTime > 0 }))
    let known = Set(ids)
    return ids + edited.map(\.id).filter { !known.contains($0) }
  }

  /// The first messages of a conversation to send, in writing order. Nil if there is nothing to send, or if the first
  /// one has to wait, so that none overtakes it.
  func slice(_ conversationID: String, limit: Int, dueAt now: Date?) throws -> OutgoingSlice? {
    let conversation = try conversation(conversationID)
    let pending = SyncStatus.pending
    let failed = SyncStatus.failed
    var descriptor = FetchDescriptor<MessageEntity>(
      predicate: #Predicate {
        $0.conversationID == conversationID
          && ($0.syncStatus == pending || ($0.syncStatus == failed && $0.retryCount < 3))
      }, sortBy: [SortDescriptor(\.createdAt), SortDescriptor(\.id)])
    descriptor.fetchLimit = limit
    let messages = try context.fetch(descriptor)
    if let now, let first = messages.first, let next = first.nextSyncAttempt, next > now,
      // If the clock was set back since, the message must not wait for the former time.
      first.lastSyncAttempt ?? now <= now
    {
      return nil
    }
    guard !messages.isEmpty || (conversation.serverTime > 0 && !conversation.pending.isEmpty) else { return nil }
    return OutgoingSlice(
      conversation: conversation, messages: messages.map(OutgoingMessage.init), userID: userID)
  }

  private func conversation(_ id: String) throws -> ConversationValues {
    let found = try context.fetch(FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == id })).first
    // The guide's view model stores messages of conversations that do not exist (3.2).
    return found.map(ConversationValues.init)
      ?? ConversationValues(id: id, createdAt: ServerTime.rounded(environment.now()))
  }

  // MARK: - What came of it

  /// Records that the server accepted a slice.
  /// - Parameter time: the time of the commit by the server's clock.
  func accept(_ slice: OutgoingSlice, at time: Int64) throws {
    let ids = slice.messages.map(\.content.id)
    let date = ServerTime.date(time)
    let sending = MessageStatus.sending
    // First records that the server has the message, whatever changed meanwhile, then that nothing is pending if
    // nothing changed.
    try context.update(
      model: MessageEntity.self, where: #Predicate { ids.contains($0.id) && $0.status == sending },
      set: .assign(\.status, .sent), .assign(\.serverTime, time))
    for (changeID, messages) in Dictionary(grouping: slice.messages, by: \.changeID) {
      let same = messages.map(\.content.id)
      try context.update(
        model: MessageEntity.self, where: #Predicate { same.contains($0.id) && $0.changeID == changeID },
        set: .assign(\.syncStatus, .synced), .assign(\.pendingFields, []), .assign(\.serverTime, time),
        .assign(\.updatedAt, date), .assign(\.lastSyncAttempt, date), .assign(\.retryCount, 0),
        .assign(\.syncError, nil as String?), .assign(\.nextSyncAttempt, nil as Date?))
    }
    try context.update(
      model: MessageEntity.self, where: #Predicate { ids.contains($0.id) && $0.serverTime < time },
      set: .assign(\.serverTime, time))
    try accept(slice.conversation, isWritten: slice.writesConversation, at: time)
  }

  /// Records that the server does not have the conversation, so that all of it is sent again.
  func forget(_ conversationID: String) throws {
    try context.update(
      model: ConversationEntity.self, where: #Predicate { $0.id == conversationID }, set: .assign(\.serverTime, 0))
  }

  private func accept(_ conversation: ConversationValues, isWritten: Bool, at time: Int64) throws {
    let id = conversation.id
    let changeID = conversation.changeID
    if isWritten {
      try context.update(
        model: ConversationEntity.self, where: #Predicate { $0.id == id && $0.serverTime < time },
        set: .assign(\.serverTime, time))
    }
    guard !conversation.pending.isEmpty else { return }
    try context.update(
      model: ConversationEntity.self, where: #Predicate { $0.id == id && $0.changeID == changeID },
      set: .assign(\.pendingFields, []), .assign(\.hasPendingFields, false))
  }

  /// Records an attempt with an unknown outcome. The messages stay pending.
  func noteAttempt(_ messages: [OutgoingMessage]) throws {
    let now = environment.now()
    let ids = messages.map(\.content.id)
    try context.update(
      model: MessageEntity.self, where: #Predicate { ids.contains($0.id) }, set: .assign(\.lastSyncAttempt, now))
  }

  /// Records that the server refused some messages, temporarily or permanently.
  func fail(_ messages: [OutgoingMessage], _ reason: String, isFinal: Bool) throws {
    let now = environment.now()
    let chance = environment.random()
    let synced = SyncStatus.synced
    let groups = Dictionary(grouping: messages) { Pair(changeID: $0.changeID, retryCount: $0.retryCount) }
    for (pair, messages) in groups {
      let ids = messages.map(\.content.id)
      let changeID = pair.changeID
      let count = isFinal ? MessageEntity.maximumRetries : pair.retryCount + 1
      let next =
        count < MessageEntity.maximumRetries ? now.addingTimeInterval(Backoff.delay(after: count, random: chance)) : nil
      try context.update(
        model: MessageEntity.self,
        where: #Predicate { ids.contains($0.id) && $0.changeID == changeID && $0.syncStatus != synced },
        set: .assign(\.syncStatus, .failed), .assign(\.syncError, reason), .assign(\.retryCount, count),
        .assign(\.lastSyncAttempt, now), .assign(\.nextSyncAttempt, next))
    }
  }

  private struct Pair: Hashable {
    let changeID: Int64
    let retryCount: Int
  }
}
