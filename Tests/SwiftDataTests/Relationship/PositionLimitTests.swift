import Foundation
import SwiftData
import Testing

private enum Limits {
  @Model final class Shelf {
    @Relationship(inverse: \Book.shelf) var books: [Book] = []
    init() {}
  }

  @Model final class Book {
    var title: String
    var shelf: Shelf?
    init(_ title: String) { self.title = title }
  }
}

@Suite struct PositionLimitTests {
  @Test("A list whose first position is the least that another program can write takes another element before it")
  func least() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(Limits.Shelf.self))
      let shelf = Limits.Shelf()
      context.insert(shelf)
      shelf.books = ["a", "b", "c"].map { Limits.Book($0) }
      try context.save()
      shelf.books.reverse()
      try context.save()
    }
    // One distance of positions above the least integer.
    _ = try store.shell(
      """
      UPDATE Book SET "shelf#position" = "shelf#position" - (SELECT min("shelf#position") FROM Book)
        - 9223372036854775807 - 1 + 4294967296
      """)
    let context = ModelContext(try store.container(Limits.Shelf.self))
    let shelf = try #require(try context.fetch(FetchDescriptor<Limits.Shelf>()).first)
    #expect(shelf.books.map(\.title) == ["c", "b", "a"])
    shelf.books.insert(Limits.Book("d"), at: 0)
    try context.save()
    let stored = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Limits.Shelf>()).first)
    #expect(stored.books.map(\.title) == ["d", "c", "b", "a"])
  }
}
