import Foundation
import Observation
import Sorted
import SwiftData
import Testing

@MainActor
@Suite("The view models, on a store on disk") struct ViewModelTests {
  private let folder: TemporaryFolder
  private let container: ModelContainer
  private var context: ModelContext { container.mainContext }

  init() throws {
    folder = try TemporaryFolder()
    container = try SortedContainer.open(folder.store)
  }

  /// Conversations c0, c1, …, the later ones newer.
  @discardableResult
  private func add(_ count: Int) throws -> [ConversationEntity] {
    let conversations = (0..<count).map { index in
      let conversation = ConversationEntity(id: "c\(index)", participantIDs: ["a"], displayName: "Name \(index)")
      conversation.lastMessageAt = Date(timeIntervalSince1970: Double(index))
      context.insert(conversation)
      return conversation
    }
    try context.save()
    return conversations
  }

  @Test("The list has the newest first, without archived ones; pinned and unread ones on request")
  func lists() throws {
    let conversations = try add(5)
    conversations[0].isPinned = true
    conversations[1].unreadCount = 2
    conversations[2].isPinned = true
    conversations[2].unreadCount = 1
    conversations[3].isPinned = true
    conversations[3].unreadCount = 1
    conversations[3].isArchived = true
    try context.save()
    let model = ConversationListViewModel(modelContext: ModelContext(container))
    #expect(model.fetchConversations().map(\.id) == ["c4", "c2", "c1", "c0"])
    #expect(model.fetchPinnedConversations().map(\.id) == ["c2", "c0"])
    #expect(model.fetchUnreadConversations().map(\.id) == ["c2", "c1"])
    #expect(model.errorMessage == nil)
    #expect(!model.isLoading)
  }

  @Test("Pinning, archiving and deleting are stored")
  func actions() throws {
    try add(3)
    let model = ConversationListViewModel(modelContext: context)
    let conversations = model.fetchConversations()
    model.togglePin(conversation: conversations[0])
    model.archiveConversation(conversations[1])
    model.deleteConversation(conversations[2])
    let stored = ModelContext(try SortedContainer.open(folder.store))
    let other = ConversationListViewModel(modelContext: stored)
    #expect(other.fetchConversations().map(\.id) == ["c2"])
    #expect(other.fetchPinnedConversations().map(\.id) == ["c2"])
    #expect(try stored.fetchCount(FetchDescriptor<ConversationEntity>()) == 2)
    model.togglePin(conversation: conversations[0])
    #expect(model.fetchPinnedConversations().isEmpty)
    #expect(model.errorMessage == nil)
  }

  @Test("What cannot be saved is a message for the user, not a crash")
  func failure() throws {
    try add(1)
    let configuration = ModelConfiguration(schema: SortedContainer.schema, url: folder.store, allowsSave: false)
    let readOnly = try ModelContainer(for: SortedContainer.schema, configurations: configuration)
    let model = ConversationListViewModel(modelContext: ModelContext(readOnly))
    model.togglePin(conversation: model.fetchConversations()[0])
    #expect(model.errorMessage?.hasPrefix("Failed to save changes: ") == true)
    #expect(model.errorMessage?.contains("allowsSave: false") == true)
  }

  @Test("A change of a conversation that a sync deleted is a message for the user, and later changes are stored")
  func deletedMeanwhile() throws {
    try add(2)
    let model = ConversationListViewModel(modelContext: context)
    let conversations = model.fetchConversations()
    let sync = ModelContext(container)
    try sync.delete(model: ConversationEntity.self, where: #Predicate { $0.id == "c1" })
    try sync.save()
    model.togglePin(conversation: conversations[0])
    #expect(model.errorMessage?.contains("deleted an object that has unsaved changes") == true)
    model.errorMessage = nil
    model.togglePin(conversation: conversations[1])
    #expect(model.errorMessage == nil)
    #expect(model.fetchConversations().map(\.id) == ["c0"])
    let stored = ModelContext(try SortedContainer.open(folder.store))
    #expect(try stored.fetch(FetchDescriptor<ConversationEntity>()).map(\.isPinned) == [true])
  }

  @Test("A thread is fetched newest first, in pages")
  func pages() throws {
    let conversation = try add(1)[0]
    for index in 0..<45 {
      conversation.messages.append(
        MessageEntity(
          conversationID: "c0", senderID: "a", text: "\(index)", createdAt: Date(timeIntervalSince1970: Double(index)),
          syncStatus: .synced))
    }
    context.insert(MessageEntity(conversationID: "other", senderID: "a", text: "another thread's"))
    try context.save()
    let model = MessageThreadViewModel(modelContext: ModelContext(container), conversationID: "c0")
    #expect(model.fetchMessages().map(\.text) == (25..<45).reversed().map(String.init))
    #expect(model.fetchMessages(limit: 20, offset: 40).map(\.text) == ["4", "3", "2", "1", "0"])
    #expect(model.fetchMessages(limit: 3, offset: 45).isEmpty)
    #expect(model.getConversation()?.id == "c0")
    #expect(MessageThreadViewModel(modelContext: context, conversationID: "c9").getConversation() == nil)
    #expect(model.errorMessage == nil)
  }

  @Test("Messages that wait for a sync are the pending ones and those that failed fewer than three times, oldest first")
  func pending() throws {
    try add(1)
    func message(_ text: String, _ status: SyncStatus, retries: Int = 0, conversation: String = "c0") {
      let message = MessageEntity(
        conversationID: conversation, senderID: "a", text: text,
        createdAt: Date(timeIntervalSince1970: Double(text.count)),
        syncStatus: status)
      message.retryCount = retries
      context.insert(message)
    }
    message("ppp", .pending)
    message("ff", .failed, retries: 2)
    message("f", .failed, retries: 3)
    message("s", .synced)
    message("o", .pending, conversation: "c1")
    try context.save()
    let model = MessageThreadViewModel(modelContext: ModelContext(container), conversationID: "c0")
    let found = model.fetchPendingSyncMessages()
    #expect(found.map(\.text) == ["ff", "ppp"])
    #expect(found.allSatisfy { $0.isPendingSync })
  }

  @Test("Sending stores a pending message in the conversation and clears the field")
  func send() throws {
    try add(1)
    let model = MessageThreadViewModel(modelContext: context, conversationID: "c0", currentUserID: "me")
    model.messageText = "  \n"
    model.sendMessage()
    #expect(model.fetchMessages().isEmpty)
    #expect(model.messageText == "  \n")
    model.messageText = "Hello"
    model.sendMessage()
    #expect(model.messageText == "")
    #expect(model.errorMessage == nil)

    let stored = ModelContext(try SortedContainer.open(folder.store))
    let message = try #require(try stored.fetch(FetchDescriptor<MessageEntity>()).first)
    #expect(message.text == "Hello")
    #expect(message.senderID == "me")
    #expect(message.status == .sending)
    #expect(message.syncStatus == .pending)
    #expect(message.conversation?.id == "c0")
    #expect(message.conversation?.lastMessageText == "Hello")
  }

  @Test("Opening a thread marks its conversation as read")
  func read() throws {
    let conversation = try add(1)[0]
    conversation.incrementUnreadCount()
    try context.save()
    MessageThreadViewModel(modelContext: context, conversationID: "c0").markConversationAsRead()
    let stored = ModelContext(try SortedContainer.open(folder.store))
    #expect(try stored.fetch(FetchDescriptor<ConversationEntity>()).map(\.unreadCount) == [0])
  }

  @Test("A change of what the view models show is observed")
  func observed() async {
    let model = MessageThreadViewModel(modelContext: context, conversationID: "c0")
    await confirmation { changed in
      withObservationTracking {
        _ = model.messageText
      } onChange: {
        changed()
      }
      model.messageText = "typed"
    }
  }
}
