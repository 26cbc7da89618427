import Foundation
import SwiftData
import Synchronization
import Testing

/// Classes of one name in two versions of a program.
private enum Before {
  @Model final class Author {
    @Attribute(.unique) var name: String
    var nick: String
    var born: Int16
    var mail: String?
    var shelf: [Book] = []
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
    init(name: String, nick: String = "", born: Int16 = 0) {
      self.name = name
      self.nick = nick
      self.born = born
    }
  }

  @Model final class Book {
    var title: String
    var note: String?
    var author: Author?
    @Relationship(inverse: \Subject.books) var subjects: [Subject] = []
    init(title: String, note: String? = nil) {
      self.title = title
      self.note = note
    }
  }

  @Model final class Subject {
    var label: String
    var books: [Book] = []
    init(label: String) { self.label = label }
  }

  @Model final class Loan {
    var days = 7
    init() {}
  }
}

private enum After {
  enum Kind: String, Codable { case paper, screen }

  @Model final class Author {
    @Attribute(originalName: "name") var fullName: String
    /// Takes the name of another column's former self.
    var name: String?
    var nick: String?
    var born: Int
    var mail: String = "unknown"
    @Relationship(originalName: "shelf") var favourites: [Book] = []
    @Relationship(deleteRule: .nullify, originalName: "books", inverse: \Book.writer) var works: [Book] = []
    init(fullName: String) {
      self.fullName = fullName
      self.born = 0
    }
  }

  @Model final class Book {
    #Index<Book>([\.title])
    var title: String
    var identifier: UUID = UUID()
    var kind: Kind = Kind.paper
    var pages: Int?
    var printed: Bool? = true
    @Relationship(originalName: "author") var writer: Author?
    @Relationship(originalName: "subjects", inverse: \Subject.books) var topics: [Subject] = []
    init(title: String) { self.title = title }
  }

  @Model final class Subject {
    @Attribute(.unique) var label: String
    var books: [Book] = []
    init(label: String) { self.label = label }
  }

  @Model final class Publisher {
    var name: String
    init(name: String) { self.name = name }
  }
}

@Suite struct AutomaticMigrationTests {
  /// Two authors, three books, two subjects, arrays in an order of their own.
  private func fill(_ store: TemporaryStore) throws {
    let context = ModelContext(try store.container(Before.Author.self, Before.Loan.self))
    let ada = Before.Author(name: "Ada", nick: "A", born: 1815)
    ada.mail = "ada@example.org"
    let alan = Before.Author(name: "Alan", born: 1912)
    context.insert(ada)
    context.insert(alan)
    let books = ["Engine", "Notes", "Machines"].map { Before.Book(title: $0, note: "note on \($0)") }
    ada.books = [books[1], books[0]]
    alan.books = [books[2]]
    ada.shelf = [books[2], books[0], books[1]]
    let subjects = ["Logic", "Numbers"].map { Before.Subject(label: $0) }
    for subject in subjects { context.insert(subject) }
    books[0].subjects = [subjects[1], subjects[0]]
    books[2].subjects = [subjects[0]]
    context.insert(Before.Loan())
    try context.save()
  }

  private func migrated(_ store: TemporaryStore) throws -> ModelContext {
    ModelContext(try store.container(After.Author.self, After.Publisher.self))
  }

  @Test("Renamed, widened, optional and required properties keep their values, and gaps take the default")
  func attributes() throws {
    let store = try TemporaryStore()
    try fill(store)
    let context = try migrated(store)
    let authors = try context.fetch(FetchDescriptor<After.Author>(sortBy: [SortDescriptor(\.fullName)]))
    #expect(authors.map(\.fullName) == ["Ada", "Alan"])
    #expect(authors.map(\.name) == [nil, nil])
    #expect(authors.map(\.nick) == ["A", ""])
    #expect(authors.map(\.born) == [1815, 1912])
    #expect(authors.map(\.mail) == ["ada@example.org", "unknown"])
    let books = try context.fetch(FetchDescriptor<After.Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(books.map(\.title) == ["Engine", "Machines", "Notes"])
    #expect(books.map(\.kind) == [.paper, .paper, .paper])
    #expect(books.map(\.pages) == [nil, nil, nil])
    #expect(books.map(\.printed) == [true, true, true])
    #expect(try context.fetchCount(FetchDescriptor<After.Publisher>()) == 0)
    #expect(try store.shell("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
  }

  @Test("A default that is another value each time, such as UUID(), gives each row its own, once")
  func defaultForEachRow() throws {
    let store = try TemporaryStore()
    try fill(store)
    let first = try migrated(store).fetch(FetchDescriptor<After.Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(Set(first.map(\.identifier)).count == 3)
    let second = try migrated(store).fetch(FetchDescriptor<After.Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(first.map(\.identifier) == second.map(\.identifier))
  }

  @Test("Renamed relationships keep their objects and the order of their arrays")
  func relationships() throws {
    let store = try TemporaryStore()
    try fill(store)
    let context = try migrated(store)
    let authors = try context.fetch(FetchDescriptor<After.Author>(sortBy: [SortDescriptor(\.fullName)]))
    #expect(authors[0].works.map(\.title) == ["Notes", "Engine"])
    #expect(authors[1].works.map(\.title) == ["Machines"])
    #expect(authors[0].favourites.map(\.title) == ["Machines", "Engine", "Notes"])
    #expect(authors[0].works[0].writer === authors[0])
    let engine = authors[0].works[1]
    #expect(engine.topics.map(\.label) == ["Numbers", "Logic"])
    #expect(engine.topics[1].books.map(\.title) == ["Engine", "Machines"])
    // The delete rule is the new one.
    context.delete(authors[0])
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<After.Book>()) == 3)
  }

  @Test("Identifiers mean the same objects after a migration, and new ones are not given twice")
  func identifiers() throws {
    let store = try TemporaryStore()
    try fill(store)
    let old = try ModelContext(try store.container(Before.Author.self, Before.Loan.self))
      .fetchIdentifiers(FetchDescriptor<Before.Book>(sortBy: [SortDescriptor(\.title)]))
    let context = try migrated(store)
    #expect(old.map { (context.model(for: $0) as? After.Book)?.title } == ["Engine", "Machines", "Notes"])
    let added = After.Book(title: "New")
    context.insert(added)
    try context.save()
    #expect(!old.contains(added.persistentModelID))
  }

  @Test("The container tells what opening did, and the preview what it would do, without doing it")
  func report() throws {
    let store = try TemporaryStore()
    try fill(store)
    let configuration = ModelConfiguration(url: store.url)
    let preview = try ModelContainer.migrationPreview(
      for: After.Author.self, After.Publisher.self, configurations: configuration)
    #expect(
      preview
        == (try ModelContainer.migrationPreview(
          for: After.Author.self, After.Publisher.self, configurations: configuration)))
    let container = try store.container(After.Author.self, After.Publisher.self)
    #expect(container.migrations == preview)
    let lines = try #require(container.migrations.first?.steps.first).changes.map(\.description)
    #expect(lines.contains("Author.fullName: the property was named name"))
    #expect(lines.contains("Author.works: the relationship was named books"))
    #expect(lines.contains("Author.mail: the property becomes required"))
    #expect(lines.contains("Book.note: the property is removed with its values"))
    #expect(lines.contains("Book.title: gets an index"))
    #expect(lines.contains("Publisher: the model is new"))
    #expect(try store.container(After.Author.self, After.Publisher.self).migrations.isEmpty)
  }

  @Test("Progress is told in rows")
  func progress() throws {
    let store = try TemporaryStore()
    try fill(store)
    let heard = Heard()
    var configuration = ModelConfiguration(url: store.url)
    configuration.migrationProgress = { heard.add("\($0.entity) \($0.completedRows) of \($0.totalRows)") }
    _ = try ModelContainer(for: After.Author.self, After.Publisher.self, configurations: configuration)
    #expect(heard.lines.contains("Book 3 of 3"))
  }

  @Test("A model that the program leaves out keeps its rows, and has them when it is named again")
  func leftOut() throws {
    let store = try TemporaryStore()
    try fill(store)
    let small = try store.container(Before.Loan.self)
    #expect(small.migrations.isEmpty)
    let loans = ModelContext(small)
    loans.insert(Before.Loan())
    try loans.save()
    // Between the two, the models that were left out change.
    let context = try migrated(store)
    let authors = try context.fetch(FetchDescriptor<After.Author>(sortBy: [SortDescriptor(\.fullName)]))
    #expect(authors.map { $0.works.map(\.title) } == [["Notes", "Engine"], ["Machines"]])
    #expect(authors[0].works[1].topics.map(\.label) == ["Numbers", "Logic"])
    #expect(try ModelContext(try store.container(Before.Loan.self)).fetchCount(FetchDescriptor<Before.Loan>()) == 2)
    #expect(
      try ModelContext(try store.container(After.Publisher.self)).fetch(FetchDescriptor<After.Publisher>()).isEmpty)
    #expect(try migrated(store).fetchCount(FetchDescriptor<After.Book>()) == 3)
    #expect(try store.shell("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
  }

  @Test("A read-only container names the version and leaves the store as it is")
  func readOnly() throws {
    let store = try TemporaryStore()
    try fill(store)
    let error = #expect(throws: SwiftDataError.storeReadOnly) {
      try store.container(After.Author.self, After.Publisher.self, allowsSave: false)
    }
    #expect(error?.description.contains("needs a migration") == true)
    #expect(try store.container(Before.Author.self, Before.Loan.self).migrations.isEmpty)
  }
}

/// Lines that a callback heard.
final class Heard: Sendable {
  private let state = Mutex<[String]>([])
  var lines: [String] { state.withLock { $0 } }
  func add(_ line: String) { state.withLock { $0.append(line) } }
}
