import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

private enum Upserts {
  @Model final class Person {
    @Attribute(.unique) var name: String
    var rank: Int
    @Relationship(inverse: \Badge.person) var badge: Badge?
    init(_ name: String, _ badge: Badge? = nil, rank: Int = 0) {
      self.name = name
      self.rank = rank
      self.badge = badge
    }
  }

  @Model final class Badge {
    var number: Int
    var person: Person?
    init(_ number: Int) { self.number = number }
  }

  @Model final class Contact {
    @Attribute(.unique) var mail: String
    @Attribute(.unique) var phone: Int
    var name: String
    init(_ mail: String, _ phone: Int, _ name: String) { (self.mail, self.phone, self.name) = (mail, phone, name) }
  }
}
private typealias Contact = Upserts.Contact
private typealias Person = Upserts.Person
private typealias Badge = Upserts.Badge

@Suite("An upsert in PostgreSQL", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct PostgresUpsertTests {
  private let store = TestStore()
  private let container: ModelContainer

  init() throws {
    container = try store.open(Person.self)
    let context = ModelContext(container)
    context.insert(Person("ann", Badge(1)))
    context.insert(Person("bob", Badge(2)))
    try context.save()
  }

  private func pairs(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Badge>(sortBy: [SortDescriptor(\.number)])).map { badge in
      "\(badge.number) \(badge.person?.name ?? "-") \(badge.person?.badge.map { "\($0.number)" } ?? "-")"
    }
  }

  private func badge(_ number: Int, _ context: ModelContext) throws -> Badge {
    try #require(try context.fetch(FetchDescriptor<Badge>(predicate: #Predicate { $0.number == number })).first)
  }

  @Test("frees the former partner of its row, also for another program", arguments: [false, true])
  func former(isLoaded: Bool) throws {
    let context = ModelContext(container)
    let other = ModelContext(try store.open(Person.self))
    if isLoaded { #expect(try pairs(context) == ["1 ann 1", "2 bob 2"]) }
    context.insert(Person("ann", Badge(3)))
    try context.save()
    #expect(try pairs(context) == ["1 - -", "2 bob 2", "3 ann 3"])
    #expect(try pairs(other) == ["1 - -", "2 bob 2", "3 ann 3"])
    let changes = try other.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.changes ?? []
    #expect(changes.map(\.changedPersistentIdentifier.entityName).sorted() == ["Badge", "Badge", "Person"])
  }

  @Test("keeps the partner that it brings again, and may take that of another row")
  func partners() throws {
    let context = ModelContext(container)
    context.insert(Person("ann", try badge(1, context)))
    try context.save()
    #expect(try pairs(ModelContext(container)) == ["1 ann 1", "2 bob 2"])
    let later = ModelContext(container)
    later.insert(Person("ann", try badge(2, later)))
    try later.save()
    #expect(try pairs(later) == ["1 - -", "2 ann 2"])
    #expect(try pairs(ModelContext(container)) == ["1 - -", "2 ann 2"])
    let people = FetchDescriptor<Person>(predicate: #Predicate { $0.badge == nil })
    #expect(try ModelContext(container).fetch(people).map(\.name) == ["bob"])
  }

  @Test("wins over what the stored object changed in the same save, but for what it leaves alone")
  func besideChange() throws {
    let context = ModelContext(container)
    let ann = try #require(try context.fetch(FetchDescriptor<Person>(predicate: #Predicate { $0.name == "ann" })).first)
    (ann.rank, ann.badge) = (1, nil)
    context.insert(Person("ann", rank: 2))
    try context.save()
    #expect(ann.rank == 2)
    #expect(try pairs(ModelContext(container)) == ["1 - -", "2 bob 2"])
    #expect(try ModelContext(container).fetch(FetchDescriptor<Person>()).map(\.rank).sorted() == [0, 2])
    let changes = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.changes ?? []
    #expect(changes.count { $0.changedPersistentIdentifier == ann.persistentModelID } == 1)
  }

  @Test("makes the inserted object and the context's object one")
  func alias() throws {
    let context = ModelContext(container)
    let ann = try #require(try context.fetch(FetchDescriptor<Person>(predicate: #Predicate { $0.name == "ann" })).first)
    let new = Person("ann", rank: 2)
    context.insert(new)
    try context.save()
    new.rank += 1
    #expect(ann.rank == 3)
    #expect(try context.fetch(FetchDescriptor<Person>(predicate: #Predicate { $0.rank == 3 })) == [ann])
    let badge = try badge(2, context)
    badge.person = new
    #expect(badge.person === ann && new.badge === badge && ann.badge === badge)
    try context.save()
    #expect(try pairs(context) == ["1 - -", "2 ann 2"])
    #expect(try pairs(ModelContext(container)) == ["1 - -", "2 ann 2"])
    #expect(try ModelContext(container).fetch(FetchDescriptor<Person>()).map(\.rank).sorted() == [0, 3])
    context.delete(new)
    #expect(ann.isDeleted && badge.person == nil)
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Person>()).map(\.name) == ["bob"])
  }

  @Test("finds a row by a unique value that an earlier object of the save gave it, as in SQLite")
  func severalConstraints() throws {
    let memory = try ModelContainer(for: Contact.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    for container in [memory, try store.open(Person.self, Contact.self)] {
      let context = ModelContext(container)
      context.insert(Contact("a", 1, "stored"))
      try context.save()
      context.insert(Contact("a", 2, "first"))
      context.insert(Contact("b", 2, "second"))
      try context.save()
      let found = try ModelContext(container).fetch(FetchDescriptor<Contact>())
      #expect(found.map { "\($0.mail) \($0.phone) \($0.name)" } == ["b 2 second"])
    }
  }
}
