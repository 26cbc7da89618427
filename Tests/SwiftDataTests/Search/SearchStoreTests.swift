import Foundation
import SwiftData
import Testing

@Suite("Full-text indices of stores")
struct SearchStoreTests {
  @Test("A class is searched with its subclasses, a subclass alone")
  func inheritance() throws {
    let context = try memoryContext(Searched.Work.self, Searched.Song.self)
    context.insert(Searched.Work(name: "blue chair"))
    context.insert(Searched.Song(name: "song", lyrics: "blue sky"))
    try context.save()
    #expect(try Set(context.search(Searched.Work.self, matching: "blue").map(\.model.name)) == ["blue chair", "song"])
    #expect(try context.search(Searched.Song.self, matching: "blue").map(\.model.name) == ["song"])
    #expect(try context.search(Searched.Song.self, matching: "blue").first?.snippets.map(\.property) == ["lyrics"])
    #expect(try context.search(Searched.Song.self, matching: "chair").isEmpty)
  }

  @Test("A store whose schema gains the option gets an index over what it has")
  func gained() throws {
    let store = try TemporaryStore()
    let old = ModelContext(try store.container(MemoBefore.Memo.self))
    old.insert(MemoBefore.Memo("hello world"))
    old.insert(MemoBefore.Memo("hello moon"))
    try old.save()
    let new = ModelContext(try store.container(MemoAfter.Memo.self))
    #expect(try new.search(MemoAfter.Memo.self, matching: "moon").map(\.model.text) == ["hello moon"])
    new.insert(MemoAfter.Memo("hello mars"))
    try new.save()
    #expect(try new.search(MemoAfter.Memo.self, matching: "hello").count == 3)
  }

  @Test("A store whose schema loses the option loses the index, and gets it anew")
  func lost() throws {
    let store = try TemporaryStore()
    let first = ModelContext(try store.container(MemoAfter.Memo.self))
    first.insert(MemoAfter.Memo("one"))
    try first.save()
    let second = ModelContext(try store.container(MemoBefore.Memo.self))
    #expect(try store.shell("SELECT count(*) FROM sqlite_master WHERE name LIKE '%search%'") == "0")
    second.insert(MemoBefore.Memo("two"))
    try second.save()
    let third = ModelContext(try store.container(MemoAfter.Memo.self))
    #expect(try third.search(MemoAfter.Memo.self, matching: "two").count == 1)
    #expect(try third.search(MemoAfter.Memo.self, matching: "one").count == 1)
  }

  @Test("A store with an index is opened again without a change")
  func reopened() throws {
    let store = try TemporaryStore()
    let first = ModelContext(try store.container(MemoAfter.Memo.self))
    first.insert(MemoAfter.Memo("one"))
    try first.save()
    let before = try store.shell("SELECT group_concat(sql || rootpage) FROM sqlite_master")
    let second = ModelContext(try store.container(MemoAfter.Memo.self))
    #expect(try second.search(MemoAfter.Memo.self, matching: "one").count == 1)
    #expect(try store.shell("SELECT group_concat(sql || rootpage) FROM sqlite_master") == before)
  }

  @Test("A program that names some of the models leaves the indices of the others alone")
  func leftOut() throws {
    let store = try TemporaryStore()
    let both = ModelContext(try store.container(MemoAfter.Memo.self, Searched.Article.self))
    both.insert(MemoAfter.Memo("one"))
    both.insert(Searched.Article("two"))
    try both.save()
    let names =
      "SELECT group_concat(name || rootpage) FROM sqlite_master WHERE name LIKE '\\_swiftdata\\_Memo%' ESCAPE '\\'"
    let before = try store.shell(names)
    #expect(before.contains("_swiftdata_Memo.search.insert"))
    let widget = ModelContext(try store.container(Searched.Article.self))
    #expect(try widget.search(Searched.Article.self, matching: "two").count == 1)
    #expect(try store.shell(names) == before)
  }

  @Test("A migration that writes the rows anew makes the index anew, for its stages too")
  func migrated() throws {
    let store = try TemporaryStore()
    let old = ModelContext(try store.container(MemoAfter.Memo.self))
    old.insert(MemoAfter.Memo("hello world"))
    try old.save()
    let new = ModelContext(try store.container(MemoLater.Memo.self))
    let hit = try #require(new.search(MemoLater.Memo.self, matching: "world").first)
    #expect(hit.model.body == "hello world" && hit.model.stars == 3)
    #expect(hit.snippets.map(\.property) == ["body"])
    hit.model.body = "good bye"
    try new.save()
    #expect(try new.search(MemoLater.Memo.self, matching: "bye").count == 1)
    #expect(try new.search(MemoLater.Memo.self, matching: "world").isEmpty)
  }

  @Test("The index is what FTS5 itself calls intact")
  func integrity() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Searched.Article.self))
    let articles = (0..<50).map { Searched.Article("title \($0)", $0 % 3 == 0 ? nil : "body \($0)") }
    for article in articles { context.insert(article) }
    try context.save()
    for article in articles where article.body == nil { article.title += "!" }
    for article in articles.suffix(10) { context.delete(article) }
    try context.save()
    // The shell lacks the function of the view; its texts here are plain, which the function returns as they are.
    let name = "\"_swiftdata_Article.search\""
    let view = "\"_swiftdata_Article.search.texts\""
    #expect(
      try store.shell(
        "DROP VIEW \(view); CREATE VIEW \(view) AS SELECT _pk, title AS title_text, body AS body_text FROM Article;"
          + " INSERT INTO \(name) (\(name), rank) VALUES ('integrity-check', 1); SELECT 'intact'") == "intact")
  }

  @Test("A read-only store without the index says what to do")
  func readOnly() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(MemoBefore.Memo.self))
    context.insert(MemoBefore.Memo("one"))
    try context.save()
    let reader = ModelContext(try store.container(MemoAfter.Memo.self, allowsSave: false))
    let error = #expect(throws: SwiftDataError.self) { try reader.search(MemoAfter.Memo.self, matching: "one") }
    #expect(error?.code == .storeReadOnly && error?.description.contains("allowsSave: true") == true)
    _ = try store.container(MemoAfter.Memo.self)
    #expect(
      try ModelContext(store.container(MemoAfter.Memo.self, allowsSave: false)).search(
        MemoAfter.Memo.self, matching: "one"
      ).count
        == 1)
  }

  @Test("What another context saves is found")
  func contexts() throws {
    let store = try TemporaryStore()
    let container = try store.container(MemoAfter.Memo.self)
    let (one, two) = (ModelContext(container), ModelContext(container))
    let memo = MemoAfter.Memo("old")
    one.insert(memo)
    try one.save()
    let copy = try #require(two.search(MemoAfter.Memo.self, matching: "old").first?.model)
    memo.text = "new"
    try one.save()
    #expect(try two.search(MemoAfter.Memo.self, matching: "new").map(\.model) == [copy])
    #expect(copy.text == "new")
    #expect(try two.search(MemoAfter.Memo.self, matching: "old").isEmpty)
  }

  @Test("A scan for a part of a searchable text is told of the search")
  func finding() throws {
    let context = try memoryContext(Searched.Article.self)
    let scan = FetchDescriptor<Searched.Article>(predicate: #Predicate { $0.title.contains("x") })
    let finding = try #require(context.explain(scan).findings.first)
    #expect(finding.description.contains("Words in title are found by context.search(Article.self"))
    let other = FetchDescriptor<Searched.Article>(predicate: #Predicate { $0.secret.contains("x") })
    #expect(try context.explain(other).findings.first?.description.contains("context.search") == false)
  }

  @Test("A search enters the index, in the order of rank, and looks at one row for each hit")
  func plan() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Searched.Work.self, Searched.Song.self))
    context.insert(Searched.Song(name: "a", lyrics: "b"))
    try context.save()
    let run = try SQLTrace.record { try context.search(Searched.Song.self, matching: "b", limit: 3) }
    let sql = try #require(run.statements.first)
    let bound = sql.replacingOccurrences(of: "MATCH ?", with: "MATCH '\"b\"'").replacingOccurrences(of: "?", with: "3")
    let plan = try store.shell("EXPLAIN QUERY PLAN \(bound)")
    #expect(plan.contains("SCAN _swiftdata_Work.search VIRTUAL TABLE INDEX"))
    #expect(plan.contains("SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)"))
    #expect(!plan.contains("TEMP B-TREE"))
  }

  @Test("A search for the best hits leaves their order to SQLite, which keeps no more than the limit")
  func bestHits() throws {
    let context = try memoryContext(MemoAfter.Memo.self)
    for text in ["word", "word word other", "other", "word other other other"] { context.insert(MemoAfter.Memo(text)) }
    try context.save()
    let run = try SQLTrace.record {
      try context.search(MemoAfter.Memo.self, matching: "word", limit: 2).map(\.model.text)
    }
    #expect(run.result == Array(try context.search(MemoAfter.Memo.self, matching: "word").map(\.model.text).prefix(2)))
    #expect(run.statements.first?.contains("ORDER BY +") == true)
  }

  @Test("A search costs two statements, however many are found")
  func statements() throws {
    let context = try memoryContext(MemoAfter.Memo.self)
    for index in 0..<200 { context.insert(MemoAfter.Memo("word \(index)")) }
    try context.save()
    let run = try SQLTrace.record { try context.search(MemoAfter.Memo.self, matching: "word") }
    #expect(run.result.count == 200 && run.statements.count == 2)
  }
}
