import Foundation
import PostgresServers
import SwiftData
import SwiftDataPostgresShards
import Testing

@testable import SwiftDataPostgres

@Suite(
  "Partitions of a class", .enabled(if: PostgresServer.isThere, PostgresServer.reason), .timeLimit(.minutes(20)))
struct PartitionTests {
  private static let types: [any PersistentModel.Type] = [
    Room.self, Letter.self, Enclosure.self, Tag.self, Marker.self,
  ]
  private static func divided(_ store: TestStore, shards: [String] = []) -> PostgresConfiguration {
    var configuration = store.configuration
    configuration.partitions = [.hashed(by: \Letter.room, count: 8, shards: shards)]
    return configuration
  }

  private static func open(_ configuration: PostgresConfiguration) throws -> ModelContainer {
    try ModelContainer(for: Schema(types), configurations: configuration)
  }

  /// Rooms with letters, enclosures and tags.
  private static func fill(_ container: ModelContainer, rooms: Int = 10) throws {
    let context = ModelContext(container)
    let tag = Tag("important")
    context.insert(tag)
    for number in 0..<rooms {
      context.insert(Room(number))
      for place in 0..<10 {
        let letter = Letter(room: number, number: place, text: "letter \(place) to room \(number)")
        context.insert(letter)
        context.insert(Enclosure("\(number).\(place)", letter))
        if place == 0 { letter.tags = [tag] }
      }
    }
    try context.save()
  }

  @Test("keep what an ordinary table keeps: fetches, changes, relationships, unique values, batches")
  func ordinary() throws {
    let store = TestStore()
    let container = try Self.open(Self.divided(store))
    try Self.use(container)
    // All partitions have rows, and none has those of another.
    let counts = try (0..<8).map { try store.sql("SELECT count(*) FROM \"Letter@\($0)\"").integer(0, 0) }
    #expect(counts.reduce(0, +) == 89)
    #expect(counts.count { $0 > 0 } > 2)
    // A moved row is still itself.
    let context = ModelContext(container)
    let letters = try context.fetch(FetchDescriptor<Letter>(sortBy: [SortDescriptor(\.text)]))
    let enclosures = try context.fetchCount(FetchDescriptor<Enclosure>())
    for letter in letters { letter.room += 1_000 }
    try context.save()
    let moved = ModelContext(container)
    #expect(try moved.fetchCount(FetchDescriptor<Letter>(predicate: #Predicate { $0.room >= 1_000 })) == 89)
    let found = try #require(moved.registered(letters[3]))
    #expect(found.enclosures.map(\.letter) == [found])
    #expect(try moved.fetchCount(FetchDescriptor<Enclosure>(predicate: #Predicate { $0.letter != nil })) == enclosures)
  }

  /// What a program does with its objects, whatever keeps the rows.
  private static func use(_ container: ModelContainer) throws {
    try fill(container)
    let context = ModelContext(container)
    let ofThree = FetchDescriptor<Letter>(
      predicate: #Predicate { $0.room == 3 }, sortBy: [SortDescriptor(\.number, order: .reverse)])
    let letters = try context.fetch(ofThree)
    #expect(letters.map(\.number) == Array((0..<10).reversed()))
    #expect(letters.last?.tags.map(\.name) == ["important"])
    #expect(letters.allSatisfy { $0.enclosures.count == 1 })
    #expect(try context.fetchCount(FetchDescriptor<Letter>()) == 100)
    #expect(
      try context.fetch(
        FetchDescriptor<Enclosure>(
          predicate: #Predicate { $0.letter?.room == 4 }, sortBy: [SortDescriptor(\.name)])
      ).count == 10)
    // Changes and deletions, also of a whole list.
    letters[0].text = "changed"
    letters[1].text = "changed too"
    context.delete(letters[2])
    try context.save()
    let again = ModelContext(container)
    #expect(try again.fetch(ofThree).map(\.text).prefix(2) == ["changed", "changed too"])
    #expect(try again.fetchCount(FetchDescriptor<Enclosure>()) == 99)
    // An upsert by a unique constraint with the dividing property.
    let merged = Letter(room: 5, number: 5, text: "merged")
    again.insert(merged)
    try again.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Letter>()) == 99)
    #expect(
      try ModelContext(container).fetch(
        FetchDescriptor<Letter>(predicate: #Predicate { $0.room == 5 && $0.number == 5 })
      ).map(\.text) == ["merged"])
    // Many new rows at once, some of which exist.
    let many = ModelContext(container)
    for number in 0..<3_000 { many.insert(Letter(room: 20 + number % 7, number: number, text: "many")) }
    many.insert(Letter(room: 5, number: 5, text: "merged again"))
    try many.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Letter>()) == 3_099)
    try many.delete(model: Letter.self, where: #Predicate { $0.room >= 20 })
    try many.delete(model: Letter.self, where: #Predicate { $0.room == 9 })
    try many.save()
    let rest = ModelContext(container)
    #expect(try rest.fetchCount(FetchDescriptor<Letter>()) == 89)
    #expect(try rest.fetch(FetchDescriptor<Enclosure>()).allSatisfy { $0.letter != nil })
  }

  @Test("are chosen by the predicate, and explain says how many a fetch reads")
  func explain() throws {
    let container = try Self.open(Self.divided(TestStore()))
    try Self.fill(container)
    let context = ModelContext(container)
    func reads(_ predicate: Predicate<Letter>?) throws -> String? {
      try context.explain(FetchDescriptor<Letter>(predicate: predicate)).plan.map(\.detail)
        .first { $0.hasPrefix("Partitions of Letter: ") }
    }
    let room = 3
    #expect(try reads(#Predicate { $0.room == room }) == "Partitions of Letter: 1 of 8")
    #expect(
      try reads(#Predicate { $0.room == room && $0.text.contains("a") }) == "Partitions of Letter: 1 of 8")
    #expect(try reads(#Predicate { $0.number == 3 }) == "Partitions of Letter: 8 of 8")
    let rooms = [1, 2]
    let some = try reads(#Predicate { rooms.contains($0.room) })
    #expect(some == "Partitions of Letter: 2 of 8", "\(some ?? "none")")
    #expect(try reads(nil) == "Partitions of Letter: 8 of 8")
  }

  @Test("are chosen by a relationship too")
  func relationship() throws {
    let store = TestStore()
    var configuration = store.configuration
    configuration.partitions = [.hashed(by: \Enclosure.letter, count: 4)]
    let container = try Self.open(configuration)
    try Self.fill(container)
    let context = ModelContext(container)
    let letter = try #require(try context.fetch(FetchDescriptor<Letter>()).first)
    #expect(letter.enclosures.count == 1)
    let identifier = letter.persistentModelID
    let descriptor = FetchDescriptor<Enclosure>(predicate: #Predicate { $0.letter?.persistentModelID == identifier })
    #expect(try context.fetchCount(descriptor) == 1)
    #expect(try context.explain(descriptor).plan.map(\.detail).contains("Partitions of Enclosure: 1 of 4"))
    // The deletion of the letter moves nothing: its cascade deletes the rows.
    context.delete(letter)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Enclosure>()) == 99)
  }

  @Test("keep references valid when two programs change both ends at once")
  func references() throws {
    let store = TestStore()
    let container = try Self.open(Self.divided(store))
    let context = ModelContext(container)
    let letter = Letter(room: 1, number: 1, text: "a")
    context.insert(letter)
    try context.save()
    // Another program deletes the letter after this one has seen it. It writes no history, because a context that hears of the
    // deletion before it saves lets go of the letter, and has nothing to report.
    try store.sql("DELETE FROM \"Letter\"")
    context.insert(Enclosure("late", letter))
    #expect { try context.save() } throws: { ($0 as? SwiftDataError)?.code == SwiftDataError.staleObject.code }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Enclosure>()) == 0)
    // SQL that knows no delete rules.
    try Self.fill(container)
    try store.sql("DELETE FROM \"Letter\" WHERE room = 2")
    let after = ModelContext(container)
    #expect(try after.fetchCount(FetchDescriptor<Enclosure>(predicate: #Predicate { $0.letter == nil })) == 10)
    #expect(try #require(try after.fetch(FetchDescriptor<Tag>()).first).letters.count == 9)
  }

  @Test("are followed by a program whose configuration does not have them, and migrated like a table")
  func migration() throws {
    let store = TestStore()
    try Self.fill(try Self.open(Self.divided(store)))
    var configuration = store.configuration
    let plain = ModelContext(try Self.open(configuration))
    plain.insert(Letter(room: 77, number: 1, text: "plain"))
    try plain.save()
    configuration.partitions = [.hashed(by: \Later.Letter.box, count: 8)]
    let container = try ModelContainer(for: Later.Letter.self, configurations: configuration)
    let context = ModelContext(container)
    #expect(
      try context.fetch(FetchDescriptor<Later.Letter>(predicate: #Predicate { $0.box == 77 })).map(\.weight) == [20])
    #expect(try context.fetchCount(FetchDescriptor<Later.Letter>()) == 101)
    context.insert(Later.Letter())
    try context.save()
    try container.erase()
    #expect(try store.sql("SELECT 1 FROM pg_namespace WHERE nspname = '\(store.namespace)'").count == 0)
  }

  @Test("are refused with a reason where they cannot be")
  func refusals() throws {
    func message(_ configuration: PostgresConfiguration) -> String {
      let error = #expect(throws: SwiftDataError.self) { try Self.open(configuration) }
      return error?.message ?? ""
    }
    let store = TestStore()
    var configuration = store.configuration
    configuration.partitions = [.hashed(by: \Letter.text, count: 4)]
    #expect(message(configuration).contains("must contain \"text\""))
    configuration.partitions = [.hashed(by: \Letter.room, count: 0)]
    #expect(message(configuration).contains("1 to 1024 partitions"))
    configuration.partitions = [.hashed(by: \Letter.enclosures, count: 4)]
    #expect(message(configuration).contains("has no column"))
    configuration.partitions = [.hashed(by: \Letter.room, count: 4, shards: ["not a URL"])]
    #expect(message(configuration).contains("cannot be read"))
    configuration.partitions = []
    try Self.fill(try Self.open(configuration))
    #expect(message(Self.divided(store)).contains("are not divided"))
    let other = TestStore()
    _ = try Self.open(Self.divided(other))
    configuration = other.configuration
    configuration.partitions = [.hashed(by: \Letter.room, count: 16)]
    #expect(message(configuration).contains("divided by \"room\" into 8"))
  }

  @Test("on other servers keep the same, and a fetch by the property asks one server")
  func shards() throws {
    let servers = try (0..<2).map { _ in try PrivateServer() }
    var running = servers[...]
    defer { for server in running { server.stop() } }
    let store = TestStore()
    let configuration = Self.divided(store, shards: servers.map(\.url))
    let container = try Self.open(configuration)
    try Self.use(container)
    #expect(try store.sql("SELECT 1 FROM ONLY \"Letter\"").count == 0)
    // The save clears what no foreign key between servers clears.
    let pairs = try store.sql(
      "SELECT table_name FROM information_schema.columns WHERE table_schema = $1::text AND column_name = 'source_position'",
      [.text(store.namespace)])
    #expect(pairs.count == 1)
    let dangling = "NOT EXISTS (SELECT 1 FROM \"Letter\" AS l WHERE l._pk"
    let name = (pairs.text(0, 0) ?? "").quotedIdentifier
    #expect(
      try store.sql("SELECT 1 FROM \(name) AS p WHERE \(dangling) IN (p.source, p.target))").count == 0)
    #expect(try store.sql("SELECT 1 FROM \(name)").count == 9)
    let counts = try servers.map { server in
      try PostgresConnection(url: server.url, namespace: store.namespace).run("SELECT count(*) FROM \"Letter\"")
        .integer(0, 0)
    }
    #expect(counts.reduce(0, +) == 89 && counts.allSatisfy { $0 > 0 })
    let context = ModelContext(container)
    let room = 3
    let plan = try context.explain(FetchDescriptor<Letter>(predicate: #Predicate { $0.room == room })).plan
    #expect(plan.map(\.detail).contains("Partitions of Letter: 1 of 8"))
    // A row stays on its server.
    let letter = try #require(try context.fetch(FetchDescriptor<Letter>()).first)
    letter.room += 1
    letter.room = 12_345
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.message?.contains("delete it and insert a new one") == true)
    // Nothing checks references between servers. One to a deleted object reads as nil.
    let (mine, others) = (ModelContext(container), ModelContext(container))
    let target = try #require(try mine.fetch(FetchDescriptor<Letter>(predicate: #Predicate { $0.room == 6 })).first)
    others.delete(try #require(others.registered(target)))
    try others.save()
    mine.insert(Enclosure("late", target))
    try mine.save()
    let late = try ModelContext(container).fetch(
      FetchDescriptor<Enclosure>(predicate: #Predicate { $0.name == "late" }))
    #expect(late.count == 1 && late.first?.letter == nil)
    // What refers to an object when it is deleted is cleared.
    let marker = ModelContext(container)
    let marked = try #require(try marker.fetch(FetchDescriptor<Letter>(predicate: #Predicate { $0.room == 7 })).first)
    marker.insert(Marker(marked))
    try marker.save()
    try marker.delete(model: Letter.self, where: #Predicate { $0.room == 7 })
    try marker.save()
    #expect(try store.sql("SELECT 1 FROM \"Marker\" WHERE letter IS NULL").count == 1)
    // A unique value is refused there too, and the error says which.
    let first = ModelContext(container)
    first.insert(Letter(room: 1, number: 500, text: ""))
    let taken = try #require(try first.fetch(FetchDescriptor<Letter>(predicate: #Predicate { $0.room == 1 })).first)
    taken.number = 500
    let refused = #expect(throws: SwiftDataError.self) { try first.save() }
    #expect(refused?.code == SwiftDataError.uniquenessViolation.code)
    // Other saves of the container go on after both.
    let later = ModelContext(container)
    later.insert(Letter(room: 1, number: 501, text: "later"))
    try later.save()
    // A program that does not name the shards uses the rows, and cannot change the tables.
    let unnamed = try Self.open(store.configuration)
    #expect(try ModelContext(unnamed).fetchCount(FetchDescriptor<Letter>()) > 0)
    let missing = #expect(throws: SwiftDataError.self) { try unnamed.erase() }
    #expect(missing?.message?.contains("import SwiftDataPostgresShards") == true)
    try container.erase()
    for server in servers {
      let tables = try PostgresConnection(url: server.url, namespace: store.namespace)
        .run("SELECT 1 FROM pg_tables WHERE schemaname = '\(store.namespace)'")
      #expect(tables.count == 0)
    }
    // Without one of its servers, a store reads and writes the rows of the other.
    let half = try Self.open(configuration)
    try Self.fill(half)
    running.removeLast().stop()
    var outcomes = [Int: String]()
    for room in 0..<10 {
      let context = ModelContext(half)
      do {
        let found = try context.fetch(FetchDescriptor<Letter>(predicate: #Predicate { $0.room == room }))
        #expect(found.count == 10)
        context.insert(Letter(room: room, number: 100, text: "new"))
        try context.save()
        outcomes[room] = ""
      } catch {
        outcomes[room] = "\(error)"
      }
    }
    #expect(Set(outcomes.values.map(\.isEmpty)) == [true, false])
    #expect(outcomes.values.allSatisfy { $0.isEmpty || $0.contains("could not connect to server") })
  }
}

extension ModelContext {
  /// The object of another context.
  fileprivate func registered<T: PersistentModel>(_ object: T) -> T? { model(for: object.persistentModelID) as? T }
}

@Model private final class Room {
  @Attribute(.unique) var number: Int
  init(_ number: Int) { self.number = number }
}

@Model private final class Letter {
  #Unique<Letter>([\.room, \.number])
  #Index<Letter>([\.room, \.number])
  var room: Int
  var number: Int
  var text: String
  @Relationship(deleteRule: .cascade, inverse: \Enclosure.letter) var enclosures: [Enclosure] = []
  @Relationship(inverse: \Tag.letters) var tags: [Tag] = []
  init(room: Int, number: Int, text: String) { (self.room, self.number, self.text) = (room, number, text) }
}

@Model private final class Enclosure {
  var name: String
  var letter: Letter?
  init(_ name: String, _ letter: Letter) { (self.name, self.letter) = (name, letter) }
}

@Model private final class Tag {
  var name: String
  var letters: [Letter] = []
  init(_ name: String) { self.name = name }
}

/// Nothing leads back.
@Model private final class Marker {
  var letter: Letter?
  init(_ letter: Letter) { self.letter = letter }
}

private enum Later {
  @Model final class Letter {
    #Unique<Letter>([\.box, \.number])
    #Index<Letter>([\.weight])
    @Attribute(originalName: "room") var box = 0
    var number = 0
    var text = ""
    var weight = 20
    init() {}
  }
}
