import Foundation
import SwiftData
import Testing

@testable import SwiftDataPostgres

@Suite("Erasing a store", .enabled(if: PostgresServer.isThere, PostgresServer.reason), .timeLimit(.minutes(20)))
struct ErasureTests {
  @Model final class Note {
    @Attribute(.spotlight) var text: String
    init(_ text: String) { self.text = text }
  }

  private let store = TestStore()

  private func hasSchema() throws -> Bool {
    try store.sql("SELECT 1 FROM pg_namespace WHERE nspname = '\(store.namespace)'").count == 1
  }

  @Test("removes its schema with the functions that the store made")
  func all() throws {
    let container = try store.open(Note.self)
    try container.erase()
    #expect(try !hasSchema())
  }

  @Test("leaves the types and functions of an administrator, and what depends on them")
  func others() throws {
    let (container, other) = (try store.open(Note.self), TestStore())
    try store.sql("CREATE TYPE status AS ENUM ('a', 'b')")
    try store.sql("CREATE FUNCTION helper() RETURNS bigint LANGUAGE sql AS 'SELECT 7::bigint'")
    try store.sql("CREATE SCHEMA \"\(other.namespace)\"")
    try store.sql("CREATE TABLE \"\(other.namespace)\".orders (number bigint, status status)")
    try container.erase()
    #expect(try store.sql("SELECT status::text FROM \"\(other.namespace)\".orders").count == 0)
    #expect(try store.sql("SELECT helper()").integer(0, 0) == 7)
    #expect(try store.sql("SELECT 1 FROM pg_tables WHERE schemaname = '\(store.namespace)'").count == 0)
    // The next store finds its place.
    let context = ModelContext(try store.open(Note.self))
    context.insert(Note("a word"))
    try context.save()
    #expect(try context.search(Note.self, matching: "word").count == 1)
  }
}
