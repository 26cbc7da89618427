import Foundation
import SwiftData

/// An equal change of several messages, applied by one statement.
struct MessageChange: Hashable {
  private let changeID: Int64
  private let text: String
  private let editedAt: Date?
  private let deletedAt: Date?
  private let reactions: [String: String]
  private let status: MessageStatus
  private let readBy: [String]
  private let pendingFields: [String]
  private let syncStatus: SyncStatus
  private let updatedAt: Date
  /// Less than any version of the assistant where the text is another one.
  private let assistVersion: Int
  let serverTime: Int64

  /// The change that a merge makes.
  init(_ merge: MessageMerge, of message: MessageEntity) {
    changeID = message.changeID
    text = merge.message.text
    editedAt = merge.message.editedAt
    deletedAt = merge.message.deletedAt
    reactions = merge.message.reactions
    status = merge.message.status
    readBy = merge.message.readBy
    pendingFields = merge.pending.map(\.rawValue)
    serverTime = merge.message.serverTime
    updatedAt = merge.message.updatedAt ?? message.updatedAt
    assistVersion = merge.message.text == message.text ? message.assistVersion : -1
    let wasOnServer = message.status != .sending
    syncStatus = merge.pending.isEmpty ? .synced : wasOnServer && message.syncStatus == .failed ? .failed : .pending
  }

  /// - Returns: the number of messages that were unchanged since they were read.
  func apply(to ids: [String], _ context: ModelContext) throws -> Int {
    let changeID = changeID
    let unchanged = #Predicate<MessageEntity> { ids.contains($0.id) && $0.changeID == changeID }
    if syncStatus == .synced {
      return try context.update(
        model: MessageEntity.self, where: unchanged, set: .assign(\.text, text), .assign(\.editedAt, editedAt),
        .assign(\.deletedAt, deletedAt), .assign(\.reactions, reactions),
        .assign(\.status, status), .assign(\.readBy, readBy), .assign(\.pendingFields, pendingFields),
        .assign(\.syncStatus, syncStatus), .assign(\.serverTime, serverTime), .assign(\.updatedAt, updatedAt),
        .assign(\.assistVersion, assistVersion),
        .assign(\.retryCount, 0), .assign(\.syncError, nil as String?), .assign(\.nextSyncAttempt, nil as Date?))
    }
    return try context.update(
      model: MessageEntity.self, where: unchanged, set: .assign(\.text, text), .assign(\.editedAt, editedAt),
      .assign(\.deletedAt, deletedAt), .assign(\.reactions, reactions),
      .assign(\.status, status), .assign(\.readBy, readBy), .assign(\.pendingFields, pendingFields),
      .assign(\.syncStatus, syncStatus), .assign(\.serverTime, serverTime), .assign(\.updatedAt, updatedAt),
      .assign(\.assistVersion, assistVersion))
  }
}
