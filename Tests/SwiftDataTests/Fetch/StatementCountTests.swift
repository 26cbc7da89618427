import Foundation
import SwiftData
import Testing

/// Messages in rooms and threads.
private enum CountedChat {
  @Model
  final class Message {
    #Index<Message>([\.room, \.sent])

    @Attribute(.unique) var id: String
    var room: String
    var sent: Date
    var thread: Thread?

    init(_ number: Int, in thread: Thread) {
      id = "message \(number)"
      room = "room \(number % 5)"
      sent = Date(timeIntervalSinceReferenceDate: Double(number))
      self.thread = thread
    }
  }

  @Model
  final class Thread {
    var title: String
    @Relationship(inverse: \Message.thread) var messages: [Message] = []

    init(title: String) { self.title = title }
  }
}

/// How many statements the workloads of the benchmark take: the part of their speed that no machine changes.
@Suite struct StatementCountTests {
  private static func container(_ configuration: ModelConfiguration) throws -> ModelContainer {
    try ModelContainer(for: CountedChat.Message.self, CountedChat.Thread.self, configurations: configuration)
  }

  /// 200 messages in 10 threads.
  private static func fill(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    let threads = (0..<10).map { CountedChat.Thread(title: "thread \($0)") }
    for number in 0..<200 { context.insert(CountedChat.Message(number, in: threads[number % 10])) }
    try context.save()
  }

  private static func page(_ room: String) -> FetchDescriptor<CountedChat.Message> {
    var descriptor = FetchDescriptor<CountedChat.Message>(
      predicate: #Predicate { $0.room == room }, sortBy: [SortDescriptor(\.sent, order: .reverse)])
    descriptor.fetchLimit = 20
    return descriptor
  }

  @Test("A page is one statement, and a second page of another room the same statement again")
  func pages() throws {
    let container = try Self.container(ModelConfiguration(isStoredInMemoryOnly: true))
    try Self.fill(container)
    let context = ModelContext(container)
    let (counts, statements) = try SQLTrace.record {
      try ["room 1", "room 2"].map { try context.fetch(Self.page($0)).count }
    }
    #expect(counts == [20, 20])
    #expect(statements.count == 2)
    #expect(Set(statements).count == 1)
  }

  @Test("All messages and the thread of each are two statements, without a hint")
  func relationships() throws {
    let container = try Self.container(ModelConfiguration(isStoredInMemoryOnly: true))
    try Self.fill(container)
    let context = ModelContext(container)
    let (titles, statements) = try SQLTrace.record {
      try context.fetch(FetchDescriptor<CountedChat.Message>()).compactMap { $0.thread?.title }
    }
    #expect(titles.count == 200)
    #expect(statements.count == 2)
  }

  @Test("The first page of a store that was just opened is one statement")
  func firstPage() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).store")
    defer {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
    }
    try Self.fill(Self.container(ModelConfiguration(url: file)))
    let (page, statements) = try SQLTrace.record {
      try ModelContext(Self.container(ModelConfiguration(url: file))).fetch(Self.page("room 3")).map(\.id)
    }
    #expect(page.first == "message 198")
    #expect(statements.count { !$0.contains("_swiftdata") } == 1, "\(statements)")
  }
}
