import Foundation
import SwiftData

/// A stored book.
@Model
public final class Book {
  #Index<Book>([\.title, \.isbn])

  /// Identifies the book.
  @Attribute(.unique) public private(set) var isbn: String
  /// The title.
  public var title: String
  /// The year of publication.
  public var year: Int

  /// Creates a book that no context has yet.
  public init(isbn: String, title: String, year: Int) {
    self.isbn = isbn
    self.title = title
    self.year = year
  }
}

/// A book as JSON. Models belong to their context, so only values cross the actor's boundary.
public struct BookValue: Codable, Sendable, Equatable {
  /// Identifies the book.
  public var isbn: String
  /// The title.
  public var title: String
  /// The year of publication.
  public var year: Int

  /// Creates the JSON of a book.
  public init(isbn: String, title: String, year: Int) {
    self.isbn = isbn
    self.title = title
    self.year = year
  }

  init(_ book: Book) {
    self.init(isbn: book.isbn, title: book.title, year: book.year)
  }
}
