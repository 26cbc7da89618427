import Foundation
import SwiftData
import SwiftDataTesting
import Testing

@Suite("Fetches of what a search finds")
struct MatchingFetchTests {
  typealias Article = Searched.Article
  private let context: ModelContext

  init() throws { context = try memoryContext(Article.self, Searched.Work.self, Searched.Song.self) }

  private func newest(_ limit: Int? = nil) -> FetchDescriptor<Article> {
    var descriptor = FetchDescriptor<Article>(sortBy: [SortDescriptor(\.likes, order: .reverse)])
    descriptor.fetchLimit = limit
    return descriptor
  }

  private func fill(_ count: Int, _ title: (Int) -> String) throws {
    for number in 0..<count {
      let article = Article(title(number))
      article.likes = number
      context.insert(article)
    }
    try context.save()
  }

  @Test("They have the order, the predicate and the pages of the descriptor")
  func pages() throws {
    try fill(100) { $0 % 3 == 0 ? "a march invoice" : "an april invoice" }
    let march = FetchDescriptor<Article>(
      predicate: #Predicate { $0.likes < 50 }, sortBy: [SortDescriptor(\.likes, order: .reverse)])
    #expect(try context.fetch(march, matching: "march inv*").map(\.likes) == stride(from: 48, through: 0, by: -3) + [])
    #expect(try context.fetchCount(march, matching: "march") == 17)
    var page = try context.fetch(newest(10), matching: "\"march invoice\"")
    var all = page
    while let last = page.last {
      page = try context.fetch(newest(10), matching: "\"march invoice\"", after: last)
      all += page
    }
    #expect(all.map(\.likes) == stride(from: 99, through: 0, by: -3) + [])
    #expect(try context.fetchCount(newest(5), matching: "march") == 5)
  }

  @Test("Objects of subclasses are found by their own texts too")
  func subclasses() throws {
    context.insert(Searched.Work(name: "a river"))
    context.insert(Searched.Song(name: "b", lyrics: "down by the river"))
    context.insert(Searched.Song(name: "c", lyrics: "the sea"))
    try context.save()
    func names<T: Searched.Work>(_ type: T.Type) throws -> [String] {
      try context.fetch(FetchDescriptor<T>(sortBy: [SortDescriptor(\.name)]), matching: "river").map(\.name)
    }
    #expect(try names(Searched.Work.self) == ["a river", "b"])
    #expect(try names(Searched.Song.self) == ["b"])
  }

  @Test("A text without a word finds nothing, and a class that is not searchable is refused")
  func nothing() throws {
    try fill(3) { _ in "invoice" }
    #expect(try context.fetch(newest(), matching: " … ") == [] && context.fetchCount(newest(), matching: "") == 0)
    let plain = try memoryContext(Searched.Plain.self)
    let error = #expect(throws: SwiftDataError.self) {
      try plain.fetch(FetchDescriptor<Searched.Plain>(), matching: "invoice")
    }
    #expect(error?.description.contains(".spotlight") == true)
  }

  @Test("A page of frequent words costs a few steps for each row of the store, and one of rare words few in all")
  func growth() throws {
    let context = try memoryContext(Searched.Letter.self)
    for number in 0..<4000 { context.insert(Searched.Letter(number == 7 ? "rare common" : "common", number)) }
    try context.save()
    var newest = FetchDescriptor<Searched.Letter>(sortBy: [SortDescriptor(\.number, order: .reverse)])
    newest.fetchLimit = 20
    func steps(_ text: String) throws -> Int {
      try StatementTrace.virtualMachineSteps { _ = try context.fetch(newest, matching: text) }
    }
    // To look up each hit by its key takes 18 steps.
    #expect(try steps("common") < 4000 * 8)
    #expect(try steps("rare") < 1000)
  }

  @Test("They find what Swift finds among the hits, with unsaved changes and without")
  func random() throws {
    var random = RandomSource(seed: 20_261_126)
    let words = ["alpha", "beta", "gamma", "delta"]
    var articles = [Article]()
    // What is stored: the title, the likes and the order of insertion.
    var stored = [(article: Article, title: String, likes: Int)]()
    func title() -> String { (0..<random.int(1..<5)).map { _ in random.pick(words) }.joined(separator: " ") }
    for round in 0..<300 {
      switch random.int(0..<5) {
      case 0, 1:
        articles.append(Article(title()))
        articles.last!.likes = random.int(0..<6)
        context.insert(articles.last!)
      case 2 where !articles.isEmpty: random.pick(articles).title = title()
      case 3 where !articles.isEmpty: random.pick(articles).likes = random.int(0..<6)
      case 4 where articles.count > 30: context.delete(articles.remove(at: random.int(0..<articles.count)))
      default: break
      }
      if random.chance(1, in: 3) {
        try context.save()
        stored = articles.map { ($0, $0.title, $0.likes) }
      }
      let wanted = Set((0..<random.int(1..<3)).map { _ in random.pick(words) })
      let least = random.int(0..<4)
      func expected(_ all: [(article: Article, title: String, likes: Int)]) -> [Article] {
        all.enumerated()
          .filter { $0.1.likes >= least && wanted.isSubset(of: $0.1.title.split(separator: " ").map(String.init)) }
          .sorted { ($1.1.likes, $0.0) < ($0.1.likes, $1.0) }.map(\.1.article)
      }
      var descriptor = FetchDescriptor<Article>(
        predicate: #Predicate { $0.likes >= least }, sortBy: [SortDescriptor(\.likes, order: .reverse)])
      descriptor.includePendingChanges = random.chance(3, in: 4)
      let text = wanted.joined(separator: " ")
      let all = expected(descriptor.includePendingChanges ? articles.map { ($0, $0.title, $0.likes) } : stored)
      #expect(try context.fetch(descriptor, matching: text) == all, "\(wanted) in round \(round)")
      #expect(try context.fetchCount(descriptor, matching: text) == all.count, "\(wanted) in round \(round)")
      descriptor.fetchLimit = random.int(0..<4)
      descriptor.fetchOffset = random.int(0..<3)
      let part = all.dropFirst(descriptor.fetchOffset!).prefix(descriptor.fetchLimit!)
      #expect(try context.fetch(descriptor, matching: text) == Array(part), "\(wanted) in round \(round)")
      #expect(try context.fetchCount(descriptor, matching: text) == part.count, "\(wanted) in round \(round)")
      guard descriptor.includePendingChanges, let start = all.randomElement(using: &random) else { continue }
      let rest = all.drop { $0 !== start }.dropFirst().dropFirst(descriptor.fetchOffset!).prefix(descriptor.fetchLimit!)
      #expect(
        try context.fetch(descriptor, matching: text, after: start) == Array(rest), "\(wanted) in round \(round)")
    }
  }
}
