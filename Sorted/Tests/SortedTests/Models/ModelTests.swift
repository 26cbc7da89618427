import Foundation
import Sorted
import SwiftData
import Testing

@Suite("The models of the inbox") struct ModelTests {
  @Test("Messages have the guide's defaults and come back from the store with every value")
  func message() throws {
    let folder = try TemporaryFolder()
    let created = Date(timeIntervalSinceReferenceDate: 1_234.567891)
    let message = MessageEntity(id: "m1", conversationID: "c1", senderID: "u1", text: "Hello 🎥", createdAt: created)
    #expect(message.updatedAt == created)
    #expect(message.status == .sending)
    #expect(message.syncStatus == .pending)
    #expect(message.retryCount == 0)
    #expect(message.readBy.isEmpty)
    #expect(message.attachments.isEmpty)
    #expect(message.conversation == nil)
    #expect(message.category == nil && message.sentiment == nil && message.opportunityScore == nil)

    message.readBy = ["u1", "u2"]
    message.category = .urgent
    message.categoryConfidence = 0.95
    message.sentiment = .positive
    message.sentimentIntensity = .high
    message.opportunityScore = 88
    message.faqMatchID = "f1"
    message.faqConfidence = 0.5
    message.smartReplyDraft = "Draft"
    message.supermemoryID = "s1"
    message.lastSyncAttempt = created
    message.syncError = "offline"
    let context = try folder.context()
    context.insert(message)
    try context.save()

    let stored = try #require(try folder.context().fetch(FetchDescriptor<MessageEntity>()).first)
    #expect(stored.id == "m1")
    #expect(stored.conversationID == "c1")
    #expect(stored.senderID == "u1")
    #expect(stored.text == "Hello 🎥")
    #expect(stored.createdAt == created)
    #expect(stored.status == .sending)
    #expect(stored.syncStatus == .pending)
    #expect(stored.readBy == ["u1", "u2"])
    #expect(stored.category == .urgent)
    #expect(stored.categoryConfidence == 0.95)
    #expect(stored.sentiment == .positive)
    #expect(stored.sentimentIntensity == .high)
    #expect(stored.opportunityScore == 88)
    #expect(stored.faqMatchID == "f1")
    #expect(stored.faqConfidence == 0.5)
    #expect(stored.smartReplyDraft == "Draft")
    #expect(stored.supermemoryID == "s1")
    #expect(stored.lastSyncAttempt == created)
    #expect(stored.syncError == "offline")
  }

  @Test("A message that failed is retried twice more, then no longer; a synced one has no error")
  func sync() {
    let message = MessageEntity(conversationID: "c1", senderID: "u1", text: "t", createdAt: .distantPast)
    #expect(message.isPendingSync)
    #expect(!message.shouldRetry)
    for attempt in 1...3 {
      message.markAsFailed(error: "offline \(attempt)")
      #expect(message.syncStatus == .failed)
      #expect(message.retryCount == attempt)
      #expect(message.syncError == "offline \(attempt)")
      #expect(message.lastSyncAttempt != nil)
      #expect(message.shouldRetry == (attempt < 3))
      #expect(message.isPendingSync == (attempt < 3))
    }
    #expect(message.updatedAt > .distantPast)
    message.markAsSynced()
    #expect(message.syncStatus == .synced)
    #expect(message.syncError == nil)
    #expect(!message.isPendingSync)
  }

  @Test("A conversation knows its last message, its unread count, its newest messages and those that wait")
  func conversation() {
    let conversation = ConversationEntity(participantIDs: ["a", "b"], createdAt: .distantPast)
    #expect(conversation.updatedAt == .distantPast)
    #expect(!conversation.isGroup && !conversation.isPinned && !conversation.isMuted && !conversation.isArchived)
    #expect(conversation.displayName == nil)
    #expect(conversation.messages.isEmpty)

    let old = MessageEntity(
      conversationID: conversation.id, senderID: "a", text: "old", createdAt: Date(timeIntervalSince1970: 1),
      syncStatus: .synced)
    let new = MessageEntity(
      conversationID: conversation.id, senderID: "b", text: "new", createdAt: Date(timeIntervalSince1970: 2))
    conversation.messages = [old, new]
    #expect(conversation.sortedMessages.map(\.text) == ["new", "old"])
    #expect(conversation.pendingSyncMessages.map(\.text) == ["new"])

    conversation.updateWithMessage(new)
    #expect(conversation.lastMessageText == "new")
    #expect(conversation.lastMessageAt == new.createdAt)
    #expect(conversation.lastMessageSenderID == "b")
    #expect(conversation.updatedAt > new.createdAt)

    conversation.incrementUnreadCount()
    conversation.incrementUnreadCount()
    #expect(conversation.unreadCount == 2)
    conversation.markAsRead()
    #expect(conversation.unreadCount == 0)
  }

  @Test("A user's profile and features change one by one")
  func user() {
    let user = UserEntity(id: "u1", email: "ann@example.com", displayName: "Ann", createdAt: .distantPast)
    #expect(user.updatedAt == .distantPast)
    #expect(user.photoURL == nil && user.faqs.isEmpty && user.allowSupermemoryStorage)
    user.updateProfile(displayName: "Ann B")
    #expect(user.displayName == "Ann B")
    #expect(user.photoURL == nil)
    user.updateProfile(photoURL: "https://example.com/a.png")
    #expect(user.displayName == "Ann B")
    #expect(user.photoURL == "https://example.com/a.png")
    #expect(user.updatedAt > .distantPast)

    let features: [(AIFeature, KeyPath<UserEntity, Bool>)] = [
      (.categorization, \.enableCategorization), (.smartReply, \.enableSmartReply), (.faq, \.enableFAQ),
      (.sentiment, \.enableSentiment), (.opportunityScoring, \.enableOpportunityScoring),
    ]
    for (feature, property) in features {
      #expect(user[keyPath: property])
      user.setAIFeature(feature, enabled: false)
      #expect(features.filter { !user[keyPath: $0.1] }.count == 1)
      #expect(!user[keyPath: property])
      user.setAIFeature(feature, enabled: true)
    }
  }

  @Test("An attachment's upload goes from pending to completed or failed")
  func attachment() {
    let attachment = AttachmentEntity(
      type: .image, localURL: "file:///a.jpg", fileSize: 5_000_000_000, mimeType: "image/jpeg", fileName: "a.jpg")
    #expect(attachment.uploadStatus == .pending)
    #expect(attachment.uploadProgress == 0)
    #expect(!attachment.isAvailable)
    #expect(attachment.fileSize == 5_000_000_000)
    attachment.updateUploadProgress(0.5)
    #expect(attachment.uploadProgress == 0.5)
    attachment.updateUploadProgress(7)
    #expect(attachment.uploadProgress == 1)
    attachment.updateUploadProgress(-1)
    #expect(attachment.uploadProgress == 0)
    attachment.markAsFailed(error: "offline")
    #expect(attachment.uploadStatus == .failed)
    #expect(attachment.uploadError == "offline")
    attachment.markAsUploaded(url: "https://example.com/a.jpg", thumbnailURL: "https://example.com/t.jpg")
    #expect(attachment.uploadStatus == .completed)
    #expect(attachment.uploadProgress == 1)
    #expect(attachment.uploadError == nil)
    #expect(attachment.thumbnailURL == "https://example.com/t.jpg")
    #expect(attachment.isAvailable)
  }

  @Test("An answer counts its uses and changes in part")
  func faq() {
    let faq = FAQEntity(category: .equipment, questionPattern: "Which?", answer: "This.", createdAt: .distantPast)
    #expect(faq.usageCount == 0 && faq.isEnabled && faq.lastUsedAt == nil && faq.updatedAt == .distantPast)
    faq.recordUsage()
    #expect(faq.usageCount == 1)
    #expect(faq.lastUsedAt != nil)
    faq.update(answer: "That.")
    #expect(faq.questionPattern == "Which?")
    #expect(faq.answer == "That.")
    faq.update(questionPattern: "Whose?")
    #expect(faq.questionPattern == "Whose?")
    #expect(faq.updatedAt > .distantPast)
  }

  @Test("The stored values of the enums are the guide's")
  func rawValues() {
    #expect(
      FAQCategory.allCases.map(\.rawValue) == ["Equipment", "Software", "Business", "Personal", "Career", "Other"])
    #expect(
      [MessageStatus.sending, .sent, .delivered, .read].map(\.rawValue) == ["sending", "sent", "delivered", "read"])
    #expect([SyncStatus.pending, .synced, .failed].map(\.rawValue) == ["pending", "synced", "failed"])
    #expect([MessageCategory.fan, .business, .spam, .urgent].map(\.rawValue) == ["fan", "business", "spam", "urgent"])
  }

  @Test("Deleting a conversation takes its messages and their attachments; deleting a user takes the answers")
  func cascades() throws {
    let context = ModelContext(try SortedContainer.inMemory())
    let conversation = ConversationEntity(id: "c1", participantIDs: [])
    let message = MessageEntity(conversationID: "c1", senderID: "a", text: "t")
    message.attachments = [
      AttachmentEntity(type: .audio, localURL: "file:///a", fileSize: 1, mimeType: "audio/mpeg", fileName: "a")
    ]
    conversation.messages = [message]
    let user = UserEntity(id: "u1", email: "", displayName: "")
    user.faqs = [FAQEntity(category: .other, questionPattern: "", answer: "")]
    let lone = MessageEntity(conversationID: "c2", senderID: "a", text: "stays")
    context.insert(conversation)
    context.insert(user)
    context.insert(lone)
    try context.save()
    #expect(message.conversation === conversation)
    #expect(message.attachments[0].message === message)
    #expect(user.faqs[0].user === user)

    context.delete(conversation)
    context.delete(user)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<MessageEntity>()).map(\.text) == ["stays"])
    #expect(try context.fetchCount(FetchDescriptor<AttachmentEntity>()) == 0)
    #expect(try context.fetchCount(FetchDescriptor<FAQEntity>()) == 0)
  }

  @Test("Deleting a message leaves its conversation, deleting an answer its user")
  func nullify() throws {
    let context = ModelContext(try SortedContainer.inMemory())
    let conversation = ConversationEntity(id: "c1", participantIDs: [])
    conversation.messages = (0..<3).map { MessageEntity(conversationID: "c1", senderID: "a", text: "\($0)") }
    context.insert(conversation)
    try context.save()
    context.delete(conversation.messages[1])
    try context.save()
    #expect(conversation.messages.map(\.text) == ["0", "2"])
    #expect(try context.fetchCount(FetchDescriptor<ConversationEntity>()) == 1)
  }

  @Test("The schema has the guide's entities, those of the sync and those of the assistant, each with a unique id")
  func schema() {
    let entities = SortedContainer.schema.entities
    let names = [
      "AssistCorrectionEntity", "AttachmentEntity", "AttachmentUploadEntity", "ConversationEntity", "FAQEntity",
      "MessageEntity", "MessageVectorEntity", "SharedInboxEntity", "SyncConflictEntity", "SyncStateEntity",
      "UserEntity",
    ]
    #expect(entities.map(\.name).sorted() == names)
    for entity in entities {
      let unique = entity.name == "AttachmentUploadEntity" ? "attachmentID" : "id"
      #expect(entity.attributes.filter(\.isUnique).map(\.name) == [unique], "\(entity.name)")
    }
    let message = SortedContainer.schema.entity(for: MessageEntity.self)
    #expect(message?.relationships.map(\.name).sorted() == ["attachments", "conversation"])
  }
}
