import Foundation
import SwiftData
import Testing

@Model private final class Essayist {
  var name: String
  var age: Int = 0
  @Attribute(.externalStorage) var photo: Data?
  @Relationship(inverse: \Essay.author) var books: [Essay] = []
  init(name: String) { self.name = name }
}

@Model private final class Essay {
  var title: String
  var tags: [String] = []
  var author: Essayist?
  init(title: String, author: Essayist? = nil) {
    self.title = title
    self.author = author
  }
}

@Suite("Inserting an object of another context")
struct AdoptionTests {
  private let store: TemporaryStore
  private let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try store.container(Essayist.self)
    let context = ModelContext(container)
    let author = Essayist(name: "Ada")
    context.insert(author)
    for title in ["a", "b"] { context.insert(Essay(title: title, author: author)) }
    context.insert(Essayist(name: "Bob"))
    try context.save()
  }

  private func authors(_ context: ModelContext) throws -> [Essayist] {
    try context.fetch(FetchDescriptor<Essayist>(sortBy: [SortDescriptor(\.name)]))
  }

  private func dump() throws -> String {
    try ModelContext(container).fetch(FetchDescriptor<Essay>(sortBy: [SortDescriptor(\.title)]))
      .map { "\($0.title):\($0.author?.name ?? "-")" }.joined(separator: " ")
      + " | " + authors(ModelContext(container)).map { "\($0.name) \($0.age)" }.joined(separator: ", ")
  }

  @Test("that is gone makes it its row, and its changes are saved, whenever they were made")
  func row() throws {
    func fetched() throws -> Essayist {
      let author = try authors(ModelContext(container))[0]
      return author
    }
    func changedBefore() throws -> Essayist {
      let context = ModelContext(container)
      let author = try authors(context)[0]
      author.name = "Ada L."
      return author
    }
    let author = try changedBefore()
    author.age = 36
    author.photo = Data([1, 2])
    let context = ModelContext(container)
    context.insert(author)
    #expect(author.modelContext === context)
    #expect(author.hasChanges)
    #expect(context.changedModelsArray.count == 1)
    #expect(context.insertedModelsArray.isEmpty)
    #expect(try authors(context).first === author)
    try context.save()
    #expect(try dump() == "a:Ada L. b:Ada L. | Ada L. 36, Bob 0")
    #expect(author.books.map(\.title) == ["a", "b"])
    // One without a change is its row too, and leaves nothing to save.
    let same = try fetched()
    let other = ModelContext(container)
    other.insert(same)
    #expect(!other.hasChanges)
    same.age = 37
    try other.save()
    #expect(try dump().hasSuffix("Ada L. 37, Bob 0"))
  }

  @Test("that is gone saves the relationships that were changed")
  func relationships() throws {
    func orphans() throws -> (Essay, Essayist) {
      let context = ModelContext(container)
      let book = try context.fetch(FetchDescriptor<Essay>(sortBy: [SortDescriptor(\.title)]))[0]
      return (book, try authors(context)[1])
    }
    let (book, bob) = try orphans()
    book.author = bob
    bob.age = 5
    book.tags = ["x"]
    let context = ModelContext(container)
    context.insert(book)
    try context.save()
    #expect(try dump() == "a:Bob b:Ada | Ada 0, Bob 5")
    #expect(try ModelContext(container).fetch(FetchDescriptor<Essay>()).map(\.tags).contains(["x"]))
  }

  @Test("that is gone gives its changes to the object that the context already has")
  func registered() throws {
    let context = ModelContext(container)
    let own = try authors(context)[0]
    func fetched() throws -> Essayist { try authors(ModelContext(container))[0] }
    let author = try fetched()
    author.name = "Ada L."
    context.insert(author)
    #expect(own.name == "Ada L.")
    #expect(author.persistentModelID == own.persistentModelID)
    try context.save()
    #expect(try dump() == "a:Ada L. b:Ada L. | Ada L. 0, Bob 0")
  }

  @Test("that is gone is taken back by a rollback")
  func rollback() throws {
    func fetched() throws -> Essayist { try authors(ModelContext(container))[0] }
    let author = try fetched()
    author.name = "X"
    let context = ModelContext(container)
    context.insert(author)
    context.rollback()
    #expect(author.name == "Ada")
    #expect(!context.hasChanges)
    try context.save()
    #expect(try dump() == "a:Ada b:Ada | Ada 0, Bob 0")
  }

  @Test("whose container is gone makes it a new object of another store, with all that it leads to")
  func otherStore() throws {
    func preview() throws -> Essayist {
      let container = try ModelContainer(
        for: Essayist.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      let context = ModelContext(container)
      let author = Essayist(name: "Preview")
      author.books = [Essay(title: "p"), Essay(title: "q")]
      context.insert(author)
      try context.save()
      return author
    }
    let author = try preview()
    for _ in 0..<2 {
      let context = ModelContext(
        try ModelContainer(for: Essayist.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
      context.insert(author)
      #expect(author.persistentModelID.isTemporary)
      try context.save()
      let stored = try authors(ModelContext(context.container))
      #expect(stored.map(\.name) == ["Preview"])
      #expect(stored[0].books.map(\.title) == ["p", "q"])
    }
  }

  @Test("whose container is gone copies each object once, whichever side it is reached from")
  func otherStoreFromTheOtherSide() throws {
    func preview() throws -> Essay {
      let container = try ModelContainer(
        for: Essayist.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      do {
        let context = ModelContext(container)
        let author = Essayist(name: "Preview")
        author.books = [Essay(title: "p"), Essay(title: "q")]
        context.insert(author)
        try context.save()
      }
      let essays = FetchDescriptor<Essay>(predicate: #Predicate { $0.title == "p" })
      return try #require(try ModelContext(container).fetch(essays).first)
    }
    let essay = try preview()
    let context = ModelContext(
      try ModelContainer(for: Essayist.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    context.insert(essay)
    try context.save()
    let stored = try authors(ModelContext(context.container))
    #expect(stored.map(\.name) == ["Preview"])
    #expect(stored.first?.books.map(\.title).sorted() == ["p", "q"])
    #expect(try context.fetchCount(FetchDescriptor<Essay>()) == 2)
  }

  @Test("that is gone makes it a new object where its row is gone")
  func rowGone() throws {
    func fetched() throws -> Essayist { try authors(ModelContext(container))[1] }
    let author = try fetched()
    let context = ModelContext(container)
    try context.delete(model: Essayist.self, where: #Predicate { $0.name == "Bob" })
    try context.save()
    context.insert(author)
    try context.save()
    #expect(try dump() == "a:Ada b:Ada | Ada 0, Bob 0")
  }

  @Test("that is gone lets it be related to objects of this one, and deleted in it")
  func related() throws {
    func fetched() throws -> [Essayist] { try authors(ModelContext(container)) }
    let people = try fetched()
    let context = ModelContext(container)
    let book = Essay(title: "c")
    context.insert(book)
    book.author = people[1]
    try context.save()
    #expect(try dump() == "a:Ada b:Ada c:Bob | Ada 0, Bob 0")
    context.delete(people[0])
    try context.save()
    #expect(try dump() == "a:- b:- c:Bob | Bob 0")
  }

  @Test("that is in use is an error of the next save, once, and the context goes on")
  func live() throws {
    let (one, two) = (ModelContext(container), ModelContext(container))
    let author = try authors(one)[0]
    author.age = 1
    two.insert(author)
    #expect(author.modelContext === one)
    let error = #expect(throws: SwiftDataError.relationshipAcrossContexts) { try two.save() }
    #expect(error?.description.contains("Essayist/1") == true)
    #expect(error?.description.contains("model(for: object.persistentModelID)") == true)
    two.insert(Essay(title: "c"))
    try two.save()
    let book = Essay(title: "d")
    two.insert(book)
    book.author = author
    #expect(throws: SwiftDataError.relationshipAcrossContexts) { try two.save() }
    two.rollback()
    two.insert(Essay(title: "e"))
    try two.save()
    try one.save()
    #expect(try dump() == "a:Ada b:Ada c:- e:- | Ada 1, Bob 0")
  }
}
