import Foundation
import SwiftData
import Synchronization
import Testing

private enum Partners {
  @Model final class Person {
    @Attribute(.unique) var name: String
    var rank = 0
    @Relationship(inverse: \Badge.person) var badge: Badge?
    init(_ name: String, _ badge: Badge? = nil) {
      self.name = name
      self.badge = badge
    }
  }

  @Model final class Badge {
    var number: Int
    var person: Person?
    init(_ number: Int) { self.number = number }
  }

  @Model final class Seat {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Ticket.seat) var ticket: Ticket?
    init(_ name: String) { self.name = name }
  }

  @Model final class Ticket {
    var number: Int
    var seat: Seat
    init(_ number: Int, _ seat: Seat) { (self.number, self.seat) = (number, seat) }
  }
}

@Suite("An upsert that brings another partner") struct UpsertPartnerTests {
  private let container: ModelContainer
  private let first: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Partners.Person.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    first = ModelContext(container)
    first.insert(Partners.Person("ann", Partners.Badge(1)))
    first.insert(Partners.Person("bob", Partners.Badge(2)))
    try first.save()
  }

  private func pairs(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Partners.Badge>(sortBy: [SortDescriptor(\.number)])).map { badge in
      "\(badge.number) \(badge.person?.name ?? "-") \(badge.person?.badge.map { "\($0.number)" } ?? "-")"
    }
  }

  @Test("frees the former partner in the store, in other contexts, and in the history", arguments: [false, true])
  func former(isLoaded: Bool) throws {
    let context = ModelContext(container)
    if isLoaded { #expect(try pairs(context) == ["1 ann 1", "2 bob 2"]) }
    let token = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.token
    context.insert(Partners.Person("ann", Partners.Badge(3)))
    try context.save()
    let expected = ["1 - -", "2 bob 2", "3 ann 3"]
    #expect(try pairs(ModelContext(container)) == expected)
    #expect(try pairs(context) == expected)
    first.state.takeInSaves()
    #expect(try pairs(first) == expected)
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let newest = try #require(transactions.last)
    #expect(newest.token != token)
    let names = newest.changes.map(\.changedPersistentIdentifier.entityName).sorted()
    #expect(names == ["Badge", "Badge", "Person"])
  }

  @Test("keeps the partner that it brings again")
  func same() throws {
    let context = ModelContext(container)
    let badge = try context.fetch(FetchDescriptor<Partners.Badge>(predicate: #Predicate { $0.number == 1 }))[0]
    context.insert(Partners.Person("ann", badge))
    try context.save()
    // Relating the badge to the new object clears the stored object's side, which is not what the row becomes.
    #expect(try pairs(ModelContext(container)) == ["1 ann 1", "2 bob 2"])
    #expect(try pairs(context) == ["1 ann 1", "2 bob 2"])
    first.state.takeInSaves()
    #expect(try pairs(first) == ["1 ann 1", "2 bob 2"])
  }

  @Test("may take the partner of another row")
  func taken() throws {
    let context = ModelContext(container)
    let badge = try context.fetch(FetchDescriptor<Partners.Badge>(predicate: #Predicate { $0.number == 2 }))[0]
    context.insert(Partners.Person("ann", badge))
    try context.save()
    #expect(try pairs(ModelContext(container)) == ["1 - -", "2 ann 2"])
    let people = FetchDescriptor<Partners.Person>(predicate: #Predicate { $0.badge == nil })
    #expect(try ModelContext(container).fetch(people).map(\.name) == ["bob"])
  }

  @Test("wins over what the stored object changed in the same save, but for what it leaves alone")
  func besideChange() throws {
    let context = ModelContext(container)
    let ann = try context.fetch(FetchDescriptor<Partners.Person>(predicate: #Predicate { $0.name == "ann" }))[0]
    (ann.rank, ann.badge) = (1, nil)
    let new = Partners.Person("ann")
    new.rank = 2
    context.insert(new)
    let saved = Mutex<[PersistentIdentifier]>([])
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      let key = ModelContext.NotificationKey.updatedIdentifiers.rawValue
      let identifiers = $0.userInfo?[key] as? [PersistentIdentifier] ?? []
      saved.withLock { $0 = identifiers }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.save()
    #expect(ann.rank == 2)
    #expect(new.persistentModelID == ann.persistentModelID)
    #expect(try pairs(context) == ["1 - -", "2 bob 2"])
    #expect(try pairs(ModelContext(container)) == ["1 - -", "2 bob 2"])
    #expect(try ModelContext(container).fetch(FetchDescriptor<Partners.Person>()).map(\.rank).sorted() == [0, 2])
    #expect(saved.withLock { $0 }.count { $0 == ann.persistentModelID } == 1)
    // One row is one change, with everything that it got.
    let changes = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.changes ?? []
    let updates = changes.filter { $0.changedPersistentIdentifier == ann.persistentModelID }.compactMap { change in
      if case .update(let update as DefaultHistoryUpdate<Partners.Person>) = change { update } else { nil }
    }
    #expect(updates.map { Set($0.updatedPropertyNames) } == [["name", "rank", "badge"]])
  }

  @Test("keeps the last of several new objects, whatever the stored object changed")
  func several() throws {
    let context = ModelContext(container)
    let ann = try context.fetch(FetchDescriptor<Partners.Person>(predicate: #Predicate { $0.name == "ann" }))[0]
    ann.rank = 9
    for rank in 1...3 {
      let new = Partners.Person("ann")
      new.rank = rank
      context.insert(new)
    }
    try context.save()
    #expect(ann.rank == 3)
    #expect(try pairs(ModelContext(container)) == ["1 ann 1", "2 bob 2"])
    #expect(try ModelContext(container).fetch(FetchDescriptor<Partners.Person>()).map(\.rank).sorted() == [0, 3])
  }

  @Test("is refused if the former partner requires the row, unless the save deletes it", arguments: [false, true])
  func required(isFormerDeleted: Bool) throws {
    let store = try TemporaryStore()
    let container = try store.container(Partners.Seat.self)
    let writer = ModelContext(container)
    let seat = Partners.Seat("1a")
    writer.insert(seat)
    writer.insert(Partners.Ticket(1, seat))
    try writer.save()
    let dump = try store.shell(".dump")
    let context = ModelContext(container)
    if isFormerDeleted { try context.delete(model: Partners.Ticket.self) }
    let new = Partners.Seat("1a")
    context.insert(new)
    context.insert(Partners.Ticket(2, new))
    if isFormerDeleted {
      try context.save()
    } else {
      let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
      #expect(error?.entity == "Ticket" && error?.property == "seat")
      #expect(try store.shell(".dump") == dump)
    }
    let tickets = try ModelContext(container).fetch(FetchDescriptor<Partners.Ticket>())
    #expect(tickets.map(\.number) == [isFormerDeleted ? 2 : 1])
    #expect(tickets.allSatisfy { $0.seat.ticket === $0 })
  }
}
