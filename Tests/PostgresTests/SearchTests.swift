import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

private enum SearchModels {
  @Model class Work {
    @Attribute(.spotlight) var name: String
    var place: Int
    init(_ name: String, _ place: Int) {
      self.name = name
      self.place = place
    }
  }

  @Model final class Song: Work {
    @Attribute(.spotlight) var lyrics: String?
    init(_ name: String, _ place: Int, lyrics: String?) {
      self.lyrics = lyrics
      super.init(name, place)
    }
  }

  enum Before {
    @Model final class Paper {
      var text: String
      init(_ text: String) { self.text = text }
    }
  }
  enum After {
    @Model final class Paper {
      @Attribute(.spotlight) var text: String
      init(_ text: String) { self.text = text }
    }
  }
}
private typealias Work = SearchModels.Work
private typealias Song = SearchModels.Song

private let texts = [
  "The quick brown fox", "a lazy dog; the lazy DOG!", "Café au lait", "cafe\u{301} noir", "annual report of March",
  "report, annual", "invoice 2024/03", "invoicing", "naïve", "Straße", "strasse", "日本語のテキスト", "日 本", "emoji 👍🏽 here",
  "a\u{0}b", "quote 'em \\ all", "\u{1}x", "ﬁne", "fine", "", "the the the the", "über alles", "uber",
  "one two three two one",
  String(repeating: "long ", count: 40) + "needle " + String(repeating: "tail ", count: 40),
  String(repeating: "w", count: 3_000), "ไทยภาษา", "x1 y2", "A-B c_d",
]

@Suite("Full-text search in PostgreSQL", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct PostgresSearchTests {
  private let store = TestStore()

  private func fill(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    for (place, text) in texts.enumerated() {
      if place % 4 == 3 {
        context.insert(Song("song \(place)", place, lyrics: text))
      } else {
        context.insert(Work(text, place))
      }
    }
    try context.save()
  }

  private func memory() throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Work.self, Song.self]), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private let questions = [
    "fox", "FOX quick", "lazy", "cafe", "café lait", "\"annual report\"", "report annual", "invo*", "invoice",
    "\"the lazy\"",
    "\"the la\"*", "naive", "straße", "strasse", "日本", "本", "テキスト", "👍🏽", "👍", "b", "'em", "\\", "fine", "the",
    "the dog", "uber",
    "\"two three\"", "\"three one\"", "needle", "song", "song the", "x1", "y*", "a-b", "c_d", "ไทย", "nothing",
    String(repeating: "w", count: 3_000), String(repeating: "w", count: 2_000) + "*", "x", "& | ! ( ) : *", "two two",
  ]

  /// The places of what is found, and the snippets.
  private func found<T: Work>(_ type: T.Type, _ text: String, _ context: ModelContext) throws -> [Int: [String]] {
    Dictionary(
      try context.search(type, matching: text).map { ($0.model.place, $0.snippets.map { "\($0.property): \($0)" }) }
    ) { first, _ in first }
  }

  @Test("finds what the default store finds, with the same snippets")
  func same() throws {
    let (server, file) = (try store.open(Work.self, Song.self), try memory())
    try fill(server)
    try fill(file)
    var count = 0
    for question in questions {
      let expected = try found(Work.self, question, ModelContext(file))
      #expect(try found(Work.self, question, ModelContext(server)) == expected, "\(question.prefix(20))")
      #expect(
        try found(Song.self, question, ModelContext(server)) == found(Song.self, question, ModelContext(file)))
      count += expected.count
    }
    #expect(count > 30)
  }

  @Test("fetches what a search finds in the order of a descriptor, page by page, as the default store does")
  func matching() throws {
    let (server, file) = (try store.open(Work.self, Song.self), try memory())
    try fill(server)
    try fill(file)
    func places(_ question: String, _ context: ModelContext) throws -> [Int] {
      var descriptor = FetchDescriptor<Work>(
        predicate: #Predicate { $0.place != 3 }, sortBy: [SortDescriptor(\.place, order: .reverse)])
      let count = try context.fetchCount(descriptor, matching: question)
      descriptor.fetchLimit = 2
      var page = try context.fetch(descriptor, matching: question)
      var all = page
      while let last = page.last {
        page = try context.fetch(descriptor, matching: question, after: last)
        all += page
      }
      #expect(all.count == count, "\(question.prefix(20))")
      return all.map(\.place)
    }
    for question in questions {
      let expected = try places(question, ModelContext(file))
      #expect(try places(question, ModelContext(server)) == expected, "\(question.prefix(20))")
    }
    // Rows that have the words but not the phrase fill whole pages.
    let context = ModelContext(server)
    for number in 0..<300 { context.insert(Work(number % 100 == 0 ? "wide open sea" : "open wide sea", 1000 + number)) }
    try context.save()
    #expect(try places("\"wide open\"", ModelContext(server)) == [1200, 1100, 1000])
    let work = try #require(try context.fetch(FetchDescriptor<Work>(), matching: "\"wide open\"").first)
    work.name = "closed"
    #expect(try places("\"wide open\"", context) == [1200, 1100])
  }

  @Test("ranks the rare and the short first, and gives the best of many")
  func ranks() throws {
    let context = ModelContext(try store.open(Work.self, Song.self))
    for number in 0..<400 {
      context.insert(Work("common word number \(number) " + (number == 7 ? "rare" : "plain"), number))
    }
    context.insert(Work("common", 1000))
    try context.save()
    let fresh = ModelContext(context.container)
    #expect(try fresh.search(Work.self, matching: "common", limit: 1).map(\.model.place) == [1000])
    #expect(try fresh.search(Work.self, matching: "common", limit: 3).count == 3)
    #expect(try fresh.search(Work.self, matching: "rare common").map(\.model.place) == [7])
    let hits = try fresh.search(Work.self, matching: "common")
    #expect(hits.count == 401)
    #expect(zip(hits, hits.dropFirst()).allSatisfy { $0.score >= $1.score })
  }

  @Test("counts unsaved changes")
  func unsaved() throws {
    let container = try store.open(Work.self, Song.self)
    try fill(container)
    let context = ModelContext(container)
    let fox = try #require(try context.search(Work.self, matching: "fox").first?.model)
    fox.name = "the slow brown bear"
    let dog = try #require(try context.search(Work.self, matching: "lazy").first?.model)
    context.delete(dog)
    context.insert(Work("another fox", 500))
    #expect(try context.search(Work.self, matching: "fox").map(\.model.place) == [500])
    #expect(try context.search(Work.self, matching: "bear").map(\.model) == [fox])
    #expect(try context.search(Work.self, matching: "lazy").isEmpty)
    try context.save()
    let other = ModelContext(container)
    #expect(try other.search(Work.self, matching: "fox").map(\.model.place) == [500])
    #expect(try other.search(Work.self, matching: "bear").count == 1)
    #expect(try other.search(Work.self, matching: "lazy").isEmpty)
  }

  @Test("takes four statements, and an index finds the words")
  func statements() throws {
    let container = try store.open(Work.self, Song.self)
    try fill(container)
    let (hits, statements) = try SQLTrace.record { try ModelContext(container).search(Work.self, matching: "fox") }
    #expect(hits.count == 1)
    // The candidates, how many rows there are and have the word, and the models.
    #expect(statements.count == 4)
    let index = try store.sql(
      "SELECT 1 FROM pg_indexes WHERE indexdef LIKE '%USING gin%' AND schemaname = '\(store.namespace)'")
    #expect(index.count == 1)
  }

  @Test("finds what was stored before its text became searchable, and what others change without knowing")
  func gained() throws {
    let old = ModelContext(try store.open(SearchModels.Before.Paper.self))
    let paper = SearchModels.Before.Paper("hello moon")
    old.insert(paper)
    old.insert(SearchModels.Before.Paper("hello world"))
    try old.save()
    let container = try store.open(SearchModels.After.Paper.self)
    func found(_ text: String) throws -> [String] {
      try ModelContext(container).search(SearchModels.After.Paper.self, matching: text).map(\.model.text)
    }
    #expect(try found("moon") == ["hello moon"])
    #expect(try store.sql("SELECT 1 FROM \"Paper\" WHERE \"text#words\" IS NULL").count == 0)
    // The old program goes on, and somebody uses psql.
    paper.text = "hello sun"
    old.insert(SearchModels.Before.Paper("hello mars"))
    try old.save()
    try store.sql("UPDATE \"Paper\" SET text = 'hello venus' WHERE text = 'hello world'")
    #expect(try found("moon").isEmpty)
    #expect(try found("sun") == ["hello sun"])
    #expect(try found("mars") == ["hello mars"])
    #expect(try found("venus") == ["hello venus"])
    #expect(try found("hello").count == 3)
    // The next program that opens the store brings the index up.
    _ = try store.open(SearchModels.After.Paper.self)
    #expect(try store.sql("SELECT 1 FROM \"Paper\" WHERE \"text#words\" IS NULL").count == 0)
    #expect(try found("sun") == ["hello sun"])
  }
}
