import Foundation
import SwiftData
import Testing

private enum Phrases {
  enum Level: Int, Codable { case easy, hard }

  @Model final class Phrase {
    #Unique<Phrase>([\.text])
    #Index<Phrase>([\.rank])
    var text: String
    var rank: Int
    var level = Level.easy
    @Attribute(.externalStorage) var sound: Data?
    var book: Book?
    @Relationship(inverse: \Topic.phrases) var topics: [Topic] = []
    init(_ text: String, _ rank: Int, book: Book? = nil) {
      (self.text, self.rank) = (text, rank)
      self.book = book
    }
  }

  @Model final class Book {
    var title: String
    @Relationship(deleteRule: .cascade, inverse: \Phrase.book) var phrases: [Phrase] = []
    init(_ title: String) { self.title = title }
  }

  @Model final class Topic {
    var name: String
    var phrases: [Phrase] = []
    init(_ name: String) { self.name = name }
  }

  /// Only the user's.
  @Model final class Setting {
    var name: String
    init(_ name: String) { self.name = name }
  }
}

/// The user's store and a pack that comes with the program, beside it.
@Suite("One model in two configurations")
struct TwoConfigurationsTests {
  private typealias Phrase = Phrases.Phrase
  private typealias Book = Phrases.Book
  private typealias Topic = Phrases.Topic
  private typealias Setting = Phrases.Setting

  private static let shared = Schema([Phrase.self, Book.self, Topic.self])

  /// Ranks 0, 2, 4, … in the pack and 1, 3, 5, … in the user's store.
  private static func container(
    _ folder: TemporaryStore, inMemory: Bool = false, count: Int = 10
  ) throws -> ModelContainer {
    let packFile = folder.folder.appendingPathComponent("a pack's #1.store")
    let whole = ModelContext(
      try ModelContainer(for: shared, configurations: ModelConfiguration("pack", schema: shared, url: packFile)))
    try fill(whole, (0..<count).map { $0 * 2 }, "pack")
    let pack = ModelConfiguration("pack", schema: shared, url: packFile, allowsSave: false)
    let users = Schema([Phrase.self, Book.self, Topic.self, Setting.self])
    let user =
      inMemory
      ? ModelConfiguration("user", schema: users, isStoredInMemoryOnly: true)
      : ModelConfiguration("user", schema: users, url: folder.url)
    let container = try ModelContainer(for: users, configurations: [pack, user])
    try fill(ModelContext(container), (0..<count).map { $0 * 2 + 1 }, "user")
    return container
  }

  private static func fill(_ context: ModelContext, _ ranks: [Int], _ name: String) throws {
    let (book, topic) = (Book("\(name)'s book"), Topic("\(name)'s topic"))
    context.insert(book)
    context.insert(topic)
    for rank in ranks {
      let phrase = Phrase("phrase \(rank)", rank, book: book)
      context.insert(phrase)
      phrase.level = rank % 4 < 2 ? .easy : .hard
      phrase.topics = [topic]
    }
    try context.save()
  }

  @Test("a fetch reads both, in order, with its predicate and its bounds", arguments: [false, true])
  func fetches(inMemory: Bool) throws {
    let folder = try TemporaryStore()
    let context = ModelContext(try Self.container(folder, inMemory: inMemory))
    var sorted = FetchDescriptor<Phrase>(sortBy: [SortDescriptor(\.rank)])
    #expect(try context.fetch(sorted).map(\.rank) == Array(0..<20))
    (sorted.fetchOffset, sorted.fetchLimit) = (5, 4)
    #expect(try context.fetch(sorted).map(\.rank) == [5, 6, 7, 8])
    #expect(try context.fetchCount(sorted) == 4)
    #expect(
      try context.fetchIdentifiers(sorted).map { context.model(for: $0) as? Phrase }.map(\.?.rank) == [5, 6, 7, 8])
    let hard = FetchDescriptor<Phrase>(
      predicate: #Predicate { $0.level == .hard && $0.book?.title != "nothing" },
      sortBy: [SortDescriptor(\.rank, order: .reverse)])
    #expect(try context.fetch(hard).map(\.rank) == [19, 18, 15, 14, 11, 10, 7, 6, 3, 2])
    #expect(try context.fetchCount(hard) == 10)
    let lists = FetchDescriptor<Book>(
      predicate: #Predicate { book in book.phrases.contains { $0.rank == 4 } })
    #expect(try context.fetch(lists).map(\.title) == ["pack's book"])
    var ranks = [Int]()
    try context.enumerate(FetchDescriptor<Phrase>(sortBy: [SortDescriptor(\.rank)]), batchSize: 3) {
      ranks.append($0.rank)
    }
    #expect(ranks == Array(0..<20))
  }

  @Test("relationships lead to objects of their own store")
  func relationships() throws {
    let folder = try TemporaryStore()
    let context = ModelContext(try Self.container(folder))
    let phrases = try context.fetch(FetchDescriptor<Phrase>(sortBy: [SortDescriptor(\.rank)]))
    #expect(phrases.allSatisfy { $0.book?.title == ($0.rank.isMultiple(of: 2) ? "pack's book" : "user's book") })
    #expect(
      phrases.allSatisfy { $0.topics.map(\.name) == [$0.rank.isMultiple(of: 2) ? "pack's topic" : "user's topic"] })
    for book in try context.fetch(FetchDescriptor<Book>()) {
      #expect(book.phrases.map(\.rank) == phrases.filter { $0.book === book }.map(\.rank))
    }
    for topic in try context.fetch(FetchDescriptor<Topic>()) { #expect(topic.phrases.count == 10) }
    #expect(ContextInvariants(of: context.state).violations() == [])
  }

  @Test("an insert goes where saving is allowed, and what is unsaved is in every answer")
  func inserts() throws {
    let folder = try TemporaryStore()
    let container = try Self.container(folder)
    let context = ModelContext(container)
    context.insert(Phrase("new", 100))
    context.insert(Setting("a"))
    let sorted = FetchDescriptor<Phrase>(sortBy: [SortDescriptor(\.rank, order: .reverse)])
    #expect(try context.fetch(sorted).map(\.rank).prefix(2) == [100, 19])
    #expect(try context.fetchCount(FetchDescriptor<Phrase>()) == 21)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Phrase>()) == 21)
    let user = ModelContext(
      try ModelContainer(
        for: Phrase.self, Setting.self, configurations: ModelConfiguration("user", url: folder.url)))
    #expect(try user.fetchCount(FetchDescriptor<Phrase>()) == 11)
    #expect(try user.fetchCount(FetchDescriptor<Setting>()) == 1)
  }

  @Test("aggregates, sections and pages are over both")
  func aggregates() throws {
    let folder = try TemporaryStore()
    let context = ModelContext(try Self.container(folder))
    #expect(try context.fetch(FetchDescriptor<Phrase>(), computing: .sum(\.rank)) == 190)
    #expect(try context.fetch(FetchDescriptor<Phrase>(), computing: .maximum(\.rank)) == 19)
    var page = FetchDescriptor<Phrase>(sortBy: [SortDescriptor(\.rank)])
    page.fetchLimit = 7
    var seen = try context.fetch(page)
    while let last = seen.last {
      let next = try context.fetch(page, after: last)
      if next.isEmpty { break }
      seen += next
    }
    #expect(seen.map(\.rank) == Array(0..<20))
  }

  @Test("identifiers name the store of the object, and survive their coding")
  func identifiers() throws {
    let folder = try TemporaryStore()
    let container = try Self.container(folder)
    let context = ModelContext(container)
    let phrases = try context.fetch(FetchDescriptor<Phrase>(sortBy: [SortDescriptor(\.rank)]))
    #expect(Set(phrases.map(\.persistentModelID.storeIdentifier)).count == 2)
    #expect(Set(phrases.map(\.persistentModelID)).count == 20)
    let other = ModelContext(container)
    for phrase in phrases {
      let coded = try JSONEncoder().encode(phrase.persistentModelID)
      let id = try JSONDecoder().decode(PersistentIdentifier.self, from: coded)
      #expect((other.model(for: id) as? Phrase)?.rank == phrase.rank)
      #expect(try other.fetch(FetchDescriptor<Phrase>(predicate: #Predicate { $0.persistentModelID == id })).count == 1)
    }
  }

  @Test("a save that would change or delete an object of the pack is refused, and changes nothing")
  func refusals() throws {
    let folder = try TemporaryStore()
    let container = try Self.container(folder)
    let context = ModelContext(container)
    let packed = try #require(try context.fetch(FetchDescriptor<Phrase>(predicate: #Predicate { $0.rank == 4 })).first)
    func expectRefusal(_ code: SwiftDataError.Code, _ body: () throws -> Void) throws {
      let error = #expect(throws: SwiftDataError.self) { try body() }
      #expect(error?.code == code)
      #expect("\(error.map(String.init(describing:)) ?? "")".contains("\"pack\""))
      context.rollback()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Phrase>()) == 20)
    }
    try expectRefusal(.storeReadOnly) {
      packed.text = "changed"
      context.insert(Phrase("new", 100))
      try context.save()
    }
    #expect(packed.text == "phrase 4")
    try expectRefusal(.storeReadOnly) {
      context.delete(packed)
      try context.save()
    }
    try expectRefusal(.storeReadOnly) {
      try context.delete(model: Phrase.self, where: #Predicate { $0.rank < 7 })
      try context.save()
    }
    try expectRefusal(.relationshipAcrossContexts) {
      let topic = Topic("mine")
      context.insert(topic)
      // Without telling the other side, which is of the pack.
      topic.phrases = [packed]
      try context.save()
    }
  }

  @Test("two configurations that both save are refused, with what to do")
  func twoWriters() throws {
    let folder = try TemporaryStore()
    let other = folder.folder.appendingPathComponent("other.store")
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Self.shared,
        configurations: [
          ModelConfiguration("one", schema: Self.shared, url: folder.url),
          ModelConfiguration("two", schema: Self.shared, url: other),
        ])
    }
    #expect(error.map { "\($0)".contains("allowsSave: false") } == true)
  }

  @Test("two configurations that both save and name no models are refused, because one would keep none")
  func twoUnnamedWriters() throws {
    let folder = try TemporaryStore()
    let pack = folder.folder.appendingPathComponent("pack.store")
    let first = try ModelContainer(for: Self.shared, configurations: ModelConfiguration(url: pack))
    try Self.fill(ModelContext(first), [1], "pack")
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Self.shared, configurations: ModelConfiguration("user", url: folder.url), ModelConfiguration(url: pack))
    }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("\"user\" and \"pack\"") && text.contains("allowsSave: false"))
    let container = try ModelContainer(
      for: Self.shared, configurations: ModelConfiguration("user", url: folder.url),
      ModelConfiguration(url: pack, allowsSave: false))
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Phrase>()) == 1)
  }

  @Test("a row of either file is found by an index of its file")
  func plans() throws {
    let folder = try TemporaryStore()
    let context = ModelContext(try Self.container(folder, count: 200))
    let (_, statements) = try SQLTrace.record {
      let phrases = try context.fetch(FetchDescriptor<Phrase>())
      _ = phrases.last?.book?.title
      _ = phrases.first?.book?.phrases.count
    }
    #expect(statements.count <= 4)
    var page = FetchDescriptor<Phrase>(sortBy: [SortDescriptor(\.rank)])
    page.fetchLimit = 5
    let plan = try context.explain(page).plan.map(\.detail)
    #expect(plan.contains { $0.contains("MERGE") }, "\(plan)")
    let text = "phrase 7"
    let lookup = try context.explain(FetchDescriptor<Phrase>(predicate: #Predicate { $0.text == text })).plan.map(
      \.detail)
    #expect(lookup.filter { $0.contains("SEARCH") }.count == 2, "\(lookup)")
  }
}
