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
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<AttachmentEntity>()) == 1)
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
