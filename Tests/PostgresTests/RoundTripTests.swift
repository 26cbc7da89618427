import Foundation
import SwiftData
import Testing

@testable import SwiftDataPostgres

private enum Trips {
  @Model final class Author {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Book {
    var title: String
    var author: Author?
    init(_ title: String) { self.title = title }
  }
  @Model final class Item {
    @Attribute(.unique) var key: String
    var count: Int
    var box: Box?
    init(_ key: String, _ count: Int = 0) { (self.key, self.count) = (key, count) }
  }
  @Model final class Box {
    var items: [Item] = []
    init() {}
  }
}
private typealias Author = Trips.Author
private typealias Book = Trips.Book
private typealias Item = Trips.Item

/// The table "Statements and round trips" in Documentation/postgres.md.
@Suite("Round trips to PostgreSQL", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct RoundTripTests {
  private let store = TestStore()
  private let container: ModelContainer

  init() throws {
    container = try store.open(Author.self, Book.self, Item.self, Trips.Box.self)
    let context = ModelContext(container)
    for number in 0..<1_000 {
      let author = Author("a\(number)")
      context.insert(author)
      for book in 0..<2 { author.books.append(Book("\(number) \(book)")) }
    }
    for number in 0..<500 { context.insert(Item("k\(number)")) }
    try context.save()
  }

  /// The rows of the table in the documentation: statements and round trips by operation.
  private static func documented() throws -> [String: [Int]] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(contentsOf: root.appendingPathComponent("Documentation/postgres.md"), encoding: .utf8)
    let section = page.components(separatedBy: "\n## ").first { $0.hasPrefix("Statements and round trips") } ?? ""
    var rows = [String: [Int]]()
    for line in section.split(separator: "\n") where line.hasPrefix("| ") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      if cells.count == 3, let statements = Int(cells[1]), let trips = Int(cells[2]) {
        rows[cells[0]] = [statements, trips]
      }
    }
    return rows
  }

  /// Measures an operation.
  private func cost(_ name: String, _ costs: inout [String: [Int]], _ body: () throws -> Void) rethrows {
    let ((_, made), count) = try RoundTrips.record { try SQLTrace.record(body) }
    costs[name] = [made.count, count]
  }

  @Test("are as many as the table in Documentation/postgres.md says")
  func table() throws {
    var costs = [String: [Int]]()
    let saving = ModelContext(container)
    // The first block of keys.
    saving.insert(Item("first"))
    saving.insert(Author("first"))
    try saving.save()
    saving.insert(Item("one row"))
    try cost("save of a new object with a unique value", &costs) { try saving.save() }
    saving.insert(Author("one row"))
    try cost("save of a new object", &costs) { try saving.save() }
    try #require(try saving.fetch(FetchDescriptor<Item>()).first).count = 5
    try cost("save of a changed object", &costs) { try saving.save() }
    saving.insert(Item("k7", 7))
    try cost("upsert of one object", &costs) { try saving.save() }
    let upserting = ModelContext(container)
    for number in 0..<500 { upserting.insert(Item("k\(number)", 1)) }
    try cost("upsert of 500 objects", &costs) { try upserting.save() }
    let lists = ModelContext(container)
    let authors = try lists.fetch(FetchDescriptor<Author>())
    cost("to-many relationship of 1,002 objects", &costs) { #expect(authors.map(\.books.count).max() == 2) }
    let references = ModelContext(container)
    let books = try references.fetch(FetchDescriptor<Book>())
    cost("to-one relationship of 2,000 objects", &costs) { #expect(books.allSatisfy { $0.author != nil }) }
    try cost("100 pages of 20 objects", &costs) {
      for page in 0..<100 {
        var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
        (descriptor.fetchLimit, descriptor.fetchOffset) = (20, page * 20 + 1)
        let found = try references.fetch(descriptor)
        #expect(found.count >= 19)
      }
    }
    lists.delete(try #require(authors.first { $0.books.count == 2 }))
    try cost("deletion of an object with 2 dependents", &costs) { try lists.save() }
    let all = ModelContext(container)
    try all.delete(model: Book.self, where: #Predicate { $0.title.contains("1") })
    try cost("save of a deletion by predicate", &costs) { try all.save() }
    let documented = try Self.documented()
    for (name, cost) in costs { #expect(cost == documented[name], "\(name)") }
    #expect(Set(costs.keys) == Set(documented.keys))
  }

  @Test("prepare the pages of a fetch once, and send lists of keys as arrays")
  func plans() throws {
    let context = ModelContext(container)
    func prepared() throws -> [String] {
      let pool = try #require((container.core.stores.first as? PostgresStore)?.connections)
      return try pool.with { connection in
        let found = try connection.run("SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%\"Book\"%'")
        return (0..<found.count).compactMap { found.text($0, 0) }
      }
    }
    for page in 0..<10 {
      var descriptor = FetchDescriptor<Book>()
      (descriptor.fetchLimit, descriptor.fetchOffset) = (page + 1, page * 20 + 1)
      _ = try context.fetch(descriptor)
    }
    #expect(try prepared().count { $0.contains("OFFSET $2") } == 1)
    _ = try context.fetch(FetchDescriptor<Author>()).map(\.books.count)
    #expect(try prepared().contains { $0.contains("= ANY($1::bigint[])") })
    #expect(try !prepared().contains { $0.contains("::text::") })
  }
}
