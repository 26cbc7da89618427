import Foundation
import SwiftData
import Testing

@Suite("Article: Performance")
struct Performance {
  @Model
  final class Message {
    #Index<Message>([\.room, \.sent])

    var room: String
    var sent: Date
    var sender: String
    var isRead: Bool = false

    init(room: String, sent: Date, sender: String) {
      self.room = room
      self.sent = sent
      self.sender = sender
    }
  }

  private let context: ModelContext

  init() throws {
    let container = try memoryContainer(Message.self)
    let writer = ModelContext(container)
    let messages = (0..<1_000).map { number in
      Message(
        room: "room \(number % 4)", sent: Date(timeIntervalSinceReferenceDate: Double(number)),
        sender: "sender \(number % 10)")
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

  @Test("A save of many objects is one transaction")
  func saves() throws {
    for message in try context.fetch(FetchDescriptor<Message>()) { message.isRead = true }
    try context.save()
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.changes.count) == [1_000, 1_000])
  }
}
