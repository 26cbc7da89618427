import Foundation
import SwiftData
import SwiftDataQuery
import Testing

@Model private final class Trip {
  var name: String
  var start: Int
  var end: Int?
  init(name: String, start: Int) {
    self.name = name
    self.start = start
  }
}

private struct Screen {
  @Query(sort: \Trip.start, animation: .default) var byStart: [Trip]
  @Query(filter: #Predicate<Trip> { $0.start > 1 }, sort: \.name, order: .reverse, animation: .easeInOut(duration: 0.2))
  var late: [Trip]
  @Query(sort: [SortDescriptor(\Trip.name)], animation: .spring.delay(1)) var byName: [Trip]
  @Query(sort: \Trip.end, animation: .bouncy) var byEnd: [Trip]
  @Query(FetchDescriptor<Trip>(), animation: .linear) var all: [Trip]
  @Query(animation: .snappy) var plain: [Trip]
  @Query(sort: \Trip.start, transaction: Transaction(animation: .default)) var inTransaction: [Trip]
  @Query(sort: [SortDescriptor(\Trip.name)], transaction: Transaction()) var sortedInTransaction: [Trip]
  @Query(FetchDescriptor<Trip>(), transaction: Transaction()) var allInTransaction: [Trip]
  @Query private var chosen: [Trip]

  init(_ transaction: Transaction? = nil) { _chosen = Query(sort: \.start, transaction: transaction) }

  var chosenStarts: [Int] { chosen.map(\.start) }
}

@Suite("@Query with an animation")
struct QueryAnimationTests {
  @Test("compiles in every form, and finds what it does without")
  func finds() throws {
    let context = ModelContext(
      try ModelContainer(for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for (name, start) in [("b", 1), ("a", 3), ("c", 2)] { context.insert(Trip(name: name, start: start)) }
    try context.save()
    let screen = withModelContext(context) { Screen() }
    #expect(screen.byStart.map(\.start) == [1, 2, 3])
    #expect(screen.late.map(\.name) == ["c", "a"])
    #expect(screen.byName.map(\.name) == ["a", "b", "c"])
    #expect(screen.byEnd.count == 3)
    #expect(screen.all.count == 3)
    #expect(screen.plain.count == 3)
    #expect(screen.inTransaction.map(\.start) == [1, 2, 3])
    #expect(screen.chosenStarts == [1, 2, 3])
    #expect(screen.sortedInTransaction.map(\.name) == ["a", "b", "c"] && screen.allInTransaction.count == 3)
  }
}
