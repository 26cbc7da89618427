import Foundation
import Sorted
import SwiftData
import Testing

// Every query of document 0, as written there.

/// Document 0: conversations, messages, the sync queue.
@Suite
struct Seed0QueryTests {
  private let modelContext: ModelContext
  private let conversationID = "c"

  init() throws {
    modelContext = ModelContext(try SortedContainer.inMemory())
    for (index, name) in ["plain", "pinned", "archived", "c"].enumerated() {
      let conversation = ConversationEntity(id: name, participantIDs: [], displayName: name)
      conversation.isPinned = name == "pinned" || name == "archived"
      conversation.isArchived = name == "archived"
      conversation.unreadCount = name == "c" || name == "archived" ? 2 : 0
      conversation.lastMessageAt = Date(timeIntervalSince1970: Double(index))
      modelContext.insert(conversation)
    }
    let messages: [(String, SyncStatus, Int)] = [
      ("c", .pending, 0), ("c", .failed, 2), ("c", .failed, 3), ("c", .synced, 0), ("plain", .pending, 0),
      ("plain", .synced, 0),
    ]
    for (index, (conversation, status, retries)) in messages.enumerated() {
      let message = MessageEntity(
        id: "\(index)", conversationID: conversation, senderID: "s", text: "",
        createdAt: Date(timeIntervalSince1970: Double(index)), syncStatus: status)
      message.retryCount = retries
      modelContext.insert(message)
    }
    try modelContext.save()
  }

  @Test("Conversations: not archived, pinned, unread, by identifier")
  func conversations() throws {
    let open = FetchDescriptor<ConversationEntity>(
      predicate: #Predicate { conversation in
        conversation.isArchived == false
      },
      sortBy: [
        SortDescriptor(\.lastMessageAt, order: .reverse)
      ]
    )
    #expect(try modelContext.fetch(open).map(\.id) == ["c", "pinned", "plain"])
    let pinned = FetchDescriptor<ConversationEntity>(
      predicate: #Predicate { conversation in
        conversation.isPinned == true && conversation.isArchived == false
      },
      sortBy: [
        SortDescriptor(\.lastMessageAt, order: .reverse)
      ]
    )
    #expect(try modelContext.fetch(pinned).map(\.id) == ["pinned"])
    let unread = FetchDescriptor<ConversationEntity>(
      predicate: #Predicate { conversation in
        conversation.unreadCount > 0 && conversation.isArchived == false
      },
      sortBy: [
        SortDescriptor(\.lastMessageAt, order: .reverse)
      ]
    )
    #expect(try modelContext.fetch(unread).map(\.id) == ["c"])
    let one = FetchDescriptor<ConversationEntity>(
      predicate: #Predicate { conversation in
        conversation.id == conversationID
      }
    )
    #expect(try modelContext.fetch(one).first?.displayName == "c")
    let filter = #Predicate<ConversationEntity> { conversation in
      conversation.isArchived == false
    }
    let listed = FetchDescriptor(
      predicate: filter, sortBy: [SortDescriptor(\ConversationEntity.lastMessageAt, order: .reverse)])
    #expect(try modelContext.fetch(listed).map(\.id) == ["c", "pinned", "plain"])
  }

  @Test("Messages: of a conversation, pending, waiting to be sent again, old and synced")
  func messages() throws {
    var page = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { message in
        message.conversationID == conversationID
      },
      sortBy: [
        SortDescriptor(\.createdAt, order: .reverse)
      ]
    )
    page.fetchLimit = 2
    page.fetchOffset = 1
    #expect(try modelContext.fetch(page).map(\.id) == ["2", "1"])
    let pending = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { message in
        message.conversationID == conversationID
          && (message.syncStatus == .pending || (message.syncStatus == .failed && message.retryCount < 3))
      },
      sortBy: [
        SortDescriptor(\.createdAt, order: .forward)
      ]
    )
    #expect(try modelContext.fetch(pending).map(\.id) == ["0", "1"])
    let queue = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { message in
        message.syncStatus == .pending || (message.syncStatus == .failed && message.retryCount < 3)
      },
      sortBy: [SortDescriptor(\.createdAt, order: .forward)]
    )
    #expect(try modelContext.fetch(queue).map(\.id) == ["0", "1", "4"])
    let efficient = #Predicate<MessageEntity> { message in
      message.conversationID == conversationID && message.syncStatus == .pending
    }
    #expect(try modelContext.fetch(FetchDescriptor(predicate: efficient)).map(\.id) == ["0"])
    let cutoffDate = Date(timeIntervalSince1970: 5)
    let old = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { message in
        message.createdAt < cutoffDate && message.syncStatus == .synced
      }
    )
    #expect(try modelContext.fetch(old).map(\.id) == ["3"])
  }
}
