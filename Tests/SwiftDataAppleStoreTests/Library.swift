import AppleStoreTemplates
import Foundation
import SwiftData

@testable import SwiftDataAppleStore

/// Models with a property of each kind that Apple's files have.
enum Library {
  static let all: [any PersistentModel.Type] = [Author.self, Book.self, Tag.self, Shelf.self, Medium.self, Film.self]
  static let enums = ["Book.binding": ["hardcover", "paperback", "digital"]]

  enum Rating: Int, Codable { case poor = 1, fair, good }
  enum Binding: Codable { case hardcover, paperback, digital }
  @Composite
  struct Size: Codable, Hashable {
    var width: Double?
    var height: Double?
    var notes: [String]?
    private enum CodingKeys: String, CodingKey {
      case width = "w"
      case height = "h"
      case notes
    }
    init(width: Double?, height: Double?, notes: [String]?) {
      (self.width, self.height, self.notes) = (width, height, notes)
    }
  }

  @Model final class Author {
    @Attribute(.unique) var name: String
    var born: Date?
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
    init(_ name: String, born: Date? = nil) { (self.name, self.born) = (name, born) }
  }

  @Model final class Book {
    var id: UUID
    @Attribute(.preserveValueOnDeletion) var title: String
    var pages: Int
    var price: Decimal
    var isLent: Bool
    var weight: Double?
    var link: URL?
    var cover: Data?
    @Attribute(.externalStorage) var scan: Data?
    var rating: Rating?
    var binding: Binding?
    var size: Size?
    var keywords: [String]
    var author: Author?
    @Relationship(inverse: \Tag.books) var tags: [Tag] = []
    init(_ title: String, pages: Int = 0, author: Author? = nil) {
      (id, self.title, self.pages, price, isLent) = (UUID(), title, pages, 1, false)
      (keywords, self.author) = ([], author)
    }
  }

  @Model final class Tag {
    var name: String
    var books: [Book] = []
    init(_ name: String) { self.name = name }
  }

  /// Its media do not know it.
  @Model final class Shelf {
    var label: String
    var media: [Medium] = []
    var favourite: Medium?
    init(_ label: String) { self.label = label }
  }

  @Model class Medium {
    var year: Int
    init(year: Int) { self.year = year }
  }

  @Model final class Film: Medium {
    var director: String?
    init(year: Int, director: String?) {
      self.director = director
      super.init(year: year)
    }
  }

  // MARK: - Stores

  static func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apple-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// An empty store.
  static func store(isOrdered: Bool = false) throws -> URL {
    let file = try folder().appendingPathComponent("default.store")
    try AppleStoreTemplate(for: all, enums: enums, isOrdered: isOrdered).make(at: file)
    return file
  }

  static func container(_ file: URL, allowsSave: Bool = true) throws -> ModelContainer {
    try ModelContainer(for: Schema(all), configurations: [AppleStoreConfiguration(url: file, allowsSave: allowsSave)])
  }

  /// A store with a few objects.
  static func filled() throws -> URL {
    let file = try store()
    try fill(file)
    // Closing the file empties its log. That may come later: tests that run meanwhile may hold notifications, and these hold the context.
    for _ in 0..<12_000 where FileManager.default.fileExists(atPath: file.path + "-wal") { usleep(10_000) }
    return file
  }

  private static func fill(_ file: URL) throws {
    let context = ModelContext(try container(file))
    context.author = "test"
    let author = Author("Ursula", born: Date(timeIntervalSinceReferenceDate: -2_248_000_000))
    let names = ["Dispossessed", "Lathe of Heaven", "Café", "Cafe\u{301} again"]
    for (index, name) in names.enumerated() {
      let book = Book(name, pages: 100 * index, author: index < 3 ? author : nil)
      (book.price, book.isLent, book.weight) = (Decimal(index) + 0.5, index == 1, index == 0 ? nil : Double(index))
      (book.link, book.cover) = (URL(string: "https://example.org/\(index)"), Data([1, 2, UInt8(index)]))
      (book.rating, book.binding) = (index == 0 ? nil : .good, index == 2 ? nil : index == 1 ? .digital : .hardcover)
      book.size = index == 3 ? nil : Size(width: Double(index), height: 2.5, notes: index == 0 ? nil : ["a", "b"])
      book.keywords = Array(repeating: "k\(index)", count: index)
      book.scan = index == 2 ? Data(repeating: 7, count: 200_000) : Data([9])
      context.insert(book)
    }
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]))
    let tag = Tag("classic")
    context.insert(tag)
    tag.books = [books[0], books[2]]
    let (shelf, film) = (Shelf("top"), Film(year: 1979, director: "Tarkovsky"))
    context.insert(shelf)
    shelf.media = [film, Medium(year: 1950)]
    shelf.favourite = film
    try context.save()
  }
}
