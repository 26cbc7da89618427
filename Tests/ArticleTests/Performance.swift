import Foundation
import SwiftData
import SwiftDataTesting
import Testing

@Suite("Article: Performance")
struct Performance {
  @Model
  final class Message {
    #Index<Message>([\.room, \.sent])

    @Attribute(.unique) var id: UUID
    var room: String
    var sent: Date
    var sender: String
    var size: Int
    var isRead: Bool = false
    @Attribute(.spotlight) var text: String

    init(room: String, sent: Date, sender: String, size: Int, text: String) {
      self.id = UUID()
      self.room = room
      self.sent = sent
      self.sender = sender
      self.size = size
      self.text = text
    }
  }

  private let context: ModelContext

  init() throws {
    let container = try memoryContainer(Message.self)
    let writer = ModelContext(container)
    let messages = (0..<1_000).map { number in
      Message(
        room: "room \(number % 4)", sent: Date(timeIntervalSinceReferenceDate: Double(number)),
        sender: "sender \(number % 10)", size: number, text: number == 7 ? "the annual report" : "hello \(number)")
    }

    writer.insert(contentsOf: messages)
    try writer.save()

    context = ModelContext(container)
  }

  @Test("explain names the index that a fetch uses, or the one that is missing")
  func explain() throws {
    let fast = FetchDescriptor<Message>(
      predicate: #Predicate { $0.room == "room 1" }, sortBy: [SortDescriptor(\.sent, order: .reverse)])
    #expect(try context.explain(fast).findings.isEmpty)

    let slow = FetchDescriptor<Message>(predicate: #Predicate { $0.sender == "sender 3" })
    let explanation = try context.explain(slow)
    print(explanation)
    for finding in explanation.findings { print(finding.description) }

    #expect(explanation.findings.map(\.index) == [["sender"]])
    #expect(
      explanation.findings[0].description.contains("#Index<Message>([\\.sender])"), "\(explanation.findings[0])")
    #expect(explanation.sql.contains("WHERE") && explanation.bindings == [.text("sender 3")])
  }

  @Test("Pages after a message need no offset, and cost the same at any depth")
  func pages() throws {
    var page = FetchDescriptor<Message>(
      predicate: #Predicate { $0.room == "room 1" },
      sortBy: [SortDescriptor(\.sent, order: .reverse)])
    page.fetchLimit = 50
    let first = try context.fetch(page)
    let second = try context.fetch(page, after: first.last!)

    #expect(first.count == 50 && second.count == 50)
    #expect(second[0].sent < first[49].sent)
    var last = second
    while let message = last.last, last.count == 50 { last = try context.fetch(page, after: message) }
    #expect(last.isEmpty, "250 messages are five pages of 50")
  }

  @Test("Counts and sums make no objects, in one statement")
  func aggregates() throws {
    let all = FetchDescriptor<Message>()
    let recorded = try StatementTrace.record {
      let (count, size) = try context.fetch(all, .count, .sum(\.size))
      for (room, unread) in try context.fetch(all, groupedBy: \.room, .count) { print(room, unread) }
      let senders = try context.fetch(all, selecting: \.sender)

      return (count, size, senders)
    }
    #expect(recorded.result.0 == 1_000 && recorded.result.1 == 499_500 && Set(recorded.result.2).count == 10)
    #expect(recorded.statements.count == 3)
    let id = try #require(try context.fetchIdentifiers(all).first)
    let object: Message? = context.registeredModel(for: id)
    #expect(object == nil)
  }

  @Test("An update and a delete by predicate make no objects")
  func batches() throws {
    let date = Date(timeIntervalSinceReferenceDate: 500)

    let changed = try context.update(
      model: Message.self, where: #Predicate { $0.sent < date }, set: .assign(\.isRead, true))
    try context.delete(model: Message.self, where: #Predicate { $0.isRead })
    try context.save()

    #expect(changed == 500)
    #expect(try context.fetchCount(FetchDescriptor<Message>()) == 500)
  }

  @Test("Enumerating holds one batch in memory")
  func enumerate() throws {
    var total = 0
    var descriptor = FetchDescriptor<Message>()
    descriptor.includePendingChanges = false
    try context.enumerate(descriptor, batchSize: 100) { message in
      total += message.size
    }

    #expect(total == 499_500)
  }

  @Test("A search by words reads the full-text index")
  func search() throws {
    let hits = try context.search(Message.self, "\"annual report\"", limit: 20)

    #expect(hits.map(\.model.size) == [7])
  }

  @Test("A save of many objects is one transaction")
  func saves() throws {
    for message in try context.fetch(FetchDescriptor<Message>()) { message.isRead = true }
    try context.save()
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.changes.count) == [1_000, 1_000])
  }
}
