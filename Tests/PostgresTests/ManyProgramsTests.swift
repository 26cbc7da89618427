import Foundation
import PostgresServers
import SwiftData
import SwiftDataPostgres
import Testing

@Suite(
  "Many programs at one PostgreSQL server", .enabled(if: PostgresServer.isThere, PostgresServer.reason),
  .timeLimit(.minutes(20)))
struct ManyProgramsTests {
  /// `WRITE_SECONDS=120` tries for two minutes.
  private static let seconds = ProcessInfo.processInfo.environment["WRITE_SECONDS"].flatMap(Double.init) ?? 6

  @Test("keep every acknowledged save exactly once while connections are cut and the server is restarted")
  func acknowledged() throws {
    // Others would not like their server to be restarted.
    let server = try PrivateServer()
    defer { server.stop() }
    let store = TestStore(url: server.url)
    let writers = try Writers(8, url: server.url, store.namespace)
    // Before, between and after two restarts.
    for part in 0..<3 {
      if part > 0 { try server.restart() }
      try writers.write(for: Self.seconds / 3, acknowledging: 8) {
        _ = try? store.sql(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            + " AND application_name = 'swiftdata \(store.namespace)' AND random() < 0.2")
        _ = try? store.sql("SELECT pg_sleep(0.2)")
      }
    }
    let lines = try writers.finish()
    #expect(lines.acknowledged.count > 20)
    try lines.expectExactlyOnce(in: store)
  }

  @Test("hear of what the others save")
  func heard() async throws {
    let (one, two) = (ModelContext(try open()), ModelContext(try open()))
    let observer = try ResultsObserver<Shout, Never>(sortBy: [SortDescriptor(\.text)], modelContext: two)
    #expect(observer.results.isEmpty)
    one.insert(Shout("a"))
    try one.save()
    await expectSoon { observer.results.map(\.text) == ["a"] }
    let shout = try #require(observer.results.first)
    try one.fetch(FetchDescriptor<Shout>()).first?.text = "b"
    one.insert(Shout("c"))
    try one.save()
    await expectSoon { observer.results.map(\.text) == ["b", "c"] }
    #expect(observer.results.first === shout)
    // The connection that listens is cut; nothing is missed.
    try store.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        + " WHERE pid <> pg_backend_pid() AND application_name = 'swiftdata \(store.namespace)'")
    one.delete(try #require(try one.fetch(FetchDescriptor<Shout>(sortBy: [SortDescriptor(\.text)])).first))
    try one.save()
    await expectSoon { observer.results.map(\.text) == ["c"] }
  }

  /// Waits for what another thread does, until the suite's time limit.
  private func expectSoon(_ condition: () -> Bool, at location: SourceLocation = #_sourceLocation) async {
    while !condition(), !Task.isCancelled { await Task.yield() }
    #expect(condition(), sourceLocation: location)
  }

  private let store = TestStore()
  private func open() throws -> ModelContainer { try store.open(Shout.self) }
}

@Model private final class Shout {
  var text: String
  init(_ text: String) { self.text = text }
}
