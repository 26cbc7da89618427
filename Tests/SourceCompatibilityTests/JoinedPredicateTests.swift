import SwiftData
import Testing

@Model private final class Trip {
  var name: String
  var tags: [String]
  var days: Int
  @Relationship(inverse: \Stop.trip) var stops: [Stop] = []
  init(name: String, tags: [String] = [], days: Int = 1) {
    (self.name, self.tags, self.days) = (name, tags, days)
  }
}

@Model private final class Stop {
  var place: String
  var trip: Trip?
  init(place: String) { self.place = place }
}

@Suite("Joined predicates")
struct JoinedPredicateTests {
  private let context: ModelContext

  init() throws {
    let types: [any PersistentModel.Type] = [Trip.self, Stop.self]
    context = ModelContext(
      try ModelContainer(for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    context.insert(Trip(name: "north", tags: ["snow", "sea"], days: 3))
    context.insert(Trip(name: "south", tags: ["sea"], days: 9))
    try context.save()
    // Not saved, so that a fetch also evaluates the predicates in memory.
    let east = Trip(name: "east", tags: ["snow"])
    context.insert(east)
    east.stops.append(Stop(place: "lake"))
  }

  private func names(_ predicate: Predicate<Trip>) throws -> [String] {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])).map(\.name)
  }

  @Test("select the models for which all or any of them hold, as many as a program finds at run time")
  func allAndAny() throws {
    let tagged = ["snow", "sea"].map { tag in #Predicate<Trip> { $0.tags.contains(tag) } }
    #expect(try names(Predicate(all: tagged)) == ["north"])
    #expect(try names(Predicate(any: tagged)) == ["east", "north", "south"])
    let long = Predicate(all: [Predicate(any: tagged), #Predicate { $0.days > 2 }])
    #expect(try names(long) == ["north", "south"])
    #expect(try names(#Predicate { long.evaluate($0) && $0.name != "north" }) == ["south"])
  }

  @Test("of none hold always for all and never for any")
  func none() throws {
    #expect(try names(Predicate(all: [])) == ["east", "north", "south"])
    #expect(try names(Predicate(any: [])).isEmpty)
  }

  @Test("may be more than SQLite nests")
  func many() throws {
    let numbers = (0..<1_200).map { days in #Predicate<Trip> { $0.days == days } }
    #expect(try names(Predicate(any: numbers)) == ["east", "north", "south"])
  }

  @Test("apply to the elements of a relationship")
  func elements() throws {
    try context.save()
    let atLake = Predicate<Stop>(any: ["lake", "hill"].map { place in #Predicate { $0.place == place } })
    #expect(try names(#Predicate { $0.stops.contains { atLake.evaluate($0) } }) == ["east"])
  }

  @Test("apply to values and to several of them")
  func values() throws {
    let odd = Predicate(all: [#Predicate<Int> { $0 > 2 }, #Predicate<Int> { $0 % 2 == 1 }])
    #expect(try (0..<8).filter { try odd.evaluate($0) } == [3, 5, 7])
    let either = Predicate(any: [
      #Predicate<Int, String> { $0 == 1 && $1 == "a" }, #Predicate<Int, String> { $1 == "b" },
    ])
    #expect(try either.evaluate(1, "a"))
    #expect(try either.evaluate(2, "b"))
    #expect(try !either.evaluate(2, "a"))
  }

  @Test("can be printed, like predicates with a captured expression")
  func description() throws {
    let two = #Expression<Trip, Bool> { $0.days == 2 }
    let joined = Predicate(any: [#Predicate<Trip> { $0.days == 1 }, #Predicate<Trip> { two.evaluate($0) }])
    #expect("\(joined)".hasPrefix("capture"))
    #expect("\(#Predicate<Trip> { two.evaluate($0) })".contains("evaluate"))
  }

  @Test("select transactions of the history")
  func history() throws {
    context.author = "app"
    try context.save()
    let authors = ["app", "widget"].map { author in #Predicate<DefaultHistoryTransaction> { $0.author == author } }
    #expect(try context.fetchHistory(HistoryDescriptor(predicate: Predicate(any: authors))).map(\.author) == ["app"])
    #expect(try context.fetchHistory(HistoryDescriptor(predicate: Predicate(all: authors))).isEmpty)
  }
}
