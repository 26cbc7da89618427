import Foundation
import SwiftData
import SwiftDataQuery
import Testing

@Suite struct QueryTests {
  typealias Book = Live.Book

  struct Screen {
    @Query var all: [Book]
    @Query(filter: #Predicate { $0.rank > 2 }) var high: [Book]
    @Query(filter: #Predicate<Book> { $0.rank > 2 }, sort: \.rank, order: .reverse) var falling: [Book]
    @Query(sort: \.genre) var byGenre: [Book]
    @Query(sort: [SortDescriptor(\.title), SortDescriptor(\.rank)]) var byTitle: [Book]
    @Query(Screen.firstTwo) var two: [Book]
    @Query(sort: \.rank, sectionBy: \.title) var titles: SectionedResults<Book, String>
    @Query(sort: \.rank, order: .reverse, sectionBy: \.genre) var genres: SectionedResults<Book, String>
    @Query(sectionBy: \.rank) var ranks: SectionedResults<Book, Int>
    @Query(sort: \.rank, animation: .default, sectionBy: \.title) var animated: SectionedResults<Book, String>
    @Query(Screen.firstTwo, transaction: Transaction(animation: .spring), sectionBy: \.genre)
    var transacted: SectionedResults<Book, String>
    @Query private var chosen: [Book]

    static var firstTwo: FetchDescriptor<Book> {
      var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.rank)])
      descriptor.fetchLimit = 2
      return descriptor
    }

    init(atLeast rank: Int = 0) {
      let filter = #Predicate<Book> { $0.rank >= rank }
      _chosen = Query(filter: filter, sort: \Book.rank)
    }

    var chosenRanks: [Int] { chosen.map(\.rank) }
    var query: Query<[Book]> { _all }
    var titleSections: SectionedResults<Book, String> { _titles.sections }
  }

  @Test("All forms find what they say, in the context around them")
  func forms() throws {
    let context = ModelContext(try Live.container())
    for (rank, genre) in [(1, "A"), (2, nil), (3, "B"), (4, "A")] {
      context.insert(Book("T\(rank % 2)", rank: rank, genre: genre))
    }
    try context.save()
    let screen = withModelContext(context) { Screen(atLeast: 3) }
    #expect(screen.all.count == 4)
    #expect(Set(screen.high.map(\.rank)) == [3, 4])
    #expect(screen.falling.map(\.rank) == [4, 3])
    #expect(screen.byGenre.map(\.genre) == [nil, "A", "A", "B"])
    #expect(screen.byTitle.map(\.rank) == [2, 4, 1, 3])
    #expect(screen.two.map(\.rank) == [1, 2])
    #expect(screen.titles.map { $0.map(\.rank) } == [[2, 4], [1, 3]])
    #expect(screen.genres.sectionTitles == ["", "A", "B"])
    #expect(screen.genres[sectionTitle: "A"]?.map(\.rank) == [4, 1])
    #expect(screen.ranks.sectionTitles == [1, 2, 3, 4])
    #expect(screen.animated.map { $0.map(\.rank) } == [[2, 4], [1, 3]])
    #expect(screen.transacted.map { $0.map(\.rank) } == [[2], [1]])
    #expect(screen.titleSections.sectionTitles == ["T0", "T1"] && screen.query.sections.isEmpty)
    #expect(screen.chosenRanks == [3, 4])
    #expect(screen.query.fetchError == nil)
    #expect(screen.query.modelContext == context)
    context.insert(Book("T9", rank: 9))
    #expect(screen.all.count == 5)
    #expect(screen.chosenRanks == [3, 4, 9])
  }

  @Test("A query takes its context where it is made, where it is read, or as an argument")
  func contexts() throws {
    let (one, two) = (try Live.library(1), try Live.library(2))
    let screen = Screen()
    #expect(screen.all.isEmpty)
    #expect((screen.query.fetchError as? SwiftDataError)?.code == .missingModelContext)
    #expect(withModelContext(one) { withModelContext(two) { screen.all.count } } == 2)
    #expect(screen.all.count == 2)
    screen.query.modelContext = one
    #expect(screen.all.count == 1)
    let given = Query<[Book]>(modelContext: two)
    given.update()
    #expect(given.wrappedValue.count == 2)
  }

  @Test("What the fetch fails with is there to read")
  func errors() throws {
    let context = try Live.library(1)
    let query = Query<[Tag]>(modelContext: context)
    #expect(query.wrappedValue.isEmpty)
    #expect((query.fetchError as? SwiftDataError)?.code == .unknownSchema)
  }
}
