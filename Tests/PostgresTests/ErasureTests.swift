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

  @Test("removes its functions from the schema public too, which stays")
  func publicSchema() throws {
    let name = "erased_" + store.namespace
    try store.sql("CREATE DATABASE \(name)")
    defer { _ = try? store.sql("DROP DATABASE \(name) WITH (FORCE)") }
    var url = try #require(URLComponents(string: store.url))
    url.path = "/" + name
    let place = try #require(url.string)
    let container = try ModelContainer(
      for: Note.self, configurations: PostgresConfiguration(url: place, namespace: "public"))
    try container.erase()
    let left = try PostgresConnection(url: place, namespace: "public").run(
      "SELECT (SELECT count(*) FROM pg_proc WHERE pronamespace = n.oid), (SELECT count(*) FROM pg_class WHERE relnamespace = n.oid),"
        + " (SELECT count(*) FROM pg_operator WHERE oprnamespace = n.oid) FROM pg_namespace AS n WHERE nspname = 'public'"
    )
    #expect((0..<3).map { left.integer(0, $0) } == [0, 0, 0])
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
