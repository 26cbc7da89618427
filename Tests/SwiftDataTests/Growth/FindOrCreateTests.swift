import Foundation
import SwiftData
import Synchronization
import Testing

/// Models with a key of each kind that can be looked up.
private enum BookShop {
  enum Kind: String, Codable { case paper, audio }

  @Model final class Book {
    @Attribute(.unique) var id: UUID
    var title: String
    var number: Int?
    var price: Double
    var kind: Kind
    var added: Date
    var author: Author?
    init(_ number: Int, author: Author? = nil) {
      id = BookShop.id(number)
      title = "book \(number)"
      self.number = number
      price = Double(number)
      kind = .paper
      added = Date(timeIntervalSinceReferenceDate: Double(number))
      self.author = author
    }
  }

  @Model final class Author {
    @Attribute(.unique) var name: String
    var country: String = ""
    @Relationship(inverse: \Book.author) var books: [Book] = []
    init(name: String) { self.name = name }
  }

  /// Counts how often two are compared.
  struct Code: RawRepresentable, Codable, Hashable, Sendable {
    static let comparisons = Atomic(0)
    let rawValue: String

    static func == (left: Code, right: Code) -> Bool {
      comparisons.wrappingAdd(1, ordering: .relaxed)
      return left.rawValue == right.rawValue
    }
  }

  @Model final class Copy {
    var code: Code
    init(code: Code) { self.code = code }
  }

  static func id(_ number: Int) -> UUID {
    UUID(uuidString: String(format: "00000000-0000-0000-0000-%012d", number))!
  }
}

/// Fetches in a loop over what the loop itself made, without a save in between.
@Suite("Find or create") struct FindOrCreateTests {
  private typealias Book = BookShop.Book
  private typealias Author = BookShop.Author

  private static func findOrCreate<M: PersistentModel>(
    _ context: ModelContext, _ predicate: Predicate<M>, _ make: () -> M
  ) throws -> M {
    if let found = try context.fetch(FetchDescriptor<M>(predicate: predicate)).first { return found }
    let made = make()
    context.insert(made)
    return made
  }

  @Test("Of the unsaved objects a fetch by a unique value looks at the one that has it")
  func byUniqueValue() throws {
    try Growth.expectLinear { count in
      let context = try Growth.context(Book.self, Author.self)
      for round in 0..<2 {
        for number in 0..<count {
          let id = BookShop.id(number)
          let book = try Self.findOrCreate(context, #Predicate<Book> { $0.id == id }) { Book(number) }
          #expect(book.number == number)
          if round == 1 { book.title = "found" }
        }
      }
      #expect(context.insertedModelsArray.count == count)
      // One candidate for each that was found, and the few that are asked before there is an index.
      #expect(context.state.work.evaluated <= count + 60)
      #expect(ContextInvariants(of: context.state).violations() == [])
      return context.state.work.total
    }
  }

  @Test("So does one by a text, a number, a date, an enum and a number that may be nil, alone and in an `&&`")
  func byOtherValues() throws {
    try Growth.expectLinear(100) { count in
      let context = try Growth.context(Book.self, Author.self)
      for number in 0..<count {
        let (title, price) = ("book \(number)", Double(number))
        let date = Date(timeIntervalSinceReferenceDate: Double(number))
        let predicates: [Predicate<Book>] = [
          #Predicate { $0.title == title }, #Predicate { $0.number == number }, #Predicate { price == $0.price },
          #Predicate { $0.added == date && $0.kind == .paper }, #Predicate { $0.price > 0 && $0.title == title },
          #Predicate { $0.title == title || $0.number == number },
        ]
        for predicate in predicates { #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == 0) }
        context.insert(Book(number))
        for predicate in predicates where number > 0 {
          #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == 1)
        }
      }
      #expect(context.state.work.evaluated <= count * 8 + 600)
      return context.state.work.total
    }
  }

  @Test("Changed stored objects are found by the values that they have now")
  func changedObjects() throws {
    try Growth.expectLinear { count in
      let context = try Growth.context(Book.self, Author.self)
      let books = (0..<count).map { Book($0) }
      for book in books { context.insert(book) }
      try context.save()
      return try Growth.work(of: context) { () throws in
        for (number, book) in books.enumerated() {
          let (old, new) = ("book \(number)", "renamed \(number)")
          book.title = new
          #expect(try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == old })) == [])
          #expect(try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == new })) == [book])
          let id = book.id
          #expect(try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.id == id })) == [book])
        }
      }.total
    }
  }

  @Test("A count beside changed stored objects looks at the rows that match", arguments: [1, 40])
  func countBesideChanges(matches: Int) throws {
    try Growth.expectLinear { count in
      let context = try Growth.context(Book.self, Author.self)
      let books = (0..<count).map { Book($0) }
      for book in books { context.insert(book) }
      try context.save()
      let limit = Double(matches)
      return try Growth.work(of: context) { () throws in
        for (number, book) in books.enumerated() {
          if number == matches - 1 {
            context.delete(book)
          } else {
            book.title = "renamed \(number)"
          }
          let isGone = number >= matches - 1
          #expect(
            try context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.price < limit }))
              == matches - (isGone ? 1 : 0))
        }
      }.excluded
    }
  }

  @Test("A parent is looked up for each child, and the child added to it", arguments: [true, false])
  func parents(byList: Bool) throws {
    try Growth.expectLinear { count in
      let context = try Growth.context(Book.self, Author.self)
      for number in 0..<count {
        let (name, id) = ("author \(number / 10)", BookShop.id(number))
        let author = try Self.findOrCreate(context, #Predicate<Author> { $0.name == name }) { Author(name: name) }
        let book = try Self.findOrCreate(context, #Predicate<Book> { $0.id == id }) { Book(number) }
        if byList { author.books.append(book) } else { book.author = author }
      }
      #expect(ContextInvariants(of: context.state).violations() == [])
      return context.state.work.total
    }
  }

  @Test("Children are found by their unsaved parent, however it is compared")
  func byParent() throws {
    try Growth.expectLinear(100) { count in
      let context = try Growth.context(Book.self, Author.self)
      var authors = [Author]()
      for number in 0..<count {
        let author = Author(name: "author \(number)")
        authors.append(author)
        let books = [Book(2 * number, author: author), Book(2 * number + 1, author: author)]
        for book in books { context.insert(book) }
        let id = author.persistentModelID
        let predicates: [Predicate<Book>] = [
          #Predicate { $0.author == author }, #Predicate { $0.author?.persistentModelID == id },
        ]
        for predicate in predicates {
          #expect(try context.fetch(FetchDescriptor(predicate: predicate)) == books)
        }
      }
      // Moved to another, and asked again: from the last on, so that each has only its own.
      for (author, next) in Array(zip(authors, authors.dropFirst())).reversed() {
        for book in author.books { book.author = next }
        #expect(try context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.author == author })) == 0)
      }
      return context.state.work.evaluated
    }
  }

  @Test("Objects are found by their identifiers, temporary ones too")
  func byIdentifier() throws {
    try Growth.expectLinear { count in
      let context = try Growth.context(Book.self, Author.self)
      for number in 0..<count {
        let book = Book(number)
        context.insert(book)
        let id = book.persistentModelID
        #expect(
          try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.persistentModelID == id })) == [book])
        let known: Book? = context.registeredModel(for: id)
        #expect(known === book)
      }
      return context.state.work.total
    }
  }

  @Test("Each fetch is one statement that an index answers, whatever is unsaved")
  func statements() throws {
    let context = try Growth.context(Book.self, Author.self)
    let count = 50
    for number in 0..<count { context.insert(Book(number, author: Author(name: "author \(number)"))) }
    try context.save()
    let (books, authors) = (try context.fetch(FetchDescriptor<Book>()), try context.fetch(FetchDescriptor<Author>()))
    for book in books { book.price += 1 }
    for author in authors { author.country = "somewhere" }
    let (id, name) = (BookShop.id(7), "author 7")
    let (counts, statements) = try SQLTrace.record {
      [
        try context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.id == id })),
        try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.id == id })).count,
        try context.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == name })).count,
      ]
    }
    #expect(counts == [1, 1, 1])
    #expect(statements.count == 3)
    let explanation = try context.explain(FetchDescriptor<Book>(predicate: #Predicate { $0.id == id }))
    #expect(explanation.plan.allSatisfy { !"\($0)".contains("SCAN") })
  }

  @Test("5,000 captured values are put into a set once, not looked through for each unsaved object")
  func capturedValues() throws {
    let context = try Growth.context(BookShop.Copy.self)
    for number in 0..<1000 { context.insert(BookShop.Copy(code: BookShop.Code(rawValue: "code \(number)"))) }
    let codes = (0..<5000).map { BookShop.Code(rawValue: "code \($0)") }
    let before = BookShop.Code.comparisons.load(ordering: .relaxed)
    let found = try context.fetch(FetchDescriptor<BookShop.Copy>(predicate: #Predicate { codes.contains($0.code) }))
    #expect(found.count == 1000)
    // A hash table compares a few; a search through the list compares 500 for each object.
    #expect(BookShop.Code.comparisons.load(ordering: .relaxed) - before < 50_000)
  }
}
