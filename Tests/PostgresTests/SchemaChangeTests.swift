import Foundation
import SwiftData
import SwiftDataPostgres
import Synchronization
import Testing

private enum First {
  @Model final class Trip {
    var name: String
    var days: Int
    var price: Double = 1
    init(_ name: String, _ days: Int) {
      self.name = name
      self.days = days
    }
  }
}

private enum Second {
  @Model final class Trip {
    @Attribute(originalName: "name") var title: String
    var days: Int
    var rating: Int = 3
    var remark: String?
    @Relationship(inverse: \Stop.trip) var stops: [Stop] = []
    init(_ title: String, _ days: Int) {
      self.title = title
      self.days = days
    }
  }
  @Model final class Stop {
    var name: String
    var trip: Trip?
    init(_ name: String) { self.name = name }
  }
}

private enum Wrong {
  @Model final class Trip {
    var name: String
    var days: String
    init(_ name: String, _ days: String) {
      self.name = name
      self.days = days
    }
  }
}

private enum Single {
  @Model final class Trip {
    var name: String
    var days: Int
    var price: Float = 1
    init(_ name: String, _ days: Int) { (self.name, self.days) = (name, days) }
  }
}

private enum Raised {
  @Model class Journey {
    var year: Int = 2000
    init(year: Int) { self.year = year }
  }
  @Model final class Trip: Journey {
    var name: String
    var days: Int
    init(_ name: String, _ days: Int) {
      self.name = name
      self.days = days
      super.init(year: 2000)
    }
  }
}

private enum Extended {
  @Model class Trip {
    var name: String
    var days: Int
    var price: Double = 1
    init(_ name: String, _ days: Int) {
      self.name = name
      self.days = days
    }
  }
  @Model final class BusinessTrip: Trip {
    var allowance: Double
    init(_ name: String, allowance: Double) {
      self.allowance = allowance
      super.init(name, 1)
    }
  }
}

/// Each evaluation of a default has another value, and each third one has none.
private enum Turns {
  private static let last = Mutex(0)
  static func next() -> Int? {
    last.withLock {
      $0 += 1
      return $0 % 3 == 0 ? nil : $0
    }
  }
}

private enum Filled {
  @Model final class Trip {
    var name: String
    var days: Int
    var code: UUID = UUID()
    var turn: Int? = Turns.next()
    init(_ name: String, _ days: Int) {
      self.name = name
      self.days = days
    }
  }
}

@Suite("Tables of PostgreSQL", .enabled(if: PostgresServer.isThere, PostgresServer.reason)) struct PostgresSchemaTests {
  private let store = TestStore()

  @Test("are made by one of many programs that start at a time")
  func atOnce() throws {
    let store = store
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      do {
        let context = ModelContext(try store.open(First.Trip.self))
        context.insert(First.Trip("t", 1))
        try context.save()
      } catch {
        Issue.record(error)
      }
    }
    #expect(try ModelContext(try store.open(First.Trip.self)).fetchCount(FetchDescriptor<First.Trip>()) == 4)
  }

  @Test("get the columns, names and relationships of newer models, and older programs go on")
  func grown() throws {
    let old = ModelContext(try store.open(First.Trip.self))
    old.insert(First.Trip("e\u{301}", 2))
    try old.save()
    let new = ModelContext(try store.open(Second.Trip.self, version: Schema.Version(1, 1, 0)))
    let trip = try #require(try new.fetch(FetchDescriptor<Second.Trip>()).first)
    #expect(trip.title.unicodeScalars.elementsEqual("e\u{301}".unicodeScalars))
    #expect(trip.rating == 3)
    trip.stops.append(Second.Stop("s"))
    new.insert(Second.Trip("without a price", 1))
    try new.save()
    let again = try ModelContext(try store.open(Second.Trip.self, version: Schema.Version(1, 1, 0)))
      .fetch(FetchDescriptor<Second.Trip>(sortBy: [SortDescriptor(\.title)]))
    #expect(again.map { $0.stops.count } == [0, 1])
    // The column that the newer models lack is still there, and their rows have its default for older programs.
    #expect(try store.sql("SELECT price FROM \"Trip\" WHERE price = 1").count == 2)
    #expect(throws: SwiftDataError.newerSchema) { _ = try store.open(First.Trip.self) }
  }

  @Test("of a later version open for a program that names the same models and no version")
  func unversioned() throws {
    _ = try store.open(First.Trip.self, version: Schema.Version(2, 0, 0))
    let container = try ModelContainer(for: First.Trip.self, configurations: store.configuration)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<First.Trip>()) == 0)
    #expect(throws: SwiftDataError.newerSchema) { _ = try store.open(First.Trip.self) }
    #expect(throws: SwiftDataError.newerSchema) {
      _ = try ModelContainer(for: Second.Trip.self, configurations: store.configuration)
    }
  }

  @Test("are left alone where a property changed its type")
  func refused() throws {
    let old = ModelContext(try store.open(First.Trip.self))
    old.insert(First.Trip("t", 2))
    try old.save()
    let error = #expect(throws: SwiftDataError.self) { _ = try store.open(Wrong.Trip.self) }
    #expect(error?.code == SwiftDataError.loadIssueModelContainer.code)
    #expect(error?.property == "days")
    #expect(try ModelContext(try store.open(First.Trip.self)).fetch(FetchDescriptor<First.Trip>()).first?.days == 2)
  }

  @Test("are left alone where a Double that becomes a Float is not exactly one, which a predicate would not find")
  func single() throws {
    let old = ModelContext(try store.open(First.Trip.self))
    let trip = First.Trip("t", 2)
    trip.price = 0.1
    old.insert(trip)
    try old.save()
    let error = #expect(throws: SwiftDataError.unreadableValue) { _ = try store.open(Single.Trip.self) }
    #expect(error?.property == "price")
    trip.price = 0.5
    try old.save()
    let price: Float = 0.5
    let found = FetchDescriptor<Single.Trip>(predicate: #Predicate { $0.price == price })
    #expect(try ModelContext(store.open(Single.Trip.self)).fetchCount(found) == 1)
  }

  @Test("are left alone where a class with rows gains a superclass, whose table would not have them")
  func raised() throws {
    let old = ModelContext(try store.open(First.Trip.self))
    old.insert(First.Trip("t", 2))
    try old.save()
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) { _ = try store.open(Raised.Trip.self) }
    #expect(error?.entity == "Trip")
    #expect(try ModelContext(try store.open(First.Trip.self)).fetchCount(FetchDescriptor<First.Trip>()) == 1)
    old.delete(try #require(try old.fetch(FetchDescriptor<First.Trip>()).first))
    try old.save()
    #expect(try ModelContext(try store.open(Raised.Trip.self)).fetchCount(FetchDescriptor<Raised.Journey>()) == 0)
  }

  @Test("gain a subclass with a required property, which rows of the superclass do not have")
  func extended() throws {
    let old = ModelContext(try store.open(First.Trip.self))
    old.insert(First.Trip("t", 2))
    try old.save()
    let new = ModelContext(try store.open(Extended.BusinessTrip.self))
    new.insert(Extended.BusinessTrip("b", allowance: 3))
    try new.save()
    #expect(try new.fetchCount(FetchDescriptor<Extended.Trip>()) == 2)
    #expect(try new.fetch(FetchDescriptor<Extended.BusinessTrip>()).map(\.allowance) == [3])
  }

  @Test("get a default that differs for each row with one statement for each batch of rows, also where it is nil")
  func filled() throws {
    let old = ModelContext(try store.open(First.Trip.self))
    for number in 0..<2_500 { old.insert(First.Trip("t", number)) }
    try old.save()
    let (new, statements) = try SQLTrace.record { try store.open(Filled.Trip.self) }
    #expect(statements.filter { $0.contains("SET \"code\"") }.count == 3)
    #expect(statements.filter { $0.contains("SET \"turn\"") }.count == 3)
    let trips = try ModelContext(new).fetch(FetchDescriptor<Filled.Trip>())
    #expect(Set(trips.map(\.code)).count == 2_500)
    let turns = trips.compactMap(\.turn)
    #expect(turns.count > 1_000 && turns.count < 2_500)
    #expect(Set(turns).count == turns.count)
  }

  @Test("keep an administrator's column of words and its trigger where a property is renamed")
  func administrated() throws {
    let old = ModelContext(try store.open(First.Trip.self))
    old.insert(First.Trip("t", 2))
    try old.save()
    try store.sql("ALTER TABLE \"Trip\" ADD COLUMN notes tsvector")
    try store.sql("UPDATE \"Trip\" SET notes = 'kept'::tsvector")
    try store.sql(
      "CREATE FUNCTION forget_notes() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN NEW.notes := NULL; RETURN NEW; END$$")
    try store.sql(
      "CREATE TRIGGER forget_notes BEFORE UPDATE OF price ON \"Trip\" FOR EACH ROW EXECUTE FUNCTION forget_notes()")
    _ = try store.open(Second.Trip.self)
    #expect(try store.sql("SELECT 1 FROM \"Trip\" WHERE title = 't' AND notes = 'kept'::tsvector").count == 1)
    let triggers = try store.sql(
      "SELECT 1 FROM pg_catalog.pg_trigger WHERE tgname = 'forget_notes' AND tgrelid = '\"Trip\"'::regclass")
    #expect(triggers.count == 1)
  }

  @Test("of a server that is not there are an error that says so")
  func unreachable() {
    let configuration = PostgresConfiguration(url: "postgres://nobody@127.0.0.1:1/none")
    let error = #expect(throws: SwiftDataError.self) {
      _ = try ModelContainer(for: First.Trip.self, configurations: configuration)
    }
    #expect(error?.code == SwiftDataError.io.code)
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      _ = try ModelContainer(for: First.Trip.self, configurations: PostgresConfiguration(url: "mysql://host"))
    }
  }
}
