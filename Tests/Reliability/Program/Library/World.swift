import Foundation
import SwiftData

/// The library as plain values: what a store has to hold after a step.
struct World: Equatable {
  struct AuthorValue: Equatable {
    var name: String
    var photo: Blob?
  }
  struct BookValue: Equatable {
    var title: String
    var pages: Int
    var cover: Blob?
    var author: Int?
    var publisher: Int?
    var tags: Set<Int> = []
  }
  struct ChapterValue: Equatable {
    var text: String
    var book: Int?
  }

  var step = 0
  var authors: [Int: AuthorValue] = [:]
  var publishers: Set<Int> = []
  var books: [Int: BookValue] = [:]
  var chapters: [Int: ChapterValue] = [:]
  var tags: Set<Int> = []
  var loans: [Int: Int?] = [:]

  mutating func apply(_ action: Action) {
    switch action {
    case .insertAuthor(let code, let name, let photo): authors[code] = AuthorValue(name: name, photo: photo)
    case .insertPublisher(let code): publishers.insert(code)
    case .insertBook(let code, let title, let pages, let cover, let author, let publisher, let newTags):
      tags.formUnion(newTags)
      books[code] = BookValue(
        title: title, pages: pages, cover: cover, author: author, publisher: publisher, tags: Set(newTags))
    case .retitle(let book, let title, let pages):
      books[book]?.title = title
      books[book]?.pages = pages
    case .setCover(let book, let cover): books[book]?.cover = cover
    case .setAuthor(let book, let author): books[book]?.author = author
    case .setTags(let book, let codes): books[book]?.tags = Set(codes)
    case .insertChapter(let code, let text, let book): chapters[code] = ChapterValue(text: text, book: book)
    case .rewrite(let chapter, let text): chapters[chapter]?.text = text
    case .insertLoan(let code, let book): loans[code] = .some(book)
    case .swapAuthors(let one, let other):
      (authors[one], authors[other]) = (authors[other], authors[one])
      for (code, book) in books {
        if book.author == one { books[code]?.author = other }
        if book.author == other { books[code]?.author = one }
      }
    case .deleteAuthor(let code):
      authors[code] = nil
      for (book, value) in books where value.author == code { books[book]?.author = nil }
    case .deletePublisher(let code): publishers.remove(code)
    case .deleteBook(let code): delete(code)
    case .deleteBooks(let pages): for (code, book) in books where book.pages < pages { delete(code) }
    case .deleteTag(let code):
      tags.remove(code)
      for book in books.keys { books[book]?.tags.remove(code) }
    }
  }

  private mutating func delete(_ book: Int) {
    books[book] = nil
    chapters = chapters.filter { $0.value.book != book }
    for (loan, of) in loans where of == book { loans[loan] = .some(nil) }
  }

  /// What a step makes of it; itself where the step is one that the delete rules refuse.
  func after(_ step: Step) -> World {
    guard !step.isRefused else { return self }
    var world = self
    world.step = step.number
    for action in step.actions { world.apply(action) }
    return world
  }

  /// The library after all steps up to one.
  static func after(_ last: Int, seed: Int) -> World {
    (0..<max(0, last)).reduce(World()) { world, number in world.after(Step(number + 1, seed: seed, world)) }
  }
}

extension World {
  /// Reads everything that a store holds.
  /// - Throws: ``Difference`` for what no library can be, and what fetching throws.
  init(_ context: ModelContext) throws {
    let progress = try context.fetch(FetchDescriptor<Progress>())
    try Difference.require(progress.count <= 1, "\(progress.count) rows of progress")
    step = progress.first?.step ?? 0
    for author in try context.fetch(FetchDescriptor<Author>()) {
      authors[author.code] = AuthorValue(name: author.name, photo: try Self.blob(author.photo, "photo", author.code))
    }
    publishers = Set(try context.fetch(FetchDescriptor<Publisher>()).map(\.code))
    tags = Set(try context.fetch(FetchDescriptor<Tag>()).map(\.code))
    for book in try context.fetch(FetchDescriptor<Book>()) {
      try Difference.require(
        book.binding == Book.Binding.allCases[book.pages % 2] && book.size.width == book.pages
          && book.size.height == book.pages + 1, "book \(book.code) is half one and half another")
      books[book.code] = BookValue(
        title: book.title, pages: book.pages, cover: try Self.blob(book.cover, "cover", book.code),
        author: book.author?.code, publisher: book.publisher?.code, tags: Set(book.tags.map(\.code)))
      for tag in book.tags {
        try Difference.require(tag.books.contains { $0.code == book.code }, "tag \(tag.code) lacks book \(book.code)")
      }
    }
    for chapter in try context.fetch(FetchDescriptor<Chapter>()) {
      chapters[chapter.code] = ChapterValue(text: chapter.text, book: chapter.book?.code)
    }
    for loan in try context.fetch(FetchDescriptor<Loan>()) { loans[loan.code] = .some(loan.book?.code) }
  }

  private static func blob(_ data: Data?, _ property: String, _ code: Int) throws -> Blob? {
    guard let data else { return nil }
    guard let blob = Blob(data) else { throw Difference("the \(property) of \(code) is no data that was stored") }
    return blob
  }

  /// - Throws: ``Difference`` that names the first thing that differs.
  func requireEqual(to stored: World) throws {
    func compare<V: Equatable>(_ name: String, _ here: [Int: V], _ there: [Int: V]) throws {
      for code in Set(here.keys).union(there.keys).sorted() where here[code] != there[code] {
        throw Difference(
          "\(name) \(code) after step \(step): should be \(here[code].map { "\($0)" } ?? "absent"),"
            + " is \(there[code].map { "\($0)" } ?? "absent")")
      }
    }
    try compare("author", authors, stored.authors)
    try compare("book", books, stored.books)
    try compare("chapter", chapters, stored.chapters)
    try compare("loan", loans, stored.loans)
    try Difference.require(self == stored, "publishers, tags or progress after step \(step)")
  }
}

/// What a check found.
struct Difference: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }

  static func require(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    if !condition { throw Difference(description()) }
  }
}
