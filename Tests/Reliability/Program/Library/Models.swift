import Foundation
import SwiftData

// A library that has one of everything that a save has to keep whole: each delete rule, many-to-many, unique values,
// data in files beside the store, and a full-text index.

@Model final class Author {
  @Attribute(.unique) var code: Int
  var name: String
  @Attribute(.externalStorage) var photo: Data?
  @Relationship(deleteRule: .nullify, inverse: \Book.author) var books: [Book] = []

  init(code: Int, name: String, photo: Data?) {
    self.code = code
    self.name = name
    self.photo = photo
  }
}

@Model final class Publisher {
  @Attribute(.unique) var code: Int
  @Relationship(deleteRule: .deny, inverse: \Book.publisher) var books: [Book] = []

  init(code: Int) { self.code = code }
}

@Model final class Book {
  enum Binding: String, Codable, CaseIterable { case hard, soft }
  struct Size: Codable, Equatable {
    var width: Int
    var height: Int
  }

  #Index<Book>([\.pages])
  @Attribute(.unique) var code: Int
  @Attribute(.spotlight) var title: String
  var pages: Int
  var binding: Binding
  var size: Size
  @Attribute(.externalStorage) var cover: Data?
  var author: Author?
  var publisher: Publisher?
  var tags: [Tag] = []
  @Relationship(deleteRule: .cascade, inverse: \Chapter.book) var chapters: [Chapter] = []
  @Relationship(deleteRule: .noAction, inverse: \Loan.book) var loans: [Loan] = []

  init(code: Int, title: String, pages: Int, cover: Data?) {
    self.code = code
    self.title = title
    self.pages = pages
    self.binding = Binding.allCases[pages % 2]
    self.size = Size(width: pages, height: pages + 1)
    self.cover = cover
  }
}

@Model final class Chapter {
  @Attribute(.unique) var code: Int
  @Attribute(.spotlight) var text: String
  var book: Book?

  init(code: Int, text: String) {
    self.code = code
    self.text = text
  }
}

@Model final class Tag {
  @Attribute(.unique) var code: Int
  @Relationship(inverse: \Book.tags) var books: [Book] = []

  init(code: Int) { self.code = code }
}

@Model final class Loan {
  @Attribute(.unique) var code: Int
  var book: Book?

  init(code: Int) { self.code = code }
}

/// The one row that says how far the store is; every save changes it.
@Model final class Progress {
  var step: Int

  init(step: Int) { self.step = step }
}

enum LibraryStore {
  static let schema = Schema([
    Author.self, Publisher.self, Book.self, Chapter.self, Tag.self, Loan.self, Progress.self,
  ])

  static func open(
    _ url: URL, durability: ModelConfiguration.Durability = .normal,
    configure: (inout ModelConfiguration) -> Void = { _ in }
  ) throws -> ModelContainer {
    var configuration = ModelConfiguration(schema: schema, url: url)
    configuration.durability = durability
    configure(&configuration)
    return try ModelContainer(for: schema, configurations: configuration)
  }
}
