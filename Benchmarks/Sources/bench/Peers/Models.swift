import BenchKit
import Foundation
import SwiftData

/// The twelve columns of the other peers.
@Model
final class Message {
  #Index<Message>([\.conversationID, \.createdAt])

  @Attribute(.unique) var id: String
  var conversationID: String
  var senderID: String
  var text: String
  var createdAt: Date
  var updatedAt: Date
  var status: Status
  var syncStatus: SyncStatus
  var retryCount: Int
  var category: String?
  var categoryConfidence: Double?
  var unreadFlag: Bool

  init(_ row: BenchKit.Row) {
    id = row.id
    conversationID = row.conversationID
    senderID = row.senderID
    text = row.text
    createdAt = Date(timeIntervalSince1970: row.createdAt)
    updatedAt = Date(timeIntervalSince1970: row.updatedAt)
    status = row.status
    syncStatus = row.syncStatus
    retryCount = row.retryCount
    category = row.category
    categoryConfidence = row.categoryConfidence
    unreadFlag = row.unreadFlag
  }

  var touched: Int64 {
    touch(
      id, conversationID, senderID, text, createdAt.timeIntervalSince1970, updatedAt.timeIntervalSince1970, status,
      syncStatus, retryCount, category, categoryConfidence, unreadFlag)
  }
}

@Model
final class Conversation {
  @Attribute(.unique) var id: String
  var displayName: String
  var isGroup: Bool
  var isPinned: Bool
  var updatedAt: Date
  @Relationship(inverse: \LinkedMessage.conversation) var messages: [LinkedMessage] = []

  init(_ number: Int) {
    id = BenchKit.conversationID(number)
    displayName = conversationName(number)
    isGroup = number.isMultiple(of: 4)
    isPinned = number.isMultiple(of: 20)
    updatedAt = Date(timeIntervalSince1970: 1_700_000_000 + Double(number))
  }
}

/// A message with a relationship instead of the conversation's id, for W7.
@Model
final class LinkedMessage {
  @Attribute(.unique) var id: String
  var conversation: Conversation?
  var senderID: String
  var text: String
  var createdAt: Date
  var updatedAt: Date
  var status: Status
  var syncStatus: SyncStatus
  var retryCount: Int
  var category: String?
  var categoryConfidence: Double?
  var unreadFlag: Bool

  init(_ row: BenchKit.Row, in conversation: Conversation?) {
    id = row.id
    self.conversation = conversation
    senderID = row.senderID
    text = row.text
    createdAt = Date(timeIntervalSince1970: row.createdAt)
    updatedAt = Date(timeIntervalSince1970: row.updatedAt)
    status = row.status
    syncStatus = row.syncStatus
    retryCount = row.retryCount
    category = row.category
    categoryConfidence = row.categoryConfidence
    unreadFlag = row.unreadFlag
  }
}

/// A message with a full-text index, for W10s.
@Model
final class IndexedMessage {
  @Attribute(.unique) var id: String
  var conversationID: String
  var senderID: String
  @Attribute(.spotlight) var text: String
  var createdAt: Date
  var updatedAt: Date
  var status: Status
  var syncStatus: SyncStatus
  var retryCount: Int
  var category: String?
  var categoryConfidence: Double?
  var unreadFlag: Bool

  init(_ row: BenchKit.Row) {
    id = row.id
    conversationID = row.conversationID
    senderID = row.senderID
    text = row.text
    createdAt = Date(timeIntervalSince1970: row.createdAt)
    updatedAt = Date(timeIntervalSince1970: row.updatedAt)
    status = row.status
    syncStatus = row.syncStatus
    retryCount = row.retryCount
    category = row.category
    categoryConfidence = row.categoryConfidence
    unreadFlag = row.unreadFlag
  }

  var touched: Int64 {
    touch(
      id, conversationID, senderID, text, createdAt.timeIntervalSince1970, updatedAt.timeIntervalSince1970, status,
      syncStatus, retryCount, category, categoryConfidence, unreadFlag)
  }
}
