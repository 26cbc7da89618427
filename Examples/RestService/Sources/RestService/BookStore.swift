import Foundation
import SwiftData
import SwiftDataPostgres

/// The books of the service. `@ModelActor` gives it a context of its own, which runs off Swift's cooperative threads.
@ModelActor
public actor BookStore {
  /// Opens the store: PostgreSQL for `postgres://…`, otherwise a SQLite file; nil is a store in memory.
  public static func open(_ store: String?) throws -> BookStore {
    guard let store else {
      return BookStore(
        modelContainer: try ModelContainer(
          for: Book.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    }
    if store.hasPrefix("postgres") {
      return BookStore(
        modelContainer: try ModelContainer(for: Book.self, configurations: PostgresConfiguration(url: store)))
    }
    let file = ModelConfiguration(url: URL(fileURLWithPath: store))
    return BookStore(modelContainer: try ModelContainer(for: Book.self, configurations: file))
  }

  /// The books from a year on, by title; `limit` of them after the first `offset`.
  func list(since year: Int, offset: Int, limit: Int) throws -> [BookValue] {
    var descriptor = FetchDescriptor<Book>(
      predicate: #Predicate { $0.year >= year }, sortBy: [SortDescriptor(\.title), SortDescriptor(\.isbn)])
    descriptor.fetchOffset = offset
    descriptor.fetchLimit = limit
    return try modelContext.fetch(descriptor).map(BookValue.init)
  }

  func book(isbn: String) throws -> BookValue? {
    try find(isbn).map(BookValue.init)
  }

  /// Stores a book. The unique ISBN makes this an upsert: it replaces the book of the same ISBN.
  /// - Returns: whether the book is new.
  func put(_ value: BookValue) throws -> Bool {
    let isNew = try find(value.isbn) == nil
    modelContext.insert(Book(isbn: value.isbn, title: value.title, year: value.year))
    try modelContext.save()
    return isNew
  }

  /// - Returns: whether there was such a book.
  func delete(isbn: String) throws -> Bool {
    guard let book = try find(isbn) else { return false }
    modelContext.delete(book)
    try modelContext.save()
    return true
  }

  private func find(_ isbn: String) throws -> Book? {
    try modelContext.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.isbn == isbn })).first
  }
}
