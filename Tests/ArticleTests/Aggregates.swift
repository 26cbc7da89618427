import Foundation
import SwiftData
import SwiftDataTesting
import Testing

@Suite("Article: Aggregates and bulk work")
struct Aggregates {
  @Model
  final class Message {
    #Index<Message>([\.room, \.sent])

    @Attribute(.unique) var id: UUID
    var room: String
    var sent: Date
    var sender: String
    var size: Int
    var isRead: Bool = false

    init(room: String, sent: Date, sender: String, size: Int) {
      self.id = UUID()
      self.room = room
      self.sent = sent
      self.sender = sender
      self.size = size
    }
  }

  private let context: ModelContext

  init() throws {
    let container = try memoryContainer(Message.self)
    let writer = ModelContext(container)
    let messages = (0..<1_000).map { number in
      Message(
        room: "room \(number % 4)", sent: Date(timeIntervalSinceReferenceDate: Double(number)),
        sender: "sender \(number % 10)", size: number)
    }

    writer.insert(contentsOf: messages)
    try writer.save()

    context = ModelContext(container)
  }

  @Test("Counts, sums, groups, columns and sections make no objects, with one statement each")
  func aggregates() throws {
    let recorded = try StatementTrace.record {
      let all = FetchDescriptor<Message>()
      let (count, size) = try context.fetch(all, computing: .count, .sum(\.size))
      for (room, newest) in try context.fetch(all, groupedBy: \.room, computing: .maximum(\.sent)) {
        print(room, newest ?? .distantPast)
      }
      for (room, sender, number) in try context.fetch(all, groupedBy: \.room, \.sender, computing: .count) {
        print(room, sender, number)
      }

      return (count, size)
    }
    #expect(recorded.result.0 == 1_000 && recorded.result.1 == 499_500)
    #expect(recorded.statements.count == 3)

    let all = FetchDescriptor<Message>()
    for (sender, size) in try context.fetch(all, selecting: \.sender, \.size) { print(sender, size) }
    let sections = try context.fetch(all, sectionBy: \.room)
    for section in sections { print(section.title, section.count) }
    #expect(sections.map(\.count) == [250, 250, 250, 250])
  }

  @Test("Pages after a message cost the same at any depth")
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

  @Test("Enumerating holds one batch in memory")
  func enumerate() throws {
    let byDate = FetchDescriptor<Message>(sortBy: [SortDescriptor(\.sent)])
    var total = 0
    try context.enumerate(byDate, batchSize: 100) { message in
      total += message.size
    }

    #expect(total == 499_500)
  }

  @Test("An update and a delete by predicate make no objects, and the deletion waits for the save")
  func batches() throws {
    let date = Date(timeIntervalSinceReferenceDate: 500)

    let changed = try context.update(
      model: Message.self, where: #Predicate { $0.sent < date },
      set: .assign(\.isRead, true), .assign(\.size, #Expression<Message, Int> { $0.size + 1 }))
    try context.delete(model: Message.self, where: #Predicate { $0.isRead })
    try context.save()

    #expect(changed == 500)
    #expect(try context.fetchCount(FetchDescriptor<Message>()) == 500)
  }
}
