import Foundation
import Testing

@testable import SwiftData

/// What a context keeps of the saves of others until it takes them in.
@Suite struct InboxTests {
  private typealias Book = Live.Book
  private typealias Shelf = Live.Shelf

  @Test("A context that does nothing keeps a row once, however often others save it")
  func keepsEachRowOnce() throws {
    let container = try Live.container()
    let (idle, writer) = (ModelContext(container), ModelContext(container))
    let observer = try HistoryObserver(modelContainer: container)
    let book = Book("Saved often")
    writer.insert(book)
    try writer.save()
    for rank in 1...20 {
      book.rank = rank
      try writer.save()
    }
    // As inserted and as updated.
    #expect(idle.state.inbox.keyCount == 2)
    #expect(try idle.fetch(FetchDescriptor<Book>()).map(\.rank) == [20])
    #expect(idle.state.inbox.keyCount == 0)
    #expect(observer.eventCounter == 1)
  }

  @Test("Of more rows than it keeps, a context takes in what changed and what is gone")
  func takesInMany() throws {
    let context = try Live.library(4)
    let observer = try ResultsObserver<Book, Never>(
      filterBy: #Predicate { $0.rank > 0 }, sortBy: [SortDescriptor(\.rank)], modelContext: context)
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.rank)]))
    books[3].title = "Own"
    let other = ModelContext(context.container)
    let theirs = try other.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.rank)]))
    other.delete(theirs[1])
    theirs[2].rank = 7
    theirs[3].rank = 8
    try other.save()
    let table = try #require(context.state.core.table(named: "Book"))
    let keys = (1...3).map { Array((Int64($0) * 1_000_000)..<(Int64($0) * 1_000_000 + 5_000)) }
    for keys in keys {
      var many = SavedChanges()
      let rows = [SavedChanges.Objects(root: table.root, entity: "Book", keys: keys)]
      (many.inserted, many.updated, many.deleted, many.entities) = (rows, rows, rows, ["Book"])
      context.state.inbox.deliver(many)
    }
    #expect(context.state.inbox.keyCount == 0)
    #expect(observer.results.map(\.rank) == [7, 8])
    #expect(books[1].modelContext == nil && books[0].modelContext === context)
    #expect((books[3].title, books[3].rank) == ("Own", 8))
    #expect(context.changedModelsArray.count == 1)
    try context.save()
    #expect(try other.fetch(FetchDescriptor<Book>()).map(\.title).sorted() == ["Book 0", "Book 2", "Own"])
  }

  @Test("The inbox of a context that ended gets nothing more, although an object keeps it")
  func endsWithTheContext() throws {
    let container = try Live.container()
    let writer = ModelContext(container)
    writer.insert(Book("First"))
    try writer.save()
    let held = try #require(try ModelContext(container).fetch(FetchDescriptor<Book>()).first)
    let context = held.__state.context
    let state = try #require(context)
    writer.insert(Book("Second"))
    try writer.save()
    #expect(state.inbox.keyCount == 0)
  }

  @Test("Who observes a value that another context saved sees the results after that save")
  func observedValue() throws {
    let context = try Live.library(2)
    let observer = try ResultsObserver<Book, Never>(
      filterBy: #Predicate { $0.rank < 5 }, sortBy: [SortDescriptor(\.rank)], modelContext: context)
    let book = observer.results[0]
    let seen = Seen { observer.results.map(\.rank) }
    withObservationTracking {
      _ = book.rank
    } onChange: {
      seen.look()
    }
    let other = ModelContext(context.container)
    try #require(try other.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.rank)])).first).rank = 9
    try other.save()
    _ = try context.fetch(FetchDescriptor<Shelf>())
    #expect(seen.all == [[1]])
  }

  // @unchecked Sendable because the test that uses it stays on one thread.
  private final class Seen: @unchecked Sendable {
    private(set) var all: [[Int]] = []
    private let read: () -> [Int]

    init(_ read: @escaping () -> [Int]) { self.read = read }

    func look() { all.append(read()) }
  }

  /// A context that shows all shelves and books.
  private struct Reader {
    let context: ModelContext
    let books: [Book]
    let shelves: [Shelf]
    let observer: ResultsObserver<Book, Never>

    init(_ container: ModelContainer) throws {
      context = ModelContext(container)
      books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
      shelves = try context.fetch(FetchDescriptor<Shelf>(sortBy: [SortDescriptor(\.name)]))
      observer = try ResultsObserver(
        filterBy: #Predicate { $0.rank < 6 }, sortBy: [SortDescriptor(\.title)], modelContext: context)
      books[0].genre = "unsaved"
    }

    var text: [String] {
      let books = books.map { book in
        book.modelContext == nil ? "gone" : "\(book.title) \(book.rank) \(book.genre ?? "") \(book.shelf?.name ?? "")"
      }
      let shelves = shelves.map { shelf in
        shelf.modelContext == nil ? "gone" : "\(shelf.name) \(shelf.books.map(\.title).sorted())"
      }
      return books + shelves + observer.results.map(\.title)
    }
  }

  @Test("Taking in all saves at once shows what taking in each of them shows", arguments: 1...12 as ClosedRange<UInt64>)
  func atOnce(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    let container = try Live.container()
    let writer = ModelContext(container)
    let shelves = ["A", "B", "C"].map { Shelf(name: $0) }
    for shelf in shelves { writer.insert(shelf) }
    for rank in 0..<8 { writer.insert(Book("Book \(rank)", rank: rank, shelf: random.pick(shelves))) }
    try writer.save()
    let (often, once) = (try Reader(container), try Reader(container))
    #expect(often.text == once.text)
    for step in 0..<12 {
      let books = try writer.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
      let left = try writer.fetch(FetchDescriptor<Shelf>(sortBy: [SortDescriptor(\.name)]))
      switch random.int(0..<8) {
      case 0, 1: writer.insert(Book("New \(step)", rank: random.int(0..<12), shelf: random.pick(left)))
      case 2, 3: if !books.isEmpty { writer.delete(random.pick(books)) }
      case 4: if left.count > 1 { writer.delete(random.pick(left)) }
      case 5: if !books.isEmpty { random.pick(books).shelf = random.pick(left) }
      default: if !books.isEmpty { random.pick(books).rank = random.int(0..<12) }
      }
      try writer.save()
      often.context.state.takeInSaves()
      _ = often.text
    }
    once.context.state.takeInSaves()
    #expect(once.text == often.text)
    let fetched = try once.context.fetch(once.observer.fetchDescriptor)
    #expect(once.observer.results.map(\.title) == fetched.map(\.title))
  }
}
