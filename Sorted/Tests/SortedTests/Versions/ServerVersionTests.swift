import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

@testable import Sorted

@Suite(
  "The versions of the inbox's schema on a server",
  .enabled(if: ProcessInfo.processInfo.environment["POSTGRES_URL"] != nil, "no server: run `make test`"))
struct ServerVersionTests {
  private let namespace = "sorted_" + UUID().uuidString.lowercased().replacing("-", with: "")

  private func open(_ version: any VersionedSchema.Type) throws -> ModelContainer {
    let url = try #require(ProcessInfo.processInfo.environment["POSTGRES_URL"])
    return try ModelContainer(
      for: Schema(versionedSchema: version), migrationPlan: SortedMigrationPlan.self,
      configurations: [PostgresConfiguration("sorted", url: url, namespace: namespace)])
  }

  @Test("A database of the first version becomes one of the newest, attempts computed and nothing lost")
  func fromFirst() throws {
    let start = Date(timeIntervalSince1970: 1_700_000_000.125)
    let context = ModelContext(try open(SortedSchemaV1.self))
    let conversation = SortedSchemaV1.ConversationEntity(id: "c", participantIDs: ["a", "me"], createdAt: start)
    context.insert(conversation)
    for index in 0..<9 {
      let message = SortedSchemaV1.MessageEntity(
        id: "m\(index)", conversationID: "c", senderID: "a", text: "täxt \(index)",
        createdAt: start.addingTimeInterval(Double(index)), status: .sent,
        syncStatus: [.synced, .pending, .failed][index % 3])
      if message.syncStatus == .failed {
        message.retryCount = index / 3
        message.lastSyncAttempt = start
      }
      conversation.messages.append(message)
    }
    let file = SortedSchemaV1.AttachmentEntity(
      id: "f", type: .image, fileSize: .max, mimeType: "image/png", fileName: "p.png", createdAt: start)
    file.url = "https://example.com/f"
    conversation.messages[0].attachments = [file]
    try context.save()

    let container = try open(SortedSchemaV6.self)
    defer { try? container.erase() }
    let new = ModelContext(container)
    let messages = try new.fetch(FetchDescriptor<MessageEntity>(sortBy: [SortDescriptor(\.id)]))
    #expect(messages.map(\.text) == (0..<9).map { "täxt \($0)" })
    #expect(
      messages.compactMap(\.nextSyncAttempt) == [1.0, 1, 2].map { start.addingTimeInterval($0) })
    #expect(messages[0].attachments.map(\.remoteURL) == ["https://example.com/f"])
    #expect(messages.allSatisfy { $0.conversation?.id == "c" })
    #expect(try new.fetch(FetchDescriptor<ConversationEntity>()).map(\.isKept) == [false])
    #expect(throws: SwiftDataError.backwardMigration) { try open(SortedSchemaV2.self) }
  }
}
