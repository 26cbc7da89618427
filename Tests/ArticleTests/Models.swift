import Foundation
import SwiftData
import Testing

@Suite("Article: Models")
struct Models {
  @Model
  final class Book {
    #Unique<Book>([\.shelf, \.place])
    #Index<Book>([\.title], [\.genre, \.title])

    @Attribute(.unique) var isbn: String
    var title: String
    var shelf: String
    var place: Int
    var genre: Genre = Genre.novel
    var size: Size?
    var keywords: [String] = []
    @Attribute(.externalStorage) var cover: Data?
    @Transient var isSelected: Bool = false

    init(isbn: String, title: String, shelf: String, place: Int) {
      self.isbn = isbn
      self.title = title
      self.shelf = shelf
      self.place = place
    }
  }

  enum Genre: String, Codable { case novel, essay }

  @Composite
  struct Size: Codable {
    var width: Double
    var height: Double
  }

  @Model
  class Work {
    var title: String

    init(title: String) { self.title = title }
  }

  @Model
  final class Film: Work {
    var minutes: Int

    init(title: String, minutes: Int) {
      self.minutes = minutes
      super.init(title: title)
    }
  }

  @Test("Values of all kinds come back, and an insert with a stored value updates the stored object")
  func values() throws {
    let container = try memoryContainer(Book.self)
    let context = ModelContext(container)

    let book = Book(isbn: "978-0201896831", title: "Fundamental Algorithms", shelf: "A", place: 1)
    book.size = Size(width: 17, height: 24)
    context.insert(book)
    try context.save()

    context.insert(Book(isbn: "978-0201896831", title: "Volume 1", shelf: "A", place: 1))
    try context.save()
    print(try context.fetchCount(FetchDescriptor<Book>()))  // 1

    #expect(try ModelContext(container).fetch(FetchDescriptor<Book>()).map(\.title) == ["Volume 1"])
    let stored = try #require(try context.fetch(FetchDescriptor<Book>()).first)
    stored.size = Size(width: 17, height: 24)
    stored.cover = Data(repeating: 1, count: 200_000)
    stored.keywords = ["trees", "lists"]
    stored.isSelected = true
    try context.save()
    let read = try #require(try ModelContext(container).fetch(FetchDescriptor<Book>()).first)
    #expect(read.cover?.count == 200_000 && read.keywords == ["trees", "lists"] && read.size?.height == 24)
    #expect(read.genre == .novel && !read.isSelected)
    let wide = FetchDescriptor<Book>(predicate: #Predicate { $0.size?.width ?? 0 > 16 })
    #expect(try context.fetchCount(wide) == 1)
  }

  @Test("A fetch of a class finds its subclasses")
  func subclasses() throws {
    let context = ModelContext(try memoryContainer(Work.self, Film.self))
    context.insert(Work(title: "Sonata"))
    context.insert(Film(title: "Solaris", minutes: 167))
    try context.save()

    let long = FetchDescriptor<Work>(predicate: #Predicate { ($0 as? Film)?.minutes ?? 0 > 120 })
    print(try context.fetch(long).map(\.title))

    #expect(try context.fetch(long).map(\.title) == ["Solaris"])
    #expect(try context.fetchCount(FetchDescriptor<Work>()) == 2)
  }
}
