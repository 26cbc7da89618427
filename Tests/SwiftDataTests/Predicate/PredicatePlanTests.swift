import Foundation
import SwiftData
import Testing

@Model
final class Posting {
  #Index<Posting>([\.sender], [\.sent])
  @Attribute(.unique) var id: UUID
  var sender: String
  var subject: String?
  var sent: Date
  var thread: PostingThread?

  init(id: UUID = UUID(), sender: String, sent: Date) {
    self.id = id
    self.sender = sender
    self.sent = sent
  }
}

@Model
final class PostingThread {
  var name: String
  @Relationship(inverse: \Posting.thread) var messages: [Posting] = []

  init(name: String) { self.name = name }
}

/// Plain predicates use indices, and sets of many thousands of values are one parameter.
@Suite
struct PredicatePlanTests {
  private let store: TemporaryStore
  private let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    context = ModelContext(try store.container(Posting.self, PostingThread.self))
    context.insert(PostingThread(name: "one"))
    try context.save()
  }

  /// How SQLite would run a predicate's condition.
  private func plan(_ predicate: Predicate<Posting>) throws -> String {
    let environment = LoweringEnvironment(
      key: { $0.key }, identifier: { PersistentIdentifier(entityName: $1, storeIdentifier: "", key: $0) },
      isNonNFC: { _, _ in false }, familyNames: { [$0.name] })
    let condition = try PredicateLowering.condition(predicate, entity: Posting.__entity, environment: environment)
    return try store.shell("EXPLAIN QUERY PLAN SELECT * FROM Posting AS t0 WHERE \(condition.sql)")
  }

  @Test("Equality, ranges and identifiers use an index")
  func indices() throws {
    let (id, start, end) = (UUID(), Date(timeIntervalSince1970: 0), Date())
    #expect(try plan(#Predicate { $0.sender == "a" }).contains("SEARCH t0 USING INDEX"))
    #expect(try plan(#Predicate { $0.id == id }).contains("SEARCH t0 USING INDEX"))
    #expect(try plan(#Predicate { $0.sent >= start && $0.sent < end }).contains("SEARCH t0 USING INDEX"))
    let thread: PersistentIdentifier? = try context.fetchIdentifiers(FetchDescriptor<PostingThread>())[0]
    #expect(try plan(#Predicate { $0.thread?.persistentModelID == thread }).contains("SEARCH t0 USING INDEX"))
    let own = try context.fetchIdentifiers(FetchDescriptor<PostingThread>())[0]
    #expect(try plan(#Predicate { $0.persistentModelID == own }).contains("USING INTEGER PRIMARY KEY"))
    #expect(try plan(#Predicate { (start...$0.sent).contains(end) }).contains("SEARCH t0 USING INDEX"))
    #expect(try plan(#Predicate { (start..<$0.sent).contains(end) }).contains("SEARCH t0 USING INDEX"))
    let last = PersistentIdentifier(entityName: "Posting", storeIdentifier: "", key: 7)
    #expect(try plan(#Predicate { $0.persistentModelID > last }).contains("USING INTEGER PRIMARY KEY (rowid>?)"))
    let senders = (0..<100).map(String.init)
    #expect(try plan(#Predicate { senders.contains($0.sender) }).contains("SEARCH t0 USING INDEX"))
    #expect(try plan(#Predicate { $0.subject == "x" }).contains("SCAN t0"))
  }

  @Test("20,000 values in a set")
  func many() throws {
    let messages = (0..<50).map { Posting(sender: "\($0)", sent: Date(timeIntervalSince1970: Double($0))) }
    for message in messages { context.insert(message) }
    try context.save()
    let ids = Set((0..<20_000).map { _ in UUID() } + messages.prefix(3).map(\.id))
    #expect(try context.fetchCount(FetchDescriptor<Posting>(predicate: #Predicate { ids.contains($0.id) })) == 3)
    let senders = (25..<20_000).map(String.init)
    #expect(
      try context.fetchCount(FetchDescriptor<Posting>(predicate: #Predicate { senders.contains($0.sender) })) == 25)
    let identifiers = Set(messages.prefix(20).map(\.persistentModelID))
    #expect(
      try context.fetchCount(
        FetchDescriptor<Posting>(predicate: #Predicate { identifiers.contains($0.persistentModelID) })) == 20)
  }
}
