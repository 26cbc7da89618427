import Foundation
import Sorted
import SwiftData

/// The messages that wait for the server, and what becomes of them.
struct Departures {
  let inbox: SharedInbox

  /// A message with changes that the server does not have yet.
  struct Message: Sendable {
    let id: String
    let changeID: Int64
    let conversationID: String
    /// Whether others have never seen it.
    let isNew: Bool
  }

  /// All that waits now. A message that failed waits for its time, or for the user.
  /// - Parameter ignoringDelays: whether failed messages are tried before their time.
  func waiting(ignoringDelays: Bool, now: Date = Date()) throws -> [Message] {
    let synced = SyncStatus.synced
    let found = try inbox.makeContext().fetch(
      FetchDescriptor<MessageEntity>(
        predicate: #Predicate { $0.syncStatus != synced }, sortBy: [SortDescriptor(\.createdAt)]))
    let due = found.filter { message in
      message.syncStatus == .pending
        || message.shouldRetry && (ignoringDelays || message.nextSyncAttempt.map { $0 <= now } ?? true)
    }
    return due.map {
      Message(
        id: $0.id, changeID: $0.changeID, conversationID: $0.conversationID,
        isNew: $0.senderID == inbox.userID && $0.status == .sending)
    }
  }

  /// Returns the number of messages that wait to be sent, without messages that failed permanently.
  func count() throws -> Int {
    let pending = SyncStatus.pending
    return try inbox.makeContext().fetchCount(
      FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.syncStatus == pending }))
  }

  /// Puts the files of messages into the store that were written before it was shared.
  func attachFiles(of messages: [Message]) throws {
    for part in Self.parts(messages) {
      let ids: [String?] = part.map(\.id)
      try inbox.change { context in
        let missing = FetchDescriptor<AttachmentEntity>(
          predicate: #Predicate { $0.contents == nil && $0.localURL != nil && ids.contains($0.message?.id) })
        for attachment in try context.fetch(missing) { attachment.takeInFile() }
      }
    }
  }

  /// Notes that the server has messages as they were when they were listed. One that changed meanwhile waits on.
  /// - Parameter problems: why a conversation cannot be shared, by its identifier. Its messages failed.
  func note(_ messages: [Message], problems: [String: String]) throws -> MessageSyncService.Report {
    var report = MessageSyncService.Report()
    for part in Self.parts(messages) {
      let listed = Dictionary(part.map { ($0.id, $0) }) { first, _ in first }
      let ids = Array(listed.keys)
      try inbox.change { context in
        for message in try context.fetch(
          FetchDescriptor<MessageEntity>(predicate: #Predicate { ids.contains($0.id) }))
        where listed[message.id]?.changeID == message.changeID {
          if let problem = problems[message.conversationID], message.status == .sending {
            message.markAsFailed(error: problem)
          } else {
            message.accept()
          }
        }
      }
      report.failed += part.count { problems[$0.conversationID] != nil && $0.isNew }
      report.sent += part.count { problems[$0.conversationID] == nil && $0.isNew }
      report.changed += part.count { !$0.isNew }
    }
    return report
  }

  /// The conversations whose own fields changed here before the exchange.
  func changedConversations() throws -> [String: Int64] {
    let found = try inbox.makeContext().fetch(
      FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.hasPendingFields }))
    return Dictionary(found.map { ($0.id, $0.changeID) }) { first, _ in first }
  }

  /// Notes that the server has the fields of conversations.
  func note(conversations: [String: Int64]) throws {
    guard !conversations.isEmpty else { return }
    let ids = Array(conversations.keys)
    try inbox.change { context in
      for conversation in try context.fetch(
        FetchDescriptor<ConversationEntity>(predicate: #Predicate { ids.contains($0.id) }))
      where conversations[conversation.id] == conversation.changeID {
        (conversation.pendingFields, conversation.hasPendingFields) = ([], false)
      }
    }
  }

  private static func parts(_ messages: [Message]) -> [ArraySlice<Message>] {
    stride(from: 0, to: messages.count, by: 500).map { messages[$0..<min($0 + 500, messages.count)] }
  }
}

extension MessageEntity {
  /// The server has all of it.
  fileprivate func accept() {
    guard let next = state.after(.accepted) else { return }
    (status, syncStatus) = (next.status, next.sync)
    (pendingFields, retryCount) = ([], 0)
    (syncError, nextSyncAttempt) = (nil, nil)
    // A receipt may come before the note that the server has the message.
    if !deliveredTo.isEmpty || !readBy.isEmpty { followReceipts(participants: conversation?.participantIDs ?? []) }
    if serverTime == 0 { serverTime = ServerTime.microseconds(Date()) }
  }
}
