import Foundation
import SwiftData
import Testing

/// Observers show at any moment what a fetch gives.
@Suite struct LiveLawTests {
  typealias Book = Live.Book

  /// Fetches and observers differed in a changed object that the other context had deleted. `PendingChangesTests.deletedElsewhere` says what
  /// a fetch gives.
  @Test("The seeds that failed once hold", arguments: [50117, 50178, 50277, 50430, 51544, 51557, 51899])
  func failedOnce(seed: UInt64) throws { try agreesWithFetches(seed) }

  @Test("Observers agree with fetches after any change", arguments: LawSettings.seeds(default: 60))
  func agreesWithFetches(_ seed: UInt64) throws {
    var random = LawRandom(seed: seed)
    let container = try Live.container()
    let contexts = [ModelContext(container), ModelContext(container)]
    for index in 0..<12 {
      contexts[0].insert(Book("B\(index % 4)", rank: index, genre: index % 3 == 0 ? nil : "G\(index % 3)"))
    }
    for name in ["A", "B"] { contexts[0].insert(Live.Shelf(name: name)) }
    for word in ["x", "y"] { contexts[0].insert(Live.Keyword(word: word)) }
    try contexts[0].save()
    let descriptors = Self.descriptors
    let observers = try contexts.map { context in
      try descriptors.map { try ResultsObserver<Book, Never>(fetchDescriptor: $0, modelContext: context) }
    }
    for step in 0..<40 {
      try Self.change(contexts[random.below(2)], &random)
      for (context, observers) in zip(contexts, observers) where random.chance(60) {
        for (index, observer) in observers.enumerated() {
          let shown = observer.results.map { ObjectIdentifier($0) }
          let fetched = try context.fetch(descriptors[index]).map { ObjectIdentifier($0) }
          #expect(shown == fetched, "seed \(seed), step \(step), query \(index)")
        }
      }
    }
  }

  private static var descriptors: [FetchDescriptor<Book>] {
    let byTitle: [SortDescriptor<Book>] = [SortDescriptor(\.title), SortDescriptor(\.rank, order: .reverse)]
    var page = FetchDescriptor<Book>(sortBy: byTitle)
    page.fetchLimit = 4
    page.fetchOffset = 1
    return [
      FetchDescriptor(),
      FetchDescriptor(predicate: #Predicate { $0.rank > 5 && $0.genre != nil }, sortBy: byTitle),
      FetchDescriptor(predicate: #Predicate { $0.shelf?.name == "A" }, sortBy: [SortDescriptor(\.shelf?.name)]),
      FetchDescriptor(predicate: #Predicate { book in book.keywords.contains { $0.word == "x" } }, sortBy: byTitle),
      FetchDescriptor(predicate: #Predicate { $0.keywords.count == 0 }, sortBy: [SortDescriptor(\.genre)]),
      FetchDescriptor(
        predicate: #Predicate { $0.shelf == nil }, sortBy: [SortDescriptor(\.shelf?.name), SortDescriptor(\.rank)]),
      page,
    ]
  }

  private static func change(_ context: ModelContext, _ random: inout LawRandom) throws {
    let books = try context.fetch(FetchDescriptor<Book>())
    let shelves = try context.fetch(FetchDescriptor<Live.Shelf>())
    let words = try context.fetch(FetchDescriptor<Live.Keyword>())
    let book = books.randomElement(using: &random)
    switch random.below(14) {
    case 0, 1:
      context.insert(Book("B\(random.below(6))", rank: random.below(20), shelf: shelves.randomElement(using: &random)))
    case 2: if let book { context.delete(book) }
    case 3: book?.rank = random.below(20)
    case 4: book?.title = "B\(random.below(6))"
    case 5: book?.genre = random.chance(50) ? nil : "G\(random.below(3))"
    case 6: book?.shelf = random.chance(30) ? nil : shelves.randomElement(using: &random)
    case 7: if let book { words.randomElement(using: &random)?.books.append(book) }
    case 8: book?.keywords = random.chance(50) ? [] : words
    case 9: shelves.randomElement(using: &random)?.name = random.chance(50) ? "A" : "B"
    case 10: words.randomElement(using: &random)?.word = random.chance(50) ? "x" : "y"
    case 11:
      let bound = random.below(20)
      try context.update(
        model: Book.self, where: #Predicate { $0.rank > bound }, set: .assign(\.rank, random.below(20)))
    case 12:
      let bound = random.below(20)
      try context.delete(model: Book.self, where: #Predicate { $0.rank == bound })
    default:
      guard random.chance(70) else { return context.rollback() }
      // The other context deleted a book that this one changed.
      do { try context.save() } catch SwiftDataError.staleObject { context.rollback() }
    }
  }
}
