import Foundation
import SwiftData
import Testing

private enum Compacted {
  @Model final class Page {
    @Attribute(.unique) var number: Int
    @Attribute(.spotlight) var text: String
    var words: [Word] = []
    init(_ number: Int) {
      self.number = number
      text = String(repeating: "text \(number) ", count: 200)
    }
  }
  @Model final class Word {
    var text: String
    @Relationship(inverse: \Page.words) var pages: [Page] = []
    init(_ text: String) { self.text = text }
  }
}

@Suite("A compacted store")
struct CompactTests {
  private let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  private var size: Int {
    get throws { try store.url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0 }
  }

  /// Saves pages, and deletes all but the last ten.
  private func fill(_ context: ModelContext) throws {
    let words = ["c", "a", "b"].map { Compacted.Word($0) }
    for number in 0..<400 {
      let page = Compacted.Page(number)
      context.insert(page)
      page.words = words
    }
    try context.save()
    try context.delete(model: Compacted.Page.self, where: #Predicate { $0.number < 390 })
    try context.save()
  }

  @Test("is smaller and has the same objects, lists and words, for open contexts too")
  func smaller() throws {
    let container = try store.container(Compacted.Page.self, Compacted.Word.self)
    let context = ModelContext(container)
    try fill(context)
    let page = try #require(
      try context.fetch(FetchDescriptor<Compacted.Page>(sortBy: [SortDescriptor(\.number)])).first)
    #expect(try store.shell("PRAGMA wal_checkpoint(TRUNCATE)").hasPrefix("0|"))
    let before = try size
    try container.compact()
    #expect(try size < before / 4)
    page.text = "changed"
    try context.save()
    for context in [context, ModelContext(container)] {
      let pages = try context.fetch(FetchDescriptor<Compacted.Page>(sortBy: [SortDescriptor(\.number)]))
      #expect(pages.map(\.number) == Array(390..<400))
      #expect(pages.allSatisfy { $0.words.map(\.text) == ["c", "a", "b"] })
      #expect(try context.search(Compacted.Page.self, matching: "391").map(\.model.number) == [391])
      #expect(try context.search(Compacted.Page.self, matching: "changed").map(\.model.number) == [390])
    }
    #expect(try store.shell("PRAGMA integrity_check") == "ok")
  }

  @Test("is not compacted by a program that may not write, and needs no file")
  func refused() throws {
    do { try fill(ModelContext(try store.container(Compacted.Page.self, Compacted.Word.self))) }
    let reader = try store.container(Compacted.Page.self, Compacted.Word.self, allowsSave: false)
    #expect(throws: SwiftDataError.storeReadOnly) { try reader.compact() }
    let context = try memoryContext(Compacted.Page.self, Compacted.Word.self)
    try fill(context)
    try context.container.compact()
    #expect(try context.fetchCount(FetchDescriptor<Compacted.Page>()) == 10)
  }
}
