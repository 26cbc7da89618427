import Foundation
import Testing

@testable import SwiftData

@Suite struct ResultsObserverTests {
  typealias Book = Live.Book

  private func observer(
    _ context: ModelContext, _ filter: Predicate<Book>? = nil, by sort: [SortDescriptor<Book>] = [.init(\.rank)]
  ) throws -> ResultsObserver<Book, Never> {
    try ResultsObserver(filterBy: filter, sortBy: sort, modelContext: context)
  }

  // MARK: - Its own context

  @Test("It shows unsaved inserts, changes and deletions, in their places")
  func showsUnsavedChanges() throws {
    let context = try Live.library()
    let observer = try observer(context, #Predicate { $0.rank >= 3 })
    #expect(observer.results.map(\.rank) == [3, 4, 5, 6, 7, 8, 9])
    context.insert(Book("New", rank: 5))
    #expect(observer.results.map(\.rank) == [3, 4, 5, 5, 6, 7, 8, 9])
    observer.results[0].rank = 20
    #expect(observer.results.map(\.rank) == [4, 5, 5, 6, 7, 8, 9, 20])
    observer.results[0].rank = 1
    context.delete(observer.results[0])
    #expect(observer.results.map(\.rank) == [5, 6, 7, 8, 9, 20])
    #expect(observer.results[0].title == "New")
    try context.save()
    #expect(observer.results.map(\.rank) == [5, 6, 7, 8, 9, 20])
  }

  @Test("A rollback leads back to what is stored, an undo to what was before")
  func followsRollbackAndUndo() throws {
    let context = try Live.library()
    let observer = try observer(context)
    context.insert(Book("New", rank: 5))
    context.delete(observer.results[0])
    observer.results[0].rank = 50
    #expect(observer.results.map(\.rank) == [2, 3, 4, 5, 5, 6, 7, 8, 9, 50])
    context.rollback()
    #expect(observer.results.map(\.rank) == Array(0..<10))
    context.undoManager = UndoManager()
    context.delete(observer.results[3])
    context.processPendingChanges()
    #expect(observer.results.count == 9)
    context.undoManager?.undo()
    #expect(observer.results.map(\.rank) == Array(0..<10))
    context.undoManager?.redo()
    #expect(observer.results.count == 9)
  }

  @Test("A batch delete and a batch update arrive, saved or not")
  func followsBatches() throws {
    let context = try Live.library()
    let observer = try observer(context, #Predicate { $0.rank < 100 })
    try context.update(model: Book.self, where: #Predicate { $0.rank > 7 }, set: .assign(\.rank, 100))
    #expect(observer.results.map(\.rank) == Array(0..<8))
    try context.delete(model: Book.self, where: #Predicate { $0.rank < 6 })
    #expect(observer.results.map(\.rank) == [6, 7])
    context.rollback()
    #expect(observer.results.map(\.rank) == Array(0..<8))
    try context.delete(model: Book.self)
    try context.save()
    #expect(observer.results.isEmpty)
  }

  @Test("A bounded result takes in the next row where one leaves")
  func refillsBoundedResults() throws {
    let context = try Live.library()
    var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.rank, order: .reverse)])
    descriptor.fetchLimit = 3
    descriptor.fetchOffset = 1
    let observer = try ResultsObserver<Book, Never>(fetchDescriptor: descriptor, modelContext: context)
    #expect(observer.results.map(\.rank) == [8, 7, 6])
    context.delete(observer.results[1])
    #expect(observer.results.map(\.rank) == [8, 6, 5])
    context.insert(Book("First", rank: 99))
    #expect(observer.results.map(\.rank) == [9, 8, 6])
  }

  @Test("Without pending changes it shows what is saved only")
  func leavesOutUnsaved() throws {
    let context = try Live.library(2)
    var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.rank)])
    descriptor.includePendingChanges = false
    let observer = try ResultsObserver<Book, Never>(fetchDescriptor: descriptor, modelContext: context)
    context.insert(Book("New", rank: 7))
    #expect(observer.results.map(\.rank) == [0, 1])
    try context.save()
    #expect(observer.results.map(\.rank) == [0, 1, 7])
  }

  @Test("Conditions on related objects follow these")
  func followsRelatedObjects() throws {
    let context = try Live.library(3)
    let shelf = Live.Shelf(name: "A")
    let word = Live.Keyword(word: "swift")
    context.insert(shelf)
    context.insert(word)
    let onShelf = try observer(context, #Predicate { $0.shelf?.name == "A" })
    let tagged = try observer(context, #Predicate { book in book.keywords.contains { $0.word == "swift" } })
    let counted = try observer(context, #Predicate { $0.keywords.count > 0 })
    let all = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.rank)]))
    shelf.books = [all[2], all[0]]
    word.books.append(all[1])
    #expect(onShelf.results.map(\.rank) == [0, 2])
    #expect(tagged.results.map(\.rank) == [1])
    #expect(counted.results.map(\.rank) == [1])
    try context.save()
    shelf.name = "B"
    word.word = "objective"
    #expect(onShelf.results.isEmpty)
    #expect(tagged.results.isEmpty)
    #expect(counted.results.map(\.rank) == [1])
    context.delete(word)
    try context.save()
    #expect(counted.results.isEmpty)
  }

  // MARK: - Other contexts

  @Test("Saves of another context arrive: inserts, changes, deletions and batches")
  func followsOtherContexts() throws {
    let context = try Live.library()
    let observer = try observer(context, #Predicate { $0.rank < 100 })
    let other = ModelContext(context.container)
    let books = try other.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.rank)]))
    other.insert(Book("New", rank: 4))
    books[0].rank = 8
    books[1].rank = 200
    other.delete(books[2])
    #expect(observer.results.map(\.rank) == Array(0..<10))
    try other.save()
    #expect(observer.results.map(\.rank) == [3, 4, 4, 5, 6, 7, 8, 8, 9])
    try other.update(model: Book.self, where: #Predicate { $0.rank == 4 }, set: .assign(\.rank, 1))
    #expect(observer.results.map(\.rank) == [1, 1, 3, 5, 6, 7, 8, 8, 9])
    try other.delete(model: Book.self, where: #Predicate { $0.rank > 5 })
    try other.save()
    #expect(observer.results.map(\.rank) == [1, 1, 3, 5])
    context.container.deleteAllData()
    #expect(observer.results.isEmpty)
  }

  @Test("A uniqueness collision leaves one object in the result")
  func followsUpserts() throws {
    let container = try ModelContainer(
      for: Artist.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Artist(name: "Nina", country: "US"))
    try context.save()
    let observer = try ResultsObserver<Artist, Never>(sortBy: [SortDescriptor(\.name)], modelContext: context)
    context.insert(Artist(name: "Nina", country: "FR"))
    #expect(observer.results.count == 2)
    try context.save()
    #expect(observer.results.map(\.country) == ["FR"])
  }

  // MARK: - What it costs

  @Test("A change of what the fetch does not read costs no statement")
  func ignoresOtherEntities() throws {
    let context = try Live.library()
    let observer = try observer(context, #Predicate { $0.rank >= 0 })
    let other = ModelContext(context.container)
    other.insert(Live.Visitor(name: "Ada"))
    context.insert(Live.Visitor(name: "Eve"))
    try other.save()
    try context.save()
    let (results, statements) = SQLTrace.record { observer.results }
    #expect(results.count == 10)
    #expect(statements == [])
  }

  @Test("A change of one object among 100,000 reads no row; one that another context saved reads one")
  func readsOnlyWhatChanged() throws {
    let context = ModelContext(try Live.container())
    context.insert(contentsOf: (0..<100_000).map { Book("Book", rank: $0) })
    try context.save()
    let observer = try observer(context, #Predicate { $0.rank >= 50 })
    let (moved, own) = SQLTrace.record {
      observer.results[40].rank = 200_000
      return observer.results
    }
    #expect(moved.count == 99_950)
    #expect(moved.last?.rank == 200_000)
    #expect(own == [])
    let other = ModelContext(context.container)
    try other.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.rank == 90_000 }))[0].rank = 60
    other.insert(Book("New", rank: 61))
    try other.save()
    let (after, statements) = SQLTrace.record { observer.results }
    #expect(after.count == 99_951)
    #expect(after[9...13].map(\.rank) == [59, 60, 60, 61, 61])
    // The changed object is read again, and the new row asked for by its key.
    #expect(statements.count == 2)
    #expect(statements.allSatisfy { $0.contains("_pk IN (SELECT value FROM json_each(?))") })
  }

  // MARK: - Sections

  @Test("Sections come in the order of their first models, and models without a title under an empty one")
  func sections() throws {
    let context = ModelContext(try Live.container())
    for (rank, genre) in [(3, "Rock"), (1, "Jazz"), (2, "Rock"), (5, nil), (4, "Jazz")] {
      context.insert(Book("Book \(rank)", rank: rank, genre: genre))
    }
    try context.save()
    let observer = try ResultsObserver<Book, String>(
      sortBy: [SortDescriptor(\.rank)], sectionBy: \.genre, modelContext: context)
    #expect(observer.sectionBy == \Book.genre)
    #expect(observer.sections?.sectionTitles == ["", "Jazz", "Rock"])
    #expect(observer.sections?.map { $0.map(\.rank) } == [[5], [1, 4], [2, 3]])
    // The section is put before an order that is assigned later, too.
    observer.sortBy = [SortDescriptor(\.rank, order: .reverse)]
    #expect(observer.sections?.map { $0.map(\.rank) } == [[5], [4, 1], [3, 2]])
    observer.results[0].genre = "Opera"
    #expect(observer.sections?.sectionTitles == ["Jazz", "Opera", "Rock"])
    #expect(observer.sections?[sectionTitle: "Opera"]?.map(\.rank) == [5])
    let plain = try ResultsObserver<Book, Never>(modelContext: context)
    #expect(plain.sections == nil && plain.sectionBy == nil)
  }

  @Test("An index path is the number of a section and a place in it")
  func indexPaths() throws {
    let context = ModelContext(try Live.container())
    for (rank, genre) in [(3, "Rock"), (1, "Jazz"), (2, "Rock"), (4, "Jazz")] {
      context.insert(Book("Book \(rank)", rank: rank, genre: genre))
    }
    try context.save()
    let observer = try ResultsObserver<Book, String>(
      sortBy: [SortDescriptor(\.rank)], sectionBy: \.genre, modelContext: context)
    let sections = try #require(observer.sections)
    #expect(sections.index(ofSectionTitled: "Rock") == 1 && sections.index(ofSectionTitled: "Opera") == nil)
    #expect(sections.contains(sectionTitle: "Jazz") && !sections.contains(sectionTitle: "Opera"))
    #expect(observer.element(at: [1, 0])?.rank == 2)
    for path: IndexPath in [[2, 0], [1, 2], [-1, 0], [0], []] { #expect(observer.element(at: path) == nil) }
    for book in observer.results { #expect(observer.indexPath(for: book).flatMap(observer.element) === book) }
    #expect(observer.indexPath(for: Book("elsewhere", genre: "Rock")) == nil)
    let deleted = observer.results[0]
    context.delete(deleted)
    try context.save()
    #expect(observer.indexPath(for: deleted) == nil)
    let plain = try ResultsObserver<Book, Never>(modelContext: context)
    #expect(plain.element(at: [0, 0]) == nil && plain.indexPath(for: observer.results[0]) == nil)
    #expect(plain.debugDescription == "ResultsObserver<Book>, 3 models")
  }

  @Test("The results are Apple's collection")
  func collection() throws {
    let observer = try observer(try Live.library(3))
    let results: FetchResultsCollection<Book> = observer.results
    #expect(results.map(\.rank) == [0, 1, 2])
  }

  // MARK: - Observation

  @Test("Observers hear of changes of the result, and of nothing else")
  func notifies() throws {
    let context = try Live.library()
    let observer = try observer(context, #Predicate { $0.rank < 5 })
    let counter = ChangeCounter { _ = observer.results }
    _ = observer.results
    #expect(counter.count == 0)
    let all = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.rank)]))
    all[9].rank = 10
    all[0].title = "Other"
    _ = observer.results
    #expect(counter.count == 0)
    all[0].rank = 7
    _ = observer.results
    #expect(counter.count == 1)
    counter.rearm()
    observer.filterBy = #Predicate { $0.rank > 8 }
    #expect(counter.count == 2)
    #expect(observer.results.map(\.rank) == [10])
  }

  @Test("Without an actor observers hear when the context saves or processes its changes")
  func notifiesWhenSettled() throws {
    let context = try Live.library(1)
    let observer = try observer(context)
    let counter = ChangeCounter { _ = observer.results }
    context.insert(Book("New"))
    #expect(counter.count == 0)
    context.processPendingChanges()
    #expect(counter.count == 1)
    counter.rearm()
    context.insert(Book("Another"))
    try context.save()
    #expect(counter.count == 2)
    counter.rearm()
    let other = ModelContext(context.container)
    try other.delete(model: Book.self)
    try other.save()
    #expect(counter.count == 2)
    context.processPendingChanges()
    #expect(counter.count == 3)
  }

  @Test("On the main actor observers are told without anybody asking")
  @MainActor func remindsOnItsActor() async throws {
    let container = try Live.container()
    let context = container.mainContext
    let observer = try ResultsObserver<Book, Never>(modelContext: context)
    await confirmation(expectedCount: 2) { told in
      for change in [{ context.insert(Book("Own")) }, { Self.saveElsewhere(container) }] {
        await withCheckedContinuation { continuation in
          withObservationTracking {
            _ = observer.results
          } onChange: {
            told()
            continuation.resume()
          }
          change()
        }
      }
    }
    #expect(Set(observer.results.map(\.title)) == ["Own", "Theirs"])
  }

  private static func saveElsewhere(_ container: ModelContainer) {
    let context = ModelContext(container)
    context.insert(Book("Theirs"))
    #expect(throws: Never.self) { try context.save() }
  }

  @Test("After an update that failed, the next change reminds of one again")
  func remindsAfterAFailure() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Book.self, Live.Shelf.self, Live.Keyword.self))
    context.insert(Book("Only"))
    try context.save()
    let live = try LiveResults(FetchDescriptor<Book>(), in: context.state)
    var reminders = 0
    live.onStale = { reminders += 1 }
    _ = try live.update()
    #expect(try store.shell("ALTER TABLE Book RENAME TO Away") == "")
    live.noteEverything()
    #expect(reminders == 1)
    #expect(throws: SwiftDataError.self) { try live.update() }
    #expect(try store.shell("ALTER TABLE Away RENAME TO Book") == "")
    context.insert(Book("New"))
    #expect(reminders == 2)
    context.insert(Book("Newer"))
    #expect(reminders == 2)
    _ = try live.update()
    #expect(live.results.count == 3)
  }

  @Test("A fetch that fails says why and keeps what it had")
  func keepsResultsWhereAFetchFails() throws {
    let store = try TemporaryStore()
    let container = try store.container(Book.self)
    let context = ModelContext(container)
    context.insert(Book("Only"))
    try context.save()
    let observer = try observer(context)
    #expect(observer.fetchError == nil)
    try container.erase()
    observer.filterBy = #Predicate { $0.rank > 8 }
    #expect(observer.results.map(\.title) == ["Only"])
    #expect((observer.fetchError as? SwiftDataError)?.code == .missingContainer)
  }
}
