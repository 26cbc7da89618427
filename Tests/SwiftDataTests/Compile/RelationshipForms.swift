import Foundation
import SwiftData

// Relationships as real code declares them.

@Model final class Library {
  var name: String
  // Without an attribute.
  var books: [Book] = []
  // Implicitly unwrapped and optional to-many.
  var shelves: [Shelf]!
  var posters: [Poster]?
  // Only an initial value.
  var photos = [Photo]?.some([])
  var chairs = [Chair]()
  // Two to-many properties onto one type.
  @Relationship(deleteRule: .cascade, inverse: \Person.worksAt) var staff: [Person] = []
  @Relationship(deleteRule: .nullify, inverse: \Person.visits) var visitors: [Person] = []
  // A non-optional to-one.
  var address: PostalPlace
  @Relationship(.unique, deleteRule: .deny, minimumModelCount: 0, maximumModelCount: 1) var director: Person?
  @Relationship var owner: Person?

  init(name: String, address: PostalPlace) {
    self.name = name
    self.address = address
  }
}

@Model final class Book {
  var title: String
  var library: Library?
  @Relationship(deleteRule: .none, inverse: \Author.books) var authors: [Author]
  // The labels of early articles.
  @Relationship(deleteRule: .cascade, minimum: 1, maximum: 3) var chapters: [Chapter]
  init(title: String, authors: [Author] = []) {
    self.title = title
    self.authors = authors
    self.chapters = []
  }
}

@Model final class Chapter {
  var title: String = ""
}

@Model final class Author {
  var name: String
  var books: [Book]
  init(name: String, books: [Book] = []) {
    self.name = name
    self.books = books
  }
}

@Model final class Person {
  var name: String
  var worksAt: Library?
  var visits: [Library] = []
  // Self-referential.
  var followers: [Person] = []
  @Relationship(inverse: \Person.followers) var following: [Person] = []
  var spouse: Person?
  init(name: String) { self.name = name }
}

@Model final class Shelf {
  var number: Int = 0
  var library: Library?
}

@Model final class Poster {
  var name: String = ""
  var library: Library?
}

@Model final class Photo {
  var name: String = ""
  var library: Library?
}

@Model final class Chair {
  var legs: Int = 4
  var library: Library?
}

@Model final class PostalPlace {
  var city: String
  @Relationship(inverse: \Library.address) var library: Library?
  init(city: String) { self.city = city }
}
