import Foundation
import Sorted
import SwiftData
import SwiftDataTesting
import Testing

@testable import SortedWeb

@Suite("Long conversations") struct ScaleTests {
  /// Conversations of all lengths, each message later than the one before.
  private static func fill(_ container: ModelContainer, _ lengths: [Int]) throws {
    for length in lengths {
      let id = "long/\(length)"
      let context = ModelContext(container)
      let conversation = ConversationEntity(id: id, participantIDs: ["me", "x"])
      conversation.lastMessageAt = Date(timeIntervalSince1970: Double(length))
      context.insert(conversation)
      try context.save()
      for start in stride(from: 1, through: length, by: 2_000) {
        try add(start...min(start + 1_999, length), to: id, of: length, ModelContext(container))
      }
    }
  }

  /// With a context that does not have the conversation's messages: they need not be looked through for each.
  private static func add(_ numbers: ClosedRange<Int>, to id: String, of length: Int, _ context: ModelContext) throws {
    let found = try context.fetch(FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == id }))
    let conversation = try #require(found.first)
    for number in numbers {
      let message = MessageEntity(
        id: "\(length)/\(number)", conversationID: id, senderID: "x", text: "message \(number)",
        createdAt: Date(timeIntervalSince1970: Double(number)), status: .read, syncStatus: .synced)
      context.insert(message)
      message.conversation = conversation
    }
    try context.save()
  }

  @Test("A thread of 100,000 messages opens with the statements and the steps of one of 100")
  func statements() throws {
    let inbox = try SortedContainer.inMemory()
    let own = try WebSchema.inMemory()
    try Self.fill(inbox, [100, 100_000])
    func open(_ length: Int, _ position: ThreadPosition) throws -> (statements: [String], steps: Int) {
      func page() throws {
        let access = Access(
          work: Work(inbox: ModelContext(inbox), own: ModelContext(own), setting: Setting()), viewer: .owner("me"))
        let list = try ConversationList(access: access, filter: ListFilter()).page()
        _ = try ListView(list, ListFilter(), access)
        let conversation = try #require(list.conversations.first { $0.id == "long/\(length)" })
        let view = try ThreadView(access, conversation, position, place: list.places[conversation.id])
        #expect(view.stretch.messages.count >= ThreadReader.pageSize)
      }
      return (try StatementTrace.record(page).statements, try StatementTrace.steps(of: page))
    }
    let pairs: [(ThreadPosition, ThreadPosition)] = [
      (.newest, .newest), (.before("100/50"), .before("100000/50000")), (.around("100/50"), .around("100000/50000")),
    ]
    for (inShort, inLong) in pairs {
      let (short, long) = (try open(100, inShort), try open(100_000, inLong))
      #expect(short.statements == long.statements)
      #expect(long.statements.count <= 14, "\(long.statements.joined(separator: "\n"))")
      #expect(long.steps < short.steps * 3 / 2)
    }
  }

  @Test("A search for conversations by name or person is one statement with a limit, whatever their number")
  func conversationsByName() throws {
    let inbox = try SortedContainer.inMemory()
    let filling = ModelContext(inbox)
    for number in 0..<500 {
      let conversation = ConversationEntity(
        id: "c\(number)", participantIDs: ["ann", number.isMultiple(of: 5) ? "Bob" : "carol"],
        displayName: number.isMultiple(of: 7) ? "Café \(number)" : nil)
      conversation.lastMessageAt = Date(timeIntervalSince1970: Double(number))
      filling.insert(conversation)
    }
    try filling.save()
    let all = try filling.fetch(FetchDescriptor<ConversationEntity>())
    for viewer in [Viewer.owner("me"), .member("ann"), .member("bob"), .member("stranger")] {
      let context = ModelContext(inbox)
      let access = Access(
        work: Work(inbox: context, own: ModelContext(try WebSchema.inMemory()), setting: Setting()), viewer: viewer)
      for predicate in [
        access.conversations(containing: ""), access.conversations(containing: "bob"),
        access.conversations(containing: "CAFE"), access.conversations(with: "carol"),
      ] {
        var latest = FetchDescriptor(
          predicate: predicate, sortBy: [SortDescriptor(\ConversationEntity.lastMessageAt, order: .reverse)])
        latest.fetchLimit = 12
        var found = [ConversationEntity]()
        let statements = try StatementTrace.record { found = try context.fetch(latest) }.statements
        #expect(statements.count == 1 && statements[0].contains("LIMIT"), "\(statements)")
        let expected = try all.filter { try predicate.evaluate($0) }
          .sorted { ($0.lastMessageAt ?? .distantPast) > ($1.lastMessageAt ?? .distantPast) }.prefix(12)
        #expect(found.map(\.id) == expected.map(\.id))
      }
    }
  }
}
