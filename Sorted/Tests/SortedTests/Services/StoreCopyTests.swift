import Foundation
import Sorted
import SwiftData
import SwiftDataPostgres
import SwiftDataTesting
import Testing

@Suite("A copy of a store") struct StoreCopyTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func file(_ name: String) throws -> DefaultStore {
    try DefaultStore(
      ModelConfiguration(schema: SortedContainer.schema, url: folder.url.appendingPathComponent(name), allowsSave: true)
    )
  }

  /// A store with a few conversations, each with messages, a user and a FAQ.
  private func fill(_ conversations: Int = 3) throws {
    let context = try folder.context()
    for number in 0..<conversations {
      let conversation = ConversationEntity(id: "c\(number)", participantIDs: ["a", "é"], displayName: "e\u{301}\u{0}")
      context.insert(conversation)
      for place in 0..<5 {
        let message = MessageEntity(
          id: "\(number).\(place)", conversationID: conversation.id, senderID: "a", text: "text \(place) 👍🏽\u{0}",
          createdAt: Date(timeIntervalSinceReferenceDate: Double(place) / 3))
        context.insert(message)
        message.conversation = conversation
      }
    }
    try context.save()
  }

  private func copy<Source: DataStore, Target: DataStore>(
    _ source: Source, _ target: Target, chunk: Int = 4
  ) throws -> [StoreCopyResult]
  where Source.Snapshot == DefaultSnapshot, Target.Snapshot == DefaultSnapshot {
    let context = ModelContext(try SortedContainer.inMemory())
    var copy = StoreCopy(from: source, to: target, state: context.editingState, chunk: chunk)
    return try copy.run()
  }

  @Test("has everything, and a second run has nothing to do")
  func whole() throws {
    try fill()
    let (source, target) = (try file("inbox.store"), try file("copy.store"))
    let results = try copy(source, target)
    #expect(results.allSatisfy { $0.isVerified })
    #expect(results.map(\.written).reduce(0, +) == 18)
    #expect(try copy(source, target).map(\.written).reduce(0, +) == 0)
    let copied = ModelContext(try SortedContainer.open(folder.url.appendingPathComponent("copy.store")))
    let conversations = try copied.fetch(FetchDescriptor<ConversationEntity>(sortBy: [SortDescriptor(\.id)]))
    #expect(conversations.map(\.messages.count) == [5, 5, 5])
    #expect(conversations[0].messages.map(\.id) == ["0.0", "0.1", "0.2", "0.3", "0.4"])
  }

  @Test("goes on where another one was stopped, and says what differs")
  func resumed() throws {
    try fill()
    let (source, target) = (try file("inbox.store"), try file("copy.store"))
    _ = try copy(source, target)
    let context = ModelContext(try SortedContainer.open(folder.url.appendingPathComponent("copy.store")))
    for message in try context.fetch(FetchDescriptor<MessageEntity>()).prefix(7) { context.delete(message) }
    let extra = UserEntity(id: "only in the copy", email: "a@b.c", displayName: "x")
    context.insert(extra)
    try context.save()
    let results = try copy(source, try file("copy.store"))
    #expect(results.first { $0.entity == "MessageEntity" }?.written == 7)
    #expect(results.first { $0.entity == "MessageEntity" }?.isVerified == true)
    #expect(results.first { $0.entity == "UserEntity" }?.isVerified == false)
  }

  /// The statements about messages that select rows with a condition or without.
  private func selects(_ statements: [String], where condition: (String) -> Bool) -> Int {
    statements.filter { $0.hasPrefix("SELECT") && $0.contains("\"MessageEntity\" AS t0") && condition($0) }.count
  }

  /// Expects the reads of a copy of 15 messages in pages of four: each page once in either store, and one lookup per
  /// page if the target has messages.
  private func expectReads(_ statements: [String], lookups: Int, sourceLocation: SourceLocation = #_sourceLocation) {
    let pages = selects(statements) { $0.contains("ORDER BY t0._pk LIMIT") }
    #expect(pages == 4 + 4, "\(statements)", sourceLocation: sourceLocation)
    let later = selects(statements) { $0.contains("t0._pk > ") }
    #expect(later == 3 + 3, "only the first page starts at the beginning", sourceLocation: sourceLocation)
    let found = selects(statements) { $0.contains("t0.\"id\" IN") }
    #expect(found == lookups, "\(statements)", sourceLocation: sourceLocation)
  }

  @Test("reads each page of either store once, by key, and looks nothing up in an empty class")
  func reads() throws {
    try fill()
    let (source, target) = (try file("inbox.store"), try file("copy.store"))
    let (_, first) = try StatementTrace.record { try copy(source, target) }
    expectReads(first, lookups: 0)
    let (_, second) = try StatementTrace.record { try copy(source, target) }
    expectReads(second, lookups: 4)
  }

  @Test("costs the same per message in the middle of a store as at its beginning")
  func growth() throws {
    func steps(_ conversations: Int) throws -> Int {
      let folder = try StoreCopyTests()
      try folder.fill(conversations)
      let (source, target) = (try folder.file("inbox.store"), try folder.file("copy.store"))
      return try StatementTrace.virtualMachineSteps { _ = try folder.copy(source, target, chunk: 8) }
    }
    let (few, many) = (try steps(40), try steps(320))
    #expect(many < few * 9, "\(few) steps for 200 messages, \(many) for 1,600")
  }

  @Test(
    "goes to a server and back",
    .enabled(if: CopyServer.url != nil, "no server: run `make test`, or `scripts/postgres swift test`"))
  func server() throws {
    try fill()
    let configuration = PostgresConfiguration(
      url: CopyServer.url ?? "", schema: SortedContainer.schema, namespace: "copy_" + UUID().uuidString.lowercased())
    let store = try PostgresStore(configuration)
    defer { try? store.erase() }
    let (there, statements) = try StatementTrace.record { try copy(try file("inbox.store"), store) }
    expectReads(statements, lookups: 0)
    let (back, others) = try StatementTrace.record { try copy(store, try file("back.store")) }
    expectReads(others, lookups: 0)
    #expect((there + back).allSatisfy { $0.isVerified && $0.sourceChecksum == $0.targetChecksum })
    #expect(zip(there, back).allSatisfy { $0.sourceChecksum == $1.targetChecksum })
    let messages = try ModelContext(try SortedContainer.open(folder.url.appendingPathComponent("back.store")))
      .fetch(FetchDescriptor<MessageEntity>(sortBy: [SortDescriptor(\.id)]))
    #expect(messages.map(\.conversation?.id).last == "c2")
    #expect(messages[0].text.unicodeScalars.elementsEqual("text 0 👍🏽\u{0}".unicodeScalars))
  }
}

/// The server that `scripts/postgres` started.
private enum CopyServer {
  static let url = ProcessInfo.processInfo.environment["POSTGRES_URL"]
}
