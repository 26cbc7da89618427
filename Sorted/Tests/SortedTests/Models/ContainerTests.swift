import Foundation
import Sorted
import SwiftData
import Testing

@Suite("The containers of the inbox") struct ContainerTests {
  @MainActor
  @Test("The preview container has a user, a conversation and its two messages, and is always the same one")
  func preview() throws {
    let context = try PreviewContainer.shared.mainContext
    #expect(try context.fetch(FetchDescriptor<UserEntity>()).map(\.displayName) == ["Sarah Chen"])
    let conversation = try #require(try context.fetch(FetchDescriptor<ConversationEntity>()).first)
    #expect(conversation.displayName == "John Doe")
    #expect(conversation.participantIDs == ["preview-user-1", "preview-user-2"])
    #expect(conversation.messages.map(\.senderID) == ["preview-user-2", "preview-user-1"])
    #expect(conversation.messages[0].category == .fan)
    #expect(conversation.messages[0].categoryConfidence == 0.95)
    #expect(conversation.lastMessageText == conversation.messages[1].text)
    #expect(try PreviewContainer.shared === PreviewContainer.shared)
    #expect(try PreviewContainer.make() !== PreviewContainer.shared)
  }

  @Test("A store is a file that the next container finds again")
  func file() throws {
    let folder = try TemporaryFolder()
    let context = try folder.context()
    context.insert(UserEntity(id: "u1", email: "ann@example.com", displayName: "Ann"))
    try context.save()
    #expect(FileManager.default.fileExists(atPath: folder.store.path))
    #expect(try folder.context().fetch(FetchDescriptor<UserEntity>()).map(\.id) == ["u1"])
  }

  @Test("The default store is named after the app")
  func defaultURL() {
    #expect(SortedContainer.defaultURL.lastPathComponent == "sorted.store")
    #expect(SortedContainer.defaultURL.isFileURL)
  }

  @Test("Errors of the data layer say what failed, and why")
  func errors() {
    #expect(DataLayerError.fetchFailed("x").errorDescription == "Failed to fetch data: x")
    #expect(DataLayerError.saveFailed("x").errorDescription == "Failed to save data: x")
    #expect(DataLayerError.deleteFailed("x").errorDescription == "Failed to delete data: x")
    #expect(DataLayerError.syncFailed("x").errorDescription == "Failed to sync data: x")
    #expect(DataLayerError.invalidData("x").localizedDescription == "Invalid data: x")
  }
}
