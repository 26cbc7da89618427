import Foundation
import SwiftData
import Testing

@Suite("Article: A server")
struct Server {
  @Model
  final class Book {
    @Attribute(.unique) var isbn: String
    var title: String
    var year: Int

    init(isbn: String, title: String, year: Int) {
      self.isbn = isbn
      self.title = title
      self.year = year
    }
  }

  @ModelActor
  actor BookStore {
    func list(since year: Int, limit: Int) throws -> [BookValue] {
      var descriptor = FetchDescriptor<Book>(
        predicate: #Predicate { $0.year >= year }, sortBy: [SortDescriptor(\.title)])
      descriptor.fetchLimit = limit
      return try modelContext.fetch(descriptor).map { BookValue(isbn: $0.isbn, title: $0.title, year: $0.year) }
    }

    func put(_ value: BookValue) throws {
      modelContext.insert(Book(isbn: value.isbn, title: value.title, year: value.year))
      do {
        try modelContext.save()
      } catch {
        modelContext.rollback()
        throw error
      }
    }
  }

  struct BookValue: Codable, Sendable, Equatable {
    var isbn: String
    var title: String
    var year: Int
  }

  func titles(in container: ModelContainer) async throws -> [String] {
    try await container.perform { context in
      try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])).map(\.title)
    }
  }

  @Test("An actor stores and lists values, and each request may have a context of its own")
  func handlers() async throws {
    let container = try memoryContainer(Book.self)
    let store = BookStore(modelContainer: container)
    let old = BookValue(isbn: "1", title: "Old", year: 1_900)
    let new = BookValue(isbn: "2", title: "New", year: 2_000)
    try await store.put(old)
    try await store.put(new)
    #expect(try await store.list(since: 1_950, limit: 10) == [new])
    #expect(try await titles(in: container) == ["New", "Old"])
  }
}
