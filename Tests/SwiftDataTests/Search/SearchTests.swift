import Foundation
import SwiftData
import Testing

@Suite("Full-text search")
struct SearchTests {
  typealias Article = Searched.Article
  private let context: ModelContext

  init() throws { context = try memoryContext(Article.self, Searched.Tag.self) }

  private func store(_ titles: String...) throws {
    for title in titles { context.insert(Article(title)) }
    try context.save()
  }

  private func titles(_ text: String, limit: Int? = nil) throws -> [String] {
    try context.search(Article.self, matching: text, limit: limit).map(\.model.title)
  }

  // MARK: - What is found

  @Test("All words must be found, in any order and in any of the attributes")
  func words() throws {
    context.insert(Article("March invoice", "due in April"))
    context.insert(Article("March report"))
    try context.save()
    #expect(try Set(titles("march")) == ["March invoice", "March report"])
    #expect(try titles("april MARCH") == ["March invoice"])
    #expect(try titles("march may") == [])
    #expect(try titles("arch") == [])
  }

  @Test("A phrase in quotation marks must be found as it is")
  func phrases() throws {
    try store("annual report 2026", "report of the annual meeting")
    #expect(try titles("annual report").count == 2)
    #expect(try titles("\"annual report\"") == ["annual report 2026"])
    #expect(try titles("\u{201C}annual report\u{201D} 2026") == ["annual report 2026"])
  }

  @Test("A star takes the last word for a beginning")
  func prefixes() throws {
    try store("invoice", "invitation", "voice")
    #expect(try Set(titles("inv*")) == ["invoice", "invitation"])
    #expect(try titles("inv") == [])
    try store("my annual reporting")
    #expect(try titles("\"annual rep\"*") == ["my annual reporting"])
    #expect(try titles("\"annual rep\"") == [])
  }

  @Test("Case, diacritics and canonical equivalence do not matter; letters that are no marked ones do")
  func folding() throws {
    try store("Café", "CAFE\u{301}", "STRASSE", "Straße", "Ørsted")
    #expect(try titles("cafe").count == 2)
    #expect(try titles("café").count == 2)
    #expect(try titles("CAFE\u{301}").count == 2)
    #expect(try titles("strasse") == ["STRASSE"])
    #expect(try titles("straße") == ["Straße"])
    #expect(try titles("ørsted") == ["Ørsted"])
    #expect(try titles("orsted") == [])
  }

  @Test("In scripts without spaces a run of characters is found anywhere, and so are emoji")
  func scripts() throws {
    try store("東京都は大きい", "party 🎉 today", "สวัสดีครับ", "한국어 문서")
    #expect(try titles("京都") == ["東京都は大きい"])
    #expect(try titles("都京") == [])
    #expect(try titles("🎉") == ["party 🎉 today"])
    #expect(try titles("สวัสดี") == ["สวัสดีครับ"])
    #expect(try titles("문서") == ["한국어 문서"])
    #expect(try titles("한국*") == ["한국어 문서"])
  }

  @Test("Nothing that a person types is an error")
  func anyText() throws {
    try store("rock and roll", "a \"quoted\" word", "C++ or C#")
    let texts = [
      "", " ", "\"", "\"\"", "*", "\"*", "AND", "OR", "NOT", "NEAR(", "rock AND roll", "title:rock", "title : x",
      "-rock",
      "^rock", "(", ")", "rock + roll", "{title}: rock", "'", "';--", "\0", "rock\0roll", "\u{1D}", "rock\u{1F}", "%",
      "_",
      "\\", "a\"b\"c*d", "\"rock", "rock\"", "***", "🎉*", "\u{301}", "\r\n", String(repeating: "a ", count: 2_000),
      String(repeating: "\"", count: 101), "col1:NEAR(\"a\" \"b\", 5)", "+", "rock*roll", "rock * roll", ",",
    ]
    for text in texts { #expect(throws: Never.self, "\(text)") { try titles(text) } }
    #expect(try titles("rock AND roll") == ["rock and roll"])
    #expect(try titles("\"quoted\"") == ["a \"quoted\" word"])
    #expect(try titles("") == [])
    #expect(try titles("?!") == [])
  }

  @Test("Only attributes with the option are searched")
  func others() throws {
    context.insert(Article("title", secret: "hidden"))
    try context.save()
    #expect(try titles("hidden") == [])
  }

  @Test("A class without such an attribute is refused with what to do")
  func nothingToSearch() throws {
    let context = try memoryContext(Searched.Plain.self)
    let error = #expect(throws: SwiftDataError.self) { try context.search(Searched.Plain.self, matching: "a") }
    #expect(error?.code == .unsupportedPredicate)
    #expect(error?.description.contains("Plain") == true && error?.description.contains(".spotlight") == true)
  }

  // MARK: - Rank, limit, snippets

  @Test("The best hit comes first, with the largest score; the limit keeps the best")
  func rank() throws {
    try store(
      "a long text that mentions the word swift once among many other words that mean nothing here", "swift swift",
      "other", "nothing")
    let hits = try context.search(Article.self, matching: "swift")
    #expect(hits.map(\.model.title).first == "swift swift")
    #expect(hits.count == 2 && hits[0].score > hits[1].score)
    #expect(try titles("swift", limit: 1) == ["swift swift"])
    #expect(try titles("swift", limit: 0) == [])
    #expect(try titles("swift", limit: -1) == [])
    #expect(try titles("swift", limit: .max).count == 2)
  }

  @Test("Snippets mark what was found, in whole characters of each attribute")
  func snippets() throws {
    context.insert(Article("Cafe\u{301} au lait", "the café, the CAFE and the tea"))
    try context.save()
    let hit = try #require(context.search(Article.self, matching: "cafe").first)
    #expect(hit.snippets.map(\.property) == ["title", "body"])
    #expect(hit.snippets[0].ranges.map { String(hit.snippets[0].text[$0]) } == ["Café"])
    #expect(hit.snippets.map(\.description) == ["[Café] au lait", "the [café], the [CAFE] and the tea"])
    let tea = try #require(context.search(Article.self, matching: "tea").first)
    #expect(tea.snippets.map(\.description) == ["the café, the CAFE and the [tea]"])
  }

  @Test("A snippet of a long text is the part around what was found")
  func longSnippets() throws {
    let words = (0..<500).map { "word\($0)" }.joined(separator: " ")
    context.insert(Article(words))
    try context.save()
    let snippet = try #require(context.search(Article.self, matching: "word250").first?.snippets.first)
    #expect(snippet.text.hasPrefix("…") && snippet.text.hasSuffix("…"))
    #expect(snippet.ranges.map { String(snippet.text[$0]) } == ["word250"])
    #expect(snippet.text.split(separator: " ").count <= 33)
  }

  @Test("A search makes no snippets; each hit makes those of the texts that were found, even after a change")
  func snippetsOnDemand() throws {
    try store("red green", "green blue")
    let (hits, statements) = try SQLTrace.record { try context.search(Article.self, matching: "green") }
    #expect(!statements.isEmpty && !statements.contains { $0.contains("snippet") })
    for hit in hits { hit.model.title = "nothing" }
    try context.save()
    #expect(hits.map { $0.snippets.map(\.description) } == [["red [green]"], ["[green] blue"]])
    #expect(hits[1].snippets.map(\.description) == ["[green] blue"])
  }

  @Test("Snippets have neither the marks nor the gaps of the index")
  func cleanSnippets() throws {
    context.insert(Article("東京🎉都", "a\u{1D}b\u{1E}c\u{1F}d"))
    try context.save()
    let hit = try #require(context.search(Article.self, matching: "京🎉").first)
    #expect(hit.snippets.map(\.description) == ["東[京🎉]都"])
    let control = try #require(context.search(Article.self, matching: "b").first)
    #expect(control.snippets.map(\.description) == ["a [b] c d"])
  }

  // MARK: - Keeping the index

  @Test("The index follows inserts, updates and deletes in their transactions")
  func triggers() throws {
    let article = Article("first")
    context.insert(article)
    try context.save()
    article.title = "second"
    try context.save()
    #expect(try titles("first") == [])
    #expect(try titles("second") == ["second"])
    article.likes = 3
    article.body = "third"
    try context.save()
    #expect(try titles("third") == ["second"])
    context.delete(article)
    try context.save()
    #expect(try titles("second") == [])
  }

  @Test("A save that fails leaves the index as it was")
  func failedSave() throws {
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.uniquenessPolicy = .reject
    let context = ModelContext(
      try ModelContainer(for: Schema([Searched.Tag.self]), configurations: configuration))
    context.insert(Searched.Tag("one"))
    try context.save()
    context.insert(Searched.Tag("two"))
    context.insert(Searched.Tag("one"))
    #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
    context.rollback()
    #expect(try context.search(Searched.Tag.self, matching: "two").isEmpty)
    #expect(try context.search(Searched.Tag.self, matching: "one").count == 1)
  }

  @Test("Unique texts can change hands in one save")
  func uniqueTexts() throws {
    let (one, two) = (Searched.Tag("one"), Searched.Tag("two"))
    context.insert(one)
    context.insert(two)
    try context.save()
    (one.name, two.name) = ("two", "one")
    try context.save()
    #expect(try context.search(Searched.Tag.self, matching: "one").map(\.model) == [two])
    #expect(try context.search(Searched.Tag.self, matching: "two").map(\.model) == [one])
    context.insert(Searched.Tag("one"))
    try context.save()
    #expect(try context.search(Searched.Tag.self, matching: "one").count == 1)
  }

  // MARK: - Unsaved changes

  @Test("Unsaved inserts, changes and deletions count")
  func pending() throws {
    try store("alpha one", "alpha two", "alpha three")
    let all = try context.fetch(FetchDescriptor<Article>(sortBy: [SortDescriptor(\.title)]))
    context.delete(all[0])
    all[1].title = "beta three"
    context.insert(Article("alpha four"))
    #expect(try Set(titles("alpha")) == ["alpha two", "alpha four"])
    #expect(try titles("beta") == ["beta three"])
    #expect(try titles("three") == ["beta three"])
    #expect(try titles("one") == [])
    context.rollback()
    #expect(try titles("alpha").count == 3)
  }

  @Test("A limit is filled where unsaved deletions take hits away")
  func pendingLimit() throws {
    try store("alpha alpha alpha", "alpha alpha b", "alpha b c", "other", "other", "other")
    let best = try #require(context.search(Article.self, matching: "alpha", limit: 1).first)
    context.delete(best.model)
    #expect(try titles("alpha", limit: 2).count == 2)
  }

  @Test("A limit is filled where an unsaved batch delete takes hits away")
  func limitAfterBatchDelete() throws {
    try store("invoice", "invoice", "invoice of March", "invoice of April")
    try context.delete(model: Article.self, where: #Predicate { $0.title == "invoice" })
    #expect(try Set(titles("invoice", limit: 2)) == ["invoice of March", "invoice of April"])
    let newest = FetchDescriptor<Article>(sortBy: [SortDescriptor(\.title)])
    #expect(try context.fetch(newest, matching: "invoice").count == 2)
    #expect(try context.fetchCount(newest, matching: "invoice") == 2)
  }

  @Test("Unsaved objects are ranked as the stored ones are, by how rare the words are in the store")
  func pendingRank() throws {
    try store("rare common words here", "common words here too", "common words", "nothing of it", "nothing", "nothing")
    context.insert(Article("rare rare"))
    context.insert(Article("a long text in which the word rare is one among very many others that mean nothing"))
    #expect(try titles("rare", limit: 1) == ["rare rare"])
    let hits = try context.search(Article.self, matching: "rare")
    #expect(hits.map(\.model.title).first == "rare rare" && hits.count == 3)
    #expect(hits.map(\.score) == hits.map(\.score).sorted(by: >))
    #expect(hits.allSatisfy { $0.score > 0.1 })
    let before = hits.map(\.model.title)
    try context.save()
    #expect(try titles("rare") == before)
  }

  @Test("A text of which no word is left finds no unsaved object either")
  func pendingNothing() throws {
    context.insert(Article("rock ? roll"))
    #expect(try titles("?") == [])
    #expect(try titles("rock ?") == ["rock ? roll"])
  }

  @Test("An unsaved object has snippets too")
  func pendingSnippets() throws {
    context.insert(Article("nothing", "Cafe\u{301} noir"))
    #expect(try context.search(Article.self, matching: "cafe").first?.snippets.map(\.description) == ["[Café] noir"])
  }

  // MARK: - Random texts

  @Test("What is found is what a search over all objects in memory finds")
  func random() throws {
    var random = RandomSource(seed: 20_261_121)
    let vocabulary = ["Alpha", "béta", "gamma", "DELTA", "épsilon", "東京", "京", "x1", "🎉", "don't"]
    func folded(_ text: String) -> [String] {
      text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
        .map { "東京🎉".contains($0) ? " \($0) " : $0 == "'" ? " " : String($0) }.joined()
        .split(separator: " ").map(String.init)
    }
    func sentence() -> String {
      (0..<random.int(1..<6)).map { _ in random.pick(vocabulary) }.joined(separator: " ")
    }
    var objects = [Article]()
    for round in 0..<60 {
      switch random.int(0..<4) {
      case 0, 1:
        objects.append(Article(sentence(), random.chance(1, in: 2) ? nil : sentence()))
        context.insert(objects.last!)
      case 2 where !objects.isEmpty: random.pick(objects).title = sentence()
      case 3 where objects.count > 4: context.delete(objects.remove(at: random.int(0..<objects.count)))
      default: break
      }
      if round % 7 == 0 { try context.save() }
      let words = (0..<random.int(1..<3)).map { _ in random.pick(vocabulary) }
      let expected = objects.filter { object in
        words.allSatisfy { word in
          [object.title, object.body ?? ""].contains { text in
            let (all, part) = (folded(text), folded(word))
            return all.indices.contains { all[$0...].starts(with: part) }
          }
        }
      }
      let found = try context.search(Article.self, matching: words.joined(separator: " ")).map(\.model)
      #expect(
        Set(found.map(ObjectIdentifier.init)) == Set(expected.map(ObjectIdentifier.init)), "\(words) in round \(round)")
      #expect(found.count == expected.count)
    }
  }
}
