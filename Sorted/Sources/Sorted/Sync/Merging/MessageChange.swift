import Foundation
import SwiftData

/// What becomes of some messages of the store, the same for all of them: one statement.
struct MessageChange: Hashable {
  private let changeID: Int64
  private let text: String
  private let editedAt: Date?
  private let status: MessageStatus
  private let readBy: [String]
  private let pendingFields: [String]
  private let syncStatus: SyncStatus
  private let updatedAt: Date
  let serverTime: Int64

  /// What a merge makes of a message.
  init(_ merge: MessageMerge, of message: MessageEntity) {
    changeID = message.changeID
    text = merge.message.text
    editedAt = merge.message.editedAt
    status = merge.message.status
    readBy = merge.message.readBy
    pendingFields = merge.pending.map(\.rawValue)
    serverTime = merge.message.serverTime
    updatedAt = merge.message.updatedAt ?? message.updatedAt
    let wasOnServer = message.status != .sending
    syncStatus = merge.pending.isEmpty ? .synced : wasOnServer && message.syncStatus == .failed ? .failed : .pending
  }

  /// - Returns: how many were still as they had been read.
  func apply(to ids: [String], _ context: ModelContext) throws -> Int {
    let changeID = changeID
    let unchanged = #Predicate<MessageEntity> { ids.contains($0.id) && $0.changeID == changeID }
    if syncStatus == .synced {
      return try context.update(
        model: MessageEntity.self, where: unchanged, set: .assign(\.text, text), .assign(\.editedAt, editedAt),
        .assign(\.status, status), .assign(\.readBy, readBy), .assign(\.pendingFields, pendingFields),
        .assign(\.syncStatus, syncStatus), .assign(\.serverTime, serverTime), .assign(\.updatedAt, updatedAt),
        .assign(\.retryCount, 0), .assign(\.syncError, nil as String?), .assign(\.nextSyncAttempt, nil as Date?))
    }
    return try context.update(
      model: MessageEntity.self, where: unchanged, set: .assign(\.text, text), .assign(\.editedAt, editedAt),
      .assign(\.status, status), .assign(\.readBy, readBy), .assign(\.pendingFields, pendingFields),
      .assign(\.syncStatus, syncStatus), .assign(\.serverTime, serverTime), .assign(\.updatedAt, updatedAt))
  }
}
