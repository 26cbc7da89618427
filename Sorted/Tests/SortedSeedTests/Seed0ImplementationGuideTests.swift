import Foundation
import Sorted
import SwiftData
import Testing

/// The SwiftData implementation guide: the models of Sorted, their container, view models and practices.
@Suite struct Seed0ImplementationGuideTests {
  // MARK: - 1. Entities

  @Test("1.1 A message has its defaults, its status helpers, and comes back from the store with every property")
  func message() throws {
    let folder = try SeedFolder()
    let container = try SortedContainer.open(folder.store())
    let context = ModelContext(container)
    let message = MessageEntity(conversationID: "c", senderID: "s", text: "Hi")
    #expect(message.status == .sending)
    #expect(message.syncStatus == .pending)
    #expect(message.isPendingSync)
    #expect(message.readBy.isEmpty && message.attachments.isEmpty && message.category == nil)
    message.readBy = ["a", "b"]
    message.category = .fan
    message.categoryConfidence = 0.95
    message.sentiment = .positive
    message.sentimentIntensity = .high
    message.opportunityScore = 80
    message.faqMatchID = "f"
    message.faqConfidence = 0.5
    message.smartReplyDraft = "Thanks"
    message.supermemoryID = "m"
    for attempt in 1...3 {
      message.markAsFailed(error: "offline")
      #expect(message.shouldRetry == (attempt < 3))
    }
    context.insert(message)
    try context.save()
    let loaded = try #require(try ModelContext(container).fetch(FetchDescriptor<MessageEntity>()).first)
    #expect(loaded.id == message.id && loaded.readBy == ["a", "b"] && loaded.category == .fan)
    #expect(loaded.categoryConfidence == 0.95 && loaded.sentiment == .positive && loaded.sentimentIntensity == .high)
    #expect(loaded.opportunityScore == 80 && loaded.faqMatchID == "f" && loaded.faqConfidence == 0.5)
    #expect(loaded.smartReplyDraft == "Thanks" && loaded.supermemoryID == "m")
    #expect(loaded.syncStatus == .failed && loaded.retryCount == 3 && loaded.syncError == "offline")
    #expect(loaded.createdAt == message.createdAt && loaded.lastSyncAttempt == message.lastSyncAttempt)
    loaded.markAsSynced()
    #expect(loaded.syncStatus == .synced && loaded.syncError == nil)
  }

  @Test("1.2 A conversation keeps its last message, unread count and sorted messages; deleting it deletes them")
  func conversation() throws {
    let context = ModelContext(try SortedContainer.inMemory())
    let conversation = ConversationEntity(participantIDs: ["a", "b"], displayName: "Two")
    context.insert(conversation)
    let old = MessageEntity(
      conversationID: conversation.id, senderID: "a", text: "old", createdAt: Date(timeIntervalSince1970: 1))
    let new = MessageEntity(
      conversationID: conversation.id, senderID: "b", text: "new", createdAt: Date(timeIntervalSince1970: 2),
      syncStatus: .synced)
    conversation.messages = [old, new]
    #expect(old.conversation === conversation)
    conversation.updateWithMessage(new)
    #expect(conversation.lastMessageText == "new" && conversation.lastMessageSenderID == "b")
    conversation.incrementUnreadCount()
    conversation.incrementUnreadCount()
    #expect(conversation.unreadCount == 2)
    conversation.markAsRead()
    #expect(conversation.unreadCount == 0)
    #expect(conversation.sortedMessages.map(\.text) == ["new", "old"])
    #expect(conversation.pendingSyncMessages.map(\.text) == ["old"])
    try context.save()
    context.delete(conversation)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<MessageEntity>()) == 0)
  }

  @Test("1.3 A user has all features on, switches them, and owns the answers")
  func user() throws {
    let context = ModelContext(try SortedContainer.inMemory())
    let user = UserEntity(id: "u", email: "u@example.com", displayName: "U")
    #expect(user.enableFAQ && user.enableSentiment && user.allowSupermemoryStorage)
    user.setAIFeature(.sentiment, enabled: false)
    #expect(!user.enableSentiment)
    user.updateProfile(displayName: "V", photoURL: "p")
    #expect(user.displayName == "V" && user.photoURL == "p")
    user.faqs = [FAQEntity(category: .career, questionPattern: "q", answer: "a")]
    context.insert(user)
    try context.save()
    context.delete(user)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<FAQEntity>()) == 0)
  }

  @Test("1.4 An attachment tracks its upload and leaves with its message")
  func attachment() throws {
    let context = ModelContext(try SortedContainer.inMemory())
    let message = MessageEntity(conversationID: "c", senderID: "s", text: "")
    let file = AttachmentEntity(
      type: .image, localURL: "/tmp/a.png", fileSize: Int64.max, mimeType: "image/png", fileName: "a.png")
    message.attachments.append(file)
    context.insert(message)
    file.updateUploadProgress(1.7)
    #expect(file.uploadProgress == 1)
    file.markAsFailed(error: "x")
    #expect(!file.isAvailable)
    file.markAsUploaded(url: "https://example.com/a.png")
    #expect(file.isAvailable && file.uploadError == nil)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<AttachmentEntity>()).first?.fileSize == .max)
    context.delete(message)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<AttachmentEntity>()) == 0)
  }

  @Test("1.5 An answer counts its uses, and its category is stored by raw value")
  func faq() throws {
    let context = ModelContext(try SortedContainer.inMemory())
    let faq = FAQEntity(category: .equipment, questionPattern: "q", answer: "a")
    context.insert(faq)
    faq.recordUsage()
    faq.update(answer: "b")
    try context.save()
    let equipment = FAQCategory.equipment
    let found = try context.fetch(FetchDescriptor<FAQEntity>(predicate: #Predicate { $0.category == equipment }))
    #expect(found.map(\.answer) == ["b"])
    #expect(faq.usageCount == 1 && faq.lastUsedAt != nil)
  }

  @Test("1.1 to 1.5 Deleting a child leaves its parent, which forgets it, in a store that was opened again")
  func nullify() throws {
    let folder = try SeedFolder()
    do {
      let context = ModelContext(try SortedContainer.open(folder.store()))
      let conversation = ConversationEntity(participantIDs: ["a"])
      let message = MessageEntity(conversationID: conversation.id, senderID: "a", text: "t")
      message.attachments = ["x", "y"].map {
        AttachmentEntity(type: .document, localURL: $0, fileSize: 1, mimeType: "m", fileName: $0)
      }
      conversation.messages = [message]
      let user = UserEntity(id: "u", email: "e", displayName: "U")
      user.faqs = [FAQEntity(category: .other, questionPattern: "q", answer: "a")]
      context.insert(conversation)
      context.insert(user)
      try context.save()
    }
    let context = ModelContext(try SortedContainer.open(folder.store()))
    let message = try #require(try context.fetch(FetchDescriptor<MessageEntity>()).first)
    context.delete(message.attachments[0])
    context.delete(try #require(try context.fetch(FetchDescriptor<FAQEntity>()).first))
    try context.save()
    #expect(message.attachments.map(\.fileName) == ["y"])
    let conversation = try #require(message.conversation)
    context.delete(message)
    try context.save()
    #expect(conversation.messages.isEmpty && !conversation.isDeleted)
    let fresh = ModelContext(try SortedContainer.open(folder.store()))
    #expect(try fresh.fetchCount(FetchDescriptor<AttachmentEntity>()) == 0)
    #expect(try fresh.fetch(FetchDescriptor<ConversationEntity>()).map(\.messages.count) == [0])
    #expect(try fresh.fetch(FetchDescriptor<UserEntity>()).map(\.faqs.count) == [0])
  }

  // MARK: - 2. Containers

  @Test("2.1 Without a url the store is called default.store and kept on disk")
  func defaultPlace() {
    let configuration = ModelConfiguration(
      schema: SortedContainer.schema, isStoredInMemoryOnly: false, allowsSave: true)
    #expect(configuration.url.lastPathComponent == "default.store")
    #expect(!configuration.isStoredInMemoryOnly && configuration.allowsSave)
  }

  @Test("2.1 The app's schema opens on disk")
  func appContainer() throws {
    let folder = try SeedFolder()
    let schema = Schema([
      MessageEntity.self, ConversationEntity.self, UserEntity.self, AttachmentEntity.self, FAQEntity.self,
    ])
    let configuration = ModelConfiguration(schema: schema, url: folder.store(), allowsSave: true)
    let container = try ModelContainer(for: schema, configurations: [configuration])
    #expect(container.schema.entities.count == 5)
    #expect(FileManager.default.fileExists(atPath: folder.store().path))
  }

  @Test("2.2 The preview container has its sample data")
  @MainActor func preview() throws {
    let context = try PreviewContainer.make().mainContext
    let conversation = try #require(try context.fetch(FetchDescriptor<ConversationEntity>()).first)
    #expect(conversation.messages.count == 2)
    #expect(conversation.lastMessageText == conversation.messages[1].text)
    #expect(try context.fetchCount(FetchDescriptor<UserEntity>()) == 1)
  }

  // MARK: - 3. View models

  @Test("3.1 The list's view model fetches what is not archived, pinned and unread, newest first, and changes it")
  @MainActor func listViewModel() throws {
    let container = try SortedContainer.inMemory()
    let context = container.mainContext
    for number in 0..<4 {
      let conversation = ConversationEntity(id: "\(number)", participantIDs: [])
      conversation.lastMessageAt = number == 3 ? nil : Date(timeIntervalSince1970: Double(number))
      conversation.unreadCount = number % 2
      context.insert(conversation)
    }
    try context.save()
    let model = ConversationListViewModel(modelContext: context)
    #expect(model.fetchConversations().map(\.id) == ["2", "1", "0", "3"])
    #expect(model.fetchUnreadConversations().map(\.id) == ["1", "3"])
    let first = try #require(model.fetchConversations().first)
    model.togglePin(conversation: first)
    #expect(model.fetchPinnedConversations().map(\.id) == ["2"])
    model.archiveConversation(first)
    #expect(model.fetchPinnedConversations().isEmpty)
    model.deleteConversation(first)
    #expect(try context.fetchCount(FetchDescriptor<ConversationEntity>()) == 3)
    #expect(model.errorMessage == nil)
  }

  @Test("3.2 The thread's view model pages, sends, finds what waits for a sync, and marks as read")
  @MainActor func threadViewModel() throws {
    let container = try SortedContainer.inMemory()
    let context = container.mainContext
    let conversation = ConversationEntity(id: "c", participantIDs: ["a"])
    conversation.unreadCount = 5
    context.insert(conversation)
    for number in 0..<45 {
      let message = MessageEntity(
        id: "\(number)", conversationID: "c", senderID: "a", text: "\(number)",
        createdAt: Date(timeIntervalSince1970: Double(number)), syncStatus: .synced)
      conversation.messages.append(message)
    }
    try context.save()
    let model = MessageThreadViewModel(modelContext: context, conversationID: "c")
    #expect(model.fetchMessages().map(\.id) == (25..<45).reversed().map(String.init))
    #expect(model.fetchMessages(limit: 20, offset: 40).map(\.id) == ["4", "3", "2", "1", "0"])
    model.messageText = "   "
    model.sendMessage()
    #expect(model.fetchPendingSyncMessages().isEmpty)
    model.messageText = "Hello"
    model.sendMessage()
    #expect(model.messageText.isEmpty)
    let pending = model.fetchPendingSyncMessages()
    #expect(pending.map(\.text) == ["Hello"])
    #expect(pending.first?.conversation === conversation)
    #expect(model.getConversation()?.lastMessageText == "Hello")
    model.markConversationAsRead()
    #expect(conversation.unreadCount == 0)
  }

  // MARK: - 4. Sync patterns, the store's side

  @Test("4.1 The sync queue is fetched oldest first: pending, and failed with fewer than three attempts")
  func syncQueue() throws {
    let context = ModelContext(try SortedContainer.inMemory())
    func add(_ id: String, _ status: SyncStatus, retries: Int, at time: Double) {
      let message = MessageEntity(
        id: id, conversationID: "c", senderID: "s", text: "", createdAt: Date(timeIntervalSince1970: time),
        syncStatus: status)
      message.retryCount = retries
      context.insert(message)
    }
    add("late", .pending, retries: 0, at: 9)
    add("retry", .failed, retries: 2, at: 1)
    add("given up", .failed, retries: 3, at: 2)
    add("done", .synced, retries: 0, at: 3)
    try context.save()
    let descriptor = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { message in
        message.syncStatus == .pending || (message.syncStatus == .failed && message.retryCount < 3)
      },
      sortBy: [SortDescriptor(\.createdAt, order: .forward)])
    #expect(try context.fetch(descriptor).map(\.id) == ["retry", "late"])
  }

  @Test("4.2 Updating the cache updates the stored conversation or makes a new one")
  func cache() throws {
    let context = ModelContext(try SortedContainer.inMemory())
    func receive(_ id: String, _ name: String) throws {
      let descriptor = FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == id })
      if let existing = try context.fetch(descriptor).first {
        existing.displayName = name
      } else {
        context.insert(ConversationEntity(id: id, participantIDs: [], displayName: name))
      }
      try context.save()
    }
    try receive("1", "one")
    try receive("1", "uno")
    try receive("2", "two")
    let names = try context.fetch(FetchDescriptor<ConversationEntity>(sortBy: [SortDescriptor(\.id)]))
    #expect(names.map(\.displayName) == ["uno", "two"])
  }

  @Test("4.1 A service actor marks what was sent and what failed; other contexts see it")
  @MainActor func serviceActor() async throws {
    let container = try SortedContainer.inMemory()
    let context = container.mainContext
    for id in ["sent", "lost"] {
      context.insert(MessageEntity(id: id, conversationID: "c", senderID: "s", text: id))
    }
    try context.save()
    let messages = try context.fetch(FetchDescriptor<MessageEntity>(sortBy: [SortDescriptor(\.id)]))
    let service = MessageSync0(modelContext: ModelContext(container))
    try await service.finish("sent", error: nil)
    try await service.finish("lost", error: "offline")
    _ = try context.fetch(FetchDescriptor<MessageEntity>())
    #expect(messages.map(\.syncStatus) == [.failed, .synced])
    #expect(messages.map(\.syncError) == ["offline", nil])
    #expect(messages.map(\.retryCount) == [1, 0])
  }

  @Test("4.3 The coordinator's count of pending messages is the same counted as fetched")
  func pendingCount() throws {
    let context = ModelContext(try SortedContainer.inMemory())
    for (index, status) in [SyncStatus.pending, .failed, .synced, .failed].enumerated() {
      let message = MessageEntity(conversationID: "c", senderID: "s", text: "", syncStatus: status)
      message.retryCount = index
      context.insert(message)
    }
    let descriptor = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { message in
        message.syncStatus == .pending || (message.syncStatus == .failed && message.retryCount < 3)
      })
    #expect(try context.fetchCount(descriptor) == 2)
    try context.save()
    #expect(try context.fetchCount(descriptor) == 2)
    #expect(try context.fetch(descriptor).count == 2)
  }

  // MARK: - 5. Practices

  @Test("5.1 The errors of the data layer describe themselves")
  func errors() {
    #expect(DataLayerError.saveFailed("disk").errorDescription == "Failed to save data: disk")
    #expect(DataLayerError.fetchFailed("x").localizedDescription == "Failed to fetch data: x")
    #expect(DataLayerError.deleteFailed("x").errorDescription == "Failed to delete data: x")
    #expect(DataLayerError.syncFailed("x").errorDescription == "Failed to sync data: x")
    #expect(DataLayerError.invalidData("x").errorDescription == "Invalid data: x")
  }

  @Test("5.2 Old synced messages are cleaned up by date and state")
  func cleanUp() throws {
    let context = ModelContext(try SortedContainer.inMemory())
    for (index, status) in [SyncStatus.synced, .pending, .synced].enumerated() {
      context.insert(
        MessageEntity(
          id: "\(index)", conversationID: "c", senderID: "s", text: "",
          createdAt: index == 2 ? .now : .distantPast, syncStatus: status))
    }
    try context.save()
    let cutoff = try #require(Calendar.current.date(byAdding: .day, value: -30, to: .now))
    let old = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { $0.createdAt < cutoff && $0.syncStatus == .synced })
    for message in try context.fetch(old) { context.delete(message) }
    try context.save()
    #expect(try context.fetch(FetchDescriptor<MessageEntity>(sortBy: [SortDescriptor(\.id)])).map(\.id) == ["1", "2"])
  }
}

// MARK: - Services

/// The store's side of the guide's `MessageSyncService`: an actor that was handed a context.
actor MessageSync0 {
  private let modelContext: ModelContext
  init(modelContext: sending ModelContext) { self.modelContext = modelContext }

  func finish(_ id: String, error: String?) throws {
    let descriptor = FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.id == id })
    guard let message = try modelContext.fetch(descriptor).first else { return }
    if let error { message.markAsFailed(error: error) } else { message.markAsSynced() }
    try modelContext.save()
  }
}
