import Foundation
import SwiftData

/// A change of the library.
enum Action {
  /// Writes over the author that has the code, if one has.
  case insertAuthor(Int, name: String, photo: Blob?)
  case insertPublisher(Int)
  /// The tags are new objects, whose codes may be taken.
  case insertBook(Int, title: String, pages: Int, cover: Blob?, author: Int?, publisher: Int?, newTags: [Int])
  case retitle(Int, String, pages: Int)
  case setCover(Int, Blob?)
  case setAuthor(Int, Int?)
  case setTags(Int, [Int])
  case insertChapter(Int, String, book: Int)
  case rewrite(Int, String)
  case insertLoan(Int, book: Int)
  /// Each gets the other's unique code.
  case swapAuthors(Int, Int)
  case deleteAuthor(Int)
  case deletePublisher(Int)
  case deleteBook(Int)
  case deleteBooks(pagesBelow: Int)
  case deleteTag(Int)
}

/// What one save does. It follows from the seed, the number and the library before it.
struct Step {
  let number: Int
  private(set) var actions: [Action] = []
  /// Whether a delete rule refuses it.
  private(set) var isRefused = false

  init(_ number: Int, seed: Int, _ world: World) {
    self.number = number
    var random = Random(seed, number)
    if number % 13 == 0, let publisher = random.pick(world.publishers.sorted()) {
      actions = [.deletePublisher(publisher)]
      isRefused = world.books.values.contains { $0.publisher == publisher }
      return
    }
    var world = world
    // Objects that were new in this step are left alone: what their collisions mean depends on the order.
    var fresh = Set<Int>()
    for index in 0...random.below(8) {
      guard let action = Self.action(number * 100 + index, world, &fresh, &random) else { continue }
      world.apply(action)
      actions.append(action)
      // A batch deletion stays one only where nothing else touches what it deletes.
      if case .deleteBooks = action { break }
    }
  }

  private static func action(
    _ code: Int, _ world: World, _ fresh: inout Set<Int>, _ random: inout Random
  ) -> Action? {
    let blocked = fresh
    let books = world.books.keys.filter { !blocked.contains($0) }.sorted()
    let authors = world.authors.keys.filter { !blocked.contains($0) }.sorted()
    func blob(_ random: inout Random) -> Blob? { random.chance(2, in: 3) ? Blob(&random) : nil }
    switch random.below(20) {
    case 0, 1, 2:
      // Codes from a small range, so that some are taken.
      let taken = random.below(24)
      return fresh.insert(taken).inserted
        ? .insertAuthor(taken, name: "author \(code)", photo: blob(&random)) : nil
    case 3: return .insertPublisher(code)
    case 4, 5, 6, 7:
      fresh.insert(code)
      return .insertBook(
        code, title: text("title", code, &random), pages: 10 + random.below(500), cover: blob(&random),
        author: random.pick(authors), publisher: random.pick(world.publishers.sorted()),
        newTags: Set((0..<random.below(3)).map { _ in 1_000_000 + random.below(12) }).sorted())
    case 8, 9:
      return random.pick(books).map { .retitle($0, text("renamed", code, &random), pages: 10 + random.below(500)) }
    case 10, 11: return random.pick(books).map { .setCover($0, blob(&random)) }
    case 12: return random.pick(books).map { .setAuthor($0, random.chance(1, in: 4) ? nil : random.pick(authors)) }
    case 13:
      let tags = world.tags.sorted().filter { _ in random.chance(1, in: 4) }
      return random.pick(books).map { .setTags($0, tags) }
    case 14:
      fresh.insert(code)
      return random.pick(books).map { .insertChapter(code, text("chapter", code, &random), book: $0) }
    case 15:
      let chapters = world.chapters.keys.filter { !blocked.contains($0) }.sorted()
      return random.pick(chapters).map { .rewrite($0, text("rewritten", code, &random)) }
    case 16: return random.pick(books).map { .insertLoan(code, book: $0) }
    case 17:
      guard authors.count > 1, blocked.isEmpty, let one = random.pick(authors), let other = random.pick(authors),
        one != other
      else { return nil }
      fresh.formUnion([one, other])
      return .swapAuthors(one, other)
    case 18:
      if world.books.count > 30, blocked.isEmpty { return .deleteBooks(pagesBelow: 10 + random.below(150)) }
      return random.pick(books).map(Action.deleteBook)
    default:
      if random.chance(1, in: 2) { return random.pick(authors).map(Action.deleteAuthor) }
      return random.pick(world.tags.filter { _ in blocked.isEmpty }.sorted()).map(Action.deleteTag)
    }
  }

  /// Words of which some can be searched for; a few are not in Unicode normal form C.
  private static func text(_ kind: String, _ code: Int, _ random: inout Random) -> String {
    "\(kind) \(code) \(["river", "mountain", "cafe\u{301}", "harbour"][random.below(4)])"
  }
}

extension Step {
  /// Does it in a context, and saves.
  func perform(in context: ModelContext) throws {
    try stage(in: context)
    do {
      try context.save()
    } catch SwiftDataError.deleteDenied where isRefused {
      context.rollback()
    }
  }

  /// Does it in a context, up to the save.
  func stage(in context: ModelContext) throws {
    context.author = "step \(number)"
    for action in actions { try Self.perform(action, context) }
    let progress = try context.fetch(FetchDescriptor<Progress>()).first ?? Progress(step: 0)
    context.insert(progress)
    progress.step = number
  }

  private static func perform(_ action: Action, _ context: ModelContext) throws {
    switch action {
    case .insertAuthor(let code, let name, let photo):
      context.insert(Author(code: code, name: name, photo: photo?.data))
    case .insertPublisher(let code): context.insert(Publisher(code: code))
    case .insertBook(let code, let title, let pages, let cover, let author, let publisher, let newTags):
      let book = Book(code: code, title: title, pages: pages, cover: cover?.data)
      context.insert(book)
      if let author { book.author = try self.author(author, context) }
      if let publisher {
        book.publisher = try context.fetch(FetchDescriptor<Publisher>(predicate: #Predicate { $0.code == publisher }))[
          0]
      }
      book.tags = newTags.map { Tag(code: $0) }
    case .retitle(let code, let title, let pages):
      let book = try self.book(code, context)
      (book.title, book.pages) = (title, pages)
      book.binding = Book.Binding.allCases[pages % 2]
      book.size = Book.Size(width: pages, height: pages + 1)
    case .setCover(let code, let cover): try book(code, context).cover = cover?.data
    case .setAuthor(let code, let author):
      try book(code, context).author = try author.map { try self.author($0, context) }
    case .setTags(let code, let codes):
      try book(code, context).tags = try context.fetch(
        FetchDescriptor<Tag>(predicate: #Predicate { codes.contains($0.code) }))
    case .insertChapter(let code, let text, let book):
      let chapter = Chapter(code: code, text: text)
      context.insert(chapter)
      chapter.book = try self.book(book, context)
    case .rewrite(let code, let text):
      try context.fetch(FetchDescriptor<Chapter>(predicate: #Predicate { $0.code == code }))[0].text = text
    case .insertLoan(let code, let book):
      let loan = Loan(code: code)
      context.insert(loan)
      loan.book = try self.book(book, context)
    case .swapAuthors(let one, let other):
      let (first, second) = (try author(one, context), try author(other, context))
      (first.code, second.code) = (other, one)
    default: try delete(action, context)
    }
  }

  private static func delete(_ action: Action, _ context: ModelContext) throws {
    switch action {
    case .deleteAuthor(let code): context.delete(try author(code, context))
    case .deletePublisher(let code):
      context.delete(try context.fetch(FetchDescriptor<Publisher>(predicate: #Predicate { $0.code == code }))[0])
    case .deleteBook(let code): context.delete(try book(code, context))
    case .deleteBooks(let pages): try context.delete(model: Book.self, where: #Predicate { $0.pages < pages })
    case .deleteTag(let code):
      context.delete(try context.fetch(FetchDescriptor<Tag>(predicate: #Predicate { $0.code == code }))[0])
    default: break
    }
  }

  private static func author(_ code: Int, _ context: ModelContext) throws -> Author {
    guard let author = try context.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.code == code })).first
    else { throw Difference("author \(code) is not there") }
    return author
  }

  private static func book(_ code: Int, _ context: ModelContext) throws -> Book {
    guard let book = try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.code == code })).first
    else { throw Difference("book \(code) is not there") }
    return book
  }
}
