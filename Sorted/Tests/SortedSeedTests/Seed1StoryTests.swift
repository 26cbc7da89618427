import Foundation
import Sorted
import SwiftData
import Testing

/// Story 0.4: the container with the five entities.
@Suite struct Seed1StoryTests {
  @Test("The graph cascades: user to answers, conversation to messages to attachments")
  func graph() throws {
    let context = ModelContext(try SortedContainer.inMemory())
    let conversation = ConversationEntity(participantIDs: [])
    let message = MessageEntity(conversationID: conversation.id, senderID: "s", text: "t")
    message.attachments = [
      AttachmentEntity(type: .audio, localURL: "l", fileSize: 1, mimeType: "m", fileName: "f")
    ]
    conversation.messages = [message]
    context.insert(conversation)
    let user = UserEntity(id: "u", email: "e", displayName: "U")
    user.faqs = [FAQEntity(category: .software, questionPattern: "q", answer: "a")]
    context.insert(user)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<AttachmentEntity>()) == 1)
    #expect(try context.fetchCount(FetchDescriptor<FAQEntity>()) == 1)
    context.delete(user)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<FAQEntity>()) == 0)
    #expect(try context.fetchCount(FetchDescriptor<MessageEntity>()) == 1)
    context.delete(conversation)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<MessageEntity>()) == 0)
    #expect(try context.fetchCount(FetchDescriptor<AttachmentEntity>()) == 0)
  }

  @Test("The inverses are message and conversation, attachment and message, answer and user")
  func inverses() throws {
    let schema = SortedContainer.schema
    func inverse(_ entity: String, _ relationship: String) -> String? {
      schema.entitiesByName[entity]?.relationshipsByName[relationship]?.inverseName
    }
    #expect(inverse("MessageEntity", "conversation") == "messages")
    #expect(inverse("ConversationEntity", "messages") == "conversation")
    #expect(inverse("AttachmentEntity", "message") == "attachments")
    #expect(inverse("MessageEntity", "attachments") == "message")
    #expect(inverse("FAQEntity", "user") == "faqs")
    #expect(inverse("UserEntity", "faqs") == "user")
  }

  @Test("The delete rules are cascade towards the children and nullify towards the parents")
  func deleteRules() throws {
    let rules = SortedContainer.schema.entities.flatMap { entity in
      entity.relationships.map { "\(entity.name).\($0.name) \($0.deleteRule)" }
    }
    #expect(
      Set(rules) == [
        "MessageEntity.conversation nullify", "MessageEntity.attachments cascade",
        "ConversationEntity.messages cascade", "UserEntity.faqs cascade", "AttachmentEntity.message nullify",
        "FAQEntity.user nullify",
      ])
  }

  @Test("The entities have the properties of the guide and those that came later, and their ids are unique")
  func properties() throws {
    let expected = [
      "MessageEntity": """
      id conversationID senderID text createdAt updatedAt status syncStatus retryCount lastSyncAttempt nextSyncAttempt \
      syncError pendingFields changeID serverTime editedAt readBy deliveredTo category categoryConfidence sentiment sentimentIntensity opportunityScore faqMatchID faqConfidence \
      smartReplyDraft supermemoryID assistVersion replyToID reactions deletedAt conversation attachments
      """,
      "ConversationEntity": """
      id participantIDs displayName avatarURL isGroup createdAt updatedAt isPinned isMuted isArchived isKept \
      unreadCount lastMessageText lastMessageAt lastMessageSenderID pendingFields hasPendingFields changeID fieldTimes \
      serverTime noticeTime messageCursor supermemoryConversationID pinnedMessageIDs departures unpinnings messages
      """,
      "UserEntity": """
      id email displayName photoURL createdAt updatedAt enableCategorization enableSmartReply enableFAQ \
      enableSentiment enableOpportunityScoring allowSupermemoryStorage faqs
      """,
      "AttachmentEntity": """
      id type remoteURL localURL thumbnailURL fileSize mimeType fileName uploadStatus uploadProgress uploadError \
      createdAt contents message
      """,
      "FAQEntity": """
      id category questionPattern answer usageCount lastUsedAt isEnabled createdAt updatedAt user
      """,
      "SyncStateEntity": "id userID noticeCursor deletedNotices lastSyncAt lastError lastErrorAt",
      "AttachmentUploadEntity": "attachmentID upload checksum length sent failures nextAttempt",
      "SharedInboxEntity": "id server arrivalToken",
      "AssistCorrectionEntity": "id userID messageID text kind createdAt",
      "MessageVectorEntity": "id conversationID version digest vector",
      "SyncConflictEntity": "id objectID field localValue localTime remoteValue remoteTime",
    ]
    let entities = SortedContainer.schema.entitiesByName
    #expect(Set(entities.keys) == Set(expected.keys))
    for (name, list) in expected {
      let entity = try #require(entities[name])
      #expect(Set(entity.storedPropertiesByName.keys) == Set(list.split(separator: " ").map(String.init)), "\(name)")
      #expect(entity.uniquenessConstraints == [[name == "AttachmentUploadEntity" ? "attachmentID" : "id"]], "\(name)")
    }
  }

  @Test("The eight enums are stored by raw value")
  func enums() throws {
    let folder = try SeedFolder()
    let context = ModelContext(try SortedContainer.open(folder.store()))
    let message = MessageEntity(conversationID: "c", senderID: "s", text: "t", status: .delivered, syncStatus: .failed)
    message.category = .urgent
    message.sentiment = .neutral
    message.sentimentIntensity = .medium
    let file = AttachmentEntity(type: .video, localURL: "l", fileSize: 1, mimeType: "m", fileName: "f")
    message.attachments = [file]
    context.insert(message)
    context.insert(FAQEntity(category: .career, questionPattern: "q", answer: "a"))
    try context.save()
    #expect(
      try folder.shell("SELECT status, syncStatus, category, sentiment, sentimentIntensity FROM MessageEntity")
        == "delivered|failed|urgent|neutral|medium")
    #expect(try folder.shell("SELECT type, uploadStatus FROM AttachmentEntity") == "video|pending")
    #expect(try folder.shell("SELECT category FROM FAQEntity") == "Career")
  }

  @Test("The store file is created, and a test entity is saved and still there when it is opened again")
  @MainActor func storeFile() throws {
    let folder = try SeedFolder()
    do {
      let context = try SortedContainer.open(folder.store()).mainContext
      context.insert(UserEntity(id: "test-user", email: "test@example.com", displayName: "Test User"))
      try context.save()
    }
    #expect(FileManager.default.fileExists(atPath: folder.store().path))
    let again = ModelContext(try SortedContainer.open(folder.store()))
    #expect(try again.fetch(FetchDescriptor<UserEntity>()).map(\.email) == ["test@example.com"])
  }

  @Test("A unique id prevents duplicates")
  func uniqueIDs() throws {
    let context = ModelContext(try SortedContainer.inMemory())
    for name in ["first", "second"] {
      context.insert(UserEntity(id: "same", email: "e", displayName: name))
      try context.save()
    }
    #expect(try context.fetch(FetchDescriptor<UserEntity>()).map(\.displayName) == ["second"])
  }
}
