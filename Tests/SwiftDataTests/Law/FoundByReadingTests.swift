import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

// Faults that a reader of the code found, each with the smallest program that showed it.

private enum Found {
  @Model final class Word {
    var text = ""
    init() {}
  }

  @Model final class Note {
    var text = "x"
    init() {}
  }

  @Model final class Author {
    var name = ""
    @Relationship(inverse: \Book.author) var books: [Book] = []
    init() {}
  }

  @Model final class Book {
    var author: Author?
    init(_ author: Author?) { self.author = author }
  }

  @Model final class Photo {
    @Attribute(.externalStorage, .preserveValueOnDeletion) var image: Data?
    init(_ image: Data) { self.image = image }
  }

  @Model final class Person {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Badge.person) var badge: Badge?
    init(_ name: String, _ badge: Badge) {
      self.name = name
      self.badge = badge
    }
  }

  @Model final class Badge {
    var number: Int
    var person: Person?
    init(_ number: Int) { self.number = number }
  }

  enum Kind: String, Codable { case known }

  @Model final class Box {
    @Relationship(inverse: \Item.box) var items: [Item] = []
    init() {}
  }

  @Model final class Item {
    var kind = Kind.known
    var box: Box?
    init() {}
  }

  @Model class Animal {
    var number = 0
    init() {}
  }

  @Model final class Owner {
    var name = ""
    var pets: [Animal] = []
    init() {}
  }

  @Model final class Dog: Animal {
    var owner: Owner?
    override init() { super.init() }
  }

  @Model final class Chief {
    var name: String
    init(_ name: String) { self.name = name }
  }

  @Model final class Medal: Animal {
    var chief: Chief
    init(_ chief: Chief) {
      self.chief = chief
      super.init()
    }
  }

  @Model final class Link {
    var number: Int
    @Relationship(deleteRule: .cascade) var next: Link?
    init(_ number: Int) { self.number = number }
  }
}

private enum Bounded {
  @Model final class Crew {
    @Relationship(minimumModelCount: 1, maximumModelCount: 2, inverse: \Man.crew) var men: [Man] = []
    init() {}
  }

  @Model final class Man {
    var crew: Crew?
    init(_ crew: Crew?) { self.crew = crew }
  }
}

private enum NoAction {
  @Model final class Club {
    @Relationship(deleteRule: .noAction, inverse: \Member.club) var members: [Member] = []
    init() {}
  }

  @Model final class Member {
    var club: Club?
    init() {}
  }
}

private enum Nullify {
  @Model final class Club {
    @Relationship(inverse: \Member.club) var members: [Member] = []
    init() {}
  }

  @Model final class Member {
    var club: Club?
    init() {}
  }
}

@Suite("Faults that reading found") struct FoundByReadingTests {
  private static func memory(_ types: any PersistentModel.Type...) throws -> ModelContainer {
    try ModelContainer(for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  // MARK: - Identifiers, history

  @Test(
    "An identifier with any key names no row of another file",
    arguments: [.max, .min, -1, 0, 1 - 1 << 56, 1 + 1 << 56] as [Int64])
  func foreignKey(key: Int64) throws {
    let file = try TemporaryStore()
    do {
      let context = ModelContext(try file.container(Found.Word.self))
      context.insert(Found.Word())
      try context.save()
    }
    let container = try ModelContainer(
      for: Found.Word.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true),
      ModelConfiguration("pack", url: file.url, allowsSave: false))
    let context = ModelContext(container)
    context.insert(Found.Word())
    try context.save()
    for store in container.configurations.compactMap({ container.storeIdentifier(forConfigurationNamed: $0.name) }) {
      let json = #"{"entityName":"Word","storeIdentifier":"\#(store)","key":\#(key)}"#
      let identifier = try JSONDecoder().decode(PersistentIdentifier.self, from: Data(json.utf8))
      #expect(context.model(for: identifier).modelContext == nil)
    }
  }

  @Test("A token that includes its transaction is expired when that transaction is deleted")
  func deletedTransaction() throws {
    let context = ModelContext(try Self.memory(Found.Note.self))
    for _ in 0..<2 {
      context.insert(Found.Note())
      try context.save()
    }
    let token = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())[0].token
    func numbers() throws -> [Int64] {
      try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token >= token })
      )
      .map(\.transactionIdentifier)
    }
    #expect(try numbers() == [1, 2])
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.transactionIdentifier == 1 }))
    #expect(throws: SwiftDataError.historyTokenExpired) { try numbers() }
  }

  @Test("The tombstone of external data has the data")
  func tombstone() throws {
    let context = ModelContext(try Self.memory(Found.Photo.self))
    let photo = Found.Photo(Data(repeating: 1, count: 200_000))
    context.insert(photo)
    try context.save()
    context.delete(photo)
    try context.save()
    let last = try #require(context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
    guard case .delete(let change as DefaultHistoryDelete<Found.Photo>) = last.changes[0] else {
      Issue.record("no deletion: \(last.changes)")
      return
    }
    #expect((change.tombstone[\.image] as? Data)?.count == 200_000)
  }

  @Test("A conditional save refuses the token of another store")
  func foreignToken() throws {
    func container() throws -> ModelContext { ModelContext(try Self.memory(Found.Note.self)) }
    let (one, other) = (try container(), try container())
    for context in [one, other] {
      context.insert(Found.Note())
      try context.save()
    }
    let token = try other.currentHistoryToken()
    one.insert(Found.Note())
    #expect(throws: SwiftDataError.unsupportedFeature) { try one.save(ifUnchangedSince: token) }
    #expect(try one.save(ifUnchangedSince: one.currentHistoryToken()))
  }

  // MARK: - Saves

  @Test("A save that one of two stores would refuse at its commit changes neither")
  func refusedCommit() throws {
    let file = try TemporaryStore()
    let library = Schema([Found.Author.self, Found.Book.self])
    let both = try ModelContainer(
      for: Schema([Found.Author.self, Found.Book.self, Found.Note.self]),
      configurations: ModelConfiguration("library", schema: library, url: file.url),
      ModelConfiguration("notes", schema: Schema([Found.Note.self]), isStoredInMemoryOnly: true))
    let context = ModelContext(both)
    let author = Found.Author()
    context.insert(author)
    try context.save()
    let other = ModelContext(
      try ModelContainer(for: library, configurations: ModelConfiguration("library", schema: library, url: file.url)))
    other.delete(try other.fetch(FetchDescriptor<Found.Author>())[0])
    try other.save()
    context.insert(Found.Book(author))
    context.insert(Found.Note())
    for _ in 0..<2 {
      #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(try ModelContext(both).fetchCount(FetchDescriptor<Found.Note>()) == 0)
    }
  }

  @Test("An observer that fetches and saves during a save finds the whole save, and stores nothing twice")
  func observer() throws {
    let container = try Self.memory(Found.Author.self)
    let first = ModelContext(container)
    first.insert(Found.Author())
    try first.save()
    // nonisolated(unsafe) because the observer runs on the thread of the save, while that thread waits for it.
    nonisolated(unsafe) let context = ModelContext(container)
    let author = try context.fetch(FetchDescriptor<Found.Author>())[0]
    context.insert(Found.Book(author))
    let counts = Mutex<[Int]>([])
    withObservationTracking {
      _ = author.books
    } onChange: {
      let count = (try? context.fetch(FetchDescriptor<Found.Book>()).count) ?? -1
      counts.withLock { $0.append(count) }
      #expect(throws: Never.self) { try context.save() }
    }
    try context.save()
    #expect(counts.withLock { $0 } == [1])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Found.Book>()) == 1)
  }

  @Test("Undoing a saved deletion brings external data back")
  func undoneDeletion() throws {
    let container = try Self.memory(Found.Photo.self)
    let writer = ModelContext(container)
    writer.insert(Found.Photo(Data(repeating: 7, count: 200_000)))
    try writer.save()
    let (context, undo) = (ModelContext(container), UndoManager())
    context.undoManager = undo
    context.delete(try context.fetch(FetchDescriptor<Found.Photo>())[0])
    try context.save()
    undo.undo()
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Found.Photo>())[0].image?.count == 200_000)
  }

  @Test("An object that was deleted before its external data was loaded is not inserted again without it")
  func insertedAgain() throws {
    let container = try Self.memory(Found.Photo.self)
    let writer = ModelContext(container)
    writer.insert(Found.Photo(Data(repeating: 7, count: 200_000)))
    try writer.save()
    let context = ModelContext(container)
    let photo = try context.fetch(FetchDescriptor<Found.Photo>())[0]
    context.delete(photo)
    try context.save()
    context.insert(photo)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Found.Photo>()) == 0)
  }

  @Test("An upsert takes the row from its former one-to-one partner, also where that side was not loaded")
  func formerPartner() throws {
    let container = try Self.memory(Found.Person.self)
    let writer = ModelContext(container)
    writer.insert(Found.Person("ann", Found.Badge(1)))
    try writer.save()
    let context = ModelContext(container)
    let badge = try context.fetch(FetchDescriptor<Found.Badge>())[0]
    context.insert(Found.Person("ann", Found.Badge(3)))
    try context.save()
    #expect(badge.person == nil)
  }

  @Test("The bounds of a list hold where another side changes it, loaded or not", arguments: [true, false])
  func bounds(isLoaded: Bool) throws {
    let container = try Self.memory(Bounded.Crew.self)
    let writer = ModelContext(container)
    let crew = Bounded.Crew()
    writer.insert(crew)
    for _ in 0..<2 { writer.insert(Bounded.Man(crew)) }
    try writer.save()
    func refuses(_ change: (ModelContext, Bounded.Crew) throws -> Void) throws -> Bool {
      let context = ModelContext(container)
      let crew = try context.fetch(FetchDescriptor<Bounded.Crew>())[0]
      if isLoaded { #expect(crew.men.count == 2) }
      try change(context, crew)
      do {
        try context.save()
        return false
      } catch SwiftDataError.modelValidationFailure { return true }
    }
    #expect(try refuses { context, crew in context.insert(Bounded.Man(crew)) })
    #expect(
      try refuses { context, _ in for man in try context.fetch(FetchDescriptor<Bounded.Man>()) { man.crew = nil } })
    #expect(
      try refuses { context, _ in for man in try context.fetch(FetchDescriptor<Bounded.Man>()) { context.delete(man) } }
    )
    #expect(try refuses { context, _ in try context.delete(model: Bounded.Man.self) })
    #expect(
      try !refuses { context, _ in context.delete(try context.fetch(FetchDescriptor<Bounded.Man>())[0]) })
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Bounded.Man>()) == 1)
  }

  // MARK: - Deletions

  @Test("A batch delete whose objects cannot be loaded stays unsaved")
  func unreadableObject() throws {
    let file = try TemporaryStore()
    let container = try file.container(Found.Box.self)
    let writer = ModelContext(container)
    for _ in 0..<3 { writer.insert(Found.Item()) }
    try writer.save()
    #expect(try file.shell("UPDATE Item SET kind = 'new' WHERE _pk = 2") == "")
    let context = ModelContext(container)
    try context.delete(model: Found.Item.self)
    #expect(throws: (any Error).self) {
      try context.fetch(FetchDescriptor<Found.Box>(predicate: #Predicate { $0.items.isEmpty }))
    }
    #expect(context.hasChanges)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Found.Item>()) == 0)
  }

  @Test("A fetch after a batch delete finds the referrers' to-ones nil")
  func clearedReferences() throws {
    let container = try Self.memory(Found.Author.self)
    let writer = ModelContext(container)
    let author = Found.Author()
    author.books = [Found.Book(nil)]
    writer.insert(author)
    try writer.save()
    let context = ModelContext(container)
    try context.delete(model: Found.Author.self)
    let orphans = FetchDescriptor<Found.Book>(predicate: #Predicate { $0.author == nil })
    let others = FetchDescriptor<Found.Book>(predicate: #Predicate { $0.author != nil })
    #expect(try context.fetchCount(orphans) == 1)
    #expect(try context.fetchCount(others) == 0)
  }

  @Test("A to-one and a list whose target is a superclass are not inverses, and the to-one is cleared")
  func superclassTarget() throws {
    let container = try Self.memory(Found.Owner.self, Found.Dog.self)
    let context = ModelContext(container)
    let (owner, dog) = (Found.Owner(), Found.Dog())
    dog.owner = owner
    context.insert(dog)
    try context.save()
    context.delete(owner)
    try context.save()
    #expect(dog.owner == nil)
  }

  @Test("The target of a subclass's required to-one cannot be deleted")
  func requiredTarget() throws {
    let container = try Self.memory(Found.Medal.self)
    let writer = ModelContext(container)
    writer.insert(Found.Medal(Found.Chief("C")))
    try writer.save()
    let context = ModelContext(container)
    context.delete(try context.fetch(FetchDescriptor<Found.Chief>())[0])
    #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(try ModelContext(container).fetch(FetchDescriptor<Found.Medal>())[0].chief.name == "C")
  }

  @Test("A batch delete follows a chain of 20,000 cascades on a task's small stack")
  func longChain() async throws {
    let container = try Self.memory(Found.Link.self)
    let writer = ModelContext(container)
    var last: Found.Link?
    for number in (0..<20_000).reversed() {
      let link = Found.Link(number)
      link.next = last
      writer.insert(link)
      last = link
    }
    try writer.save()
    try await Task.detached {
      let context = ModelContext(container)
      try context.delete(model: Found.Link.self, where: #Predicate { $0.number == 0 })
      try context.save()
    }.value
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Found.Link>()) == 0)
  }

  @Test("A relationship whose rule changes from noAction to nullify loses the keys of rows that are gone")
  func changedRule() throws {
    let file = try TemporaryStore()
    do {
      let context = ModelContext(try file.container(NoAction.Club.self))
      let club = NoAction.Club()
      club.members = [NoAction.Member()]
      context.insert(club)
      try context.save()
      context.delete(club)
      try context.save()
    }
    let context = ModelContext(try file.container(Nullify.Club.self))
    let members = try context.fetch(FetchDescriptor<Nullify.Member>(predicate: #Predicate { $0.club == nil }))
    #expect(members.map(\.club) == [nil])
  }
}
