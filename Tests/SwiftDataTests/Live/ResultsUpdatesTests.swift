import Foundation
import SwiftData
import Testing

@Suite struct ResultsUpdatesTests {
  typealias Book = Live.Book

  /// What the differences make of a list.
  private func apply(_ update: ModelContext.ResultsUpdate<Book>, to list: [Book]) -> [Book] {
    var removed = IndexSet()
    var placed = [(Int, Book)]()
    for change in update.changes {
      switch change {
      case .delete(let book, let index):
        #expect(list[index] === book)
        removed.insert(index)
      case .insert(let book, let index): placed.append((index, book))
      case .move(let book, let from, let to):
        #expect(list[from] === book)
        removed.insert(from)
        placed.append((to, book))
      case .update(let book, let index): #expect(update.results[index] === book)
      }
    }
    var list = list
    for index in removed.reversed() { list.remove(at: index) }
    for (index, book) in placed { list.insert(book, at: index) }
    return list
  }

  @Test("The first update comes at once; each later one leads from the last result to its own")
  func differences() async throws {
    let context = try Live.library(6)
    let descriptor = FetchDescriptor<Book>(
      predicate: #Predicate { $0.rank < 10 }, sortBy: [SortDescriptor(\.rank)])
    var updates = context.values(for: descriptor).makeAsyncIterator()
    let first = try #require(try await updates.next())
    #expect(first.results.count == 6 && first.changes.isEmpty)
    first.results[0].rank = 9
    first.results[1].title = "Changed"
    context.delete(first.results[3])
    let new = Book("New", rank: 2)
    context.insert(new)
    let second = try #require(try await updates.next())
    #expect(second.results.map(\.rank) == [1, 2, 2, 4, 5, 9])
    #expect(second.changes.map(\.summary) == ["- 3", "+ 2", "0 > 5", "~ 0", "~ 5"])
    #expect(apply(second, to: first.results).elementsEqual(second.results, by: ===))
    try context.save()
    let other = ModelContext(context.container)
    try other.update(model: Book.self, where: #Predicate { $0.rank == 2 }, set: .assign(\.rank, 20))
    let third = try #require(try await updates.next())
    #expect(third.results.map(\.rank) == [1, 4, 5, 9])
    #expect(apply(third, to: second.results).elementsEqual(third.results, by: ===))
  }

  @Test("Differences are right for random changes", arguments: LawSettings.seeds(default: 20))
  func randomDifferences(_ seed: UInt64) async throws {
    var random = LawRandom(seed: seed)
    let context = try Live.library(30)
    let other = ModelContext(context.container)
    var updates = context.values(
      for: FetchDescriptor<Book>(
        predicate: #Predicate { $0.rank < 40 }, sortBy: [SortDescriptor(\.rank), SortDescriptor(\.title)])
    ).makeAsyncIterator()
    var list = try #require(try await updates.next()).results
    for _ in 0..<20 {
      let place = random.chance(50) ? context : other
      for _ in 0...random.below(8) { try change(place, &random) }
      try place.save()
      // So that there is an update in any case.
      place.insert(Book("Last", rank: random.below(40)))
      try place.save()
      let update = try #require(try await updates.next())
      list = apply(update, to: list)
      let fetched = try context.fetch(
        FetchDescriptor<Book>(
          predicate: #Predicate { $0.rank < 40 }, sortBy: [SortDescriptor(\.rank), SortDescriptor(\.title)]))
      #expect(list.elementsEqual(fetched, by: ===), "seed \(seed)")
    }
  }

  private func change(_ context: ModelContext, _ random: inout LawRandom) throws {
    let all = try context.fetch(FetchDescriptor<Book>())
    switch random.below(4) {
    case 0: context.insert(Book("New \(random.below(5))", rank: random.below(50)))
    case 1: if let book = all.randomElement(using: &random) { context.delete(book) }
    default: all.randomElement(using: &random)?.rank = random.below(50)
    }
  }

  @Test("The walk ends with its task")
  func endsWithItsTask() async throws {
    let container = try Live.container()
    let task = Task {
      let context = ModelContext(container)
      var count = 0
      for try await _ in context.values(for: FetchDescriptor<Book>()) { count += 1 }
      return count
    }
    task.cancel()
    #expect(try await task.value <= 1)
  }

  @Test("A fetch that the store refuses ends the walk with its error")
  func throwsWhatTheFetchThrows() async throws {
    let context = try Live.library(1)
    var updates = context.values(for: FetchDescriptor<Tag>()).makeAsyncIterator()
    await #expect(throws: SwiftDataError.self) { _ = try await updates.next() }
  }

  @Test("Saves of another container over the same file arrive")
  func followsAnotherContainer() async throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Live.Shelf.self))
    let foreign = ModelContext(try store.container(Live.Shelf.self))
    var updates = context.values(for: FetchDescriptor<Book>(sortBy: [SortDescriptor(\.rank)])).makeAsyncIterator()
    _ = try await updates.next()
    let book = Book("Theirs", rank: 2)
    foreign.insert(book)
    try foreign.save()
    #expect(try await updates.next()?.results.map(\.rank) == [2])
    book.rank = 7
    foreign.insert(Book("Another", rank: 3))
    try foreign.save()
    #expect(try await updates.next()?.results.map(\.rank) == [3, 7])
    try foreign.delete(model: Book.self, where: #Predicate { $0.rank == 3 })
    try foreign.save()
    #expect(try await updates.next()?.results.map(\.rank) == [7])
  }
}

extension ModelContext.ResultsUpdate.Change {
  fileprivate var summary: String {
    switch self {
    case .insert(_, let index): "+ \(index)"
    case .delete(_, let index): "- \(index)"
    case .move(_, let from, let to): "\(from) > \(to)"
    case .update(_, let index): "~ \(index)"
    }
  }
}
