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
    let writers = try Writers(8, url: server.url, store.namespace, end: "\(Self.seconds)")
    try disturb(store, server, until: Date(timeIntervalSinceNow: Self.seconds))
    let lines = try writers.finish()
    #expect(lines.acknowledged.count > 20)
    try lines.expectExactlyOnce(in: store)
  }

  /// Cuts connections at random, and restarts the server twice.
  private func disturb(_ store: TestStore, _ server: PrivateServer, until end: Date) throws {
    let start = Date()
    var restarts = 0
    while Date() < end {
      // One after the other, each as soon as the last is done: what it hits is chance enough.
      _ = try? store.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
          + " AND application_name = 'swiftdata \(store.namespace)' AND random() < 0.2")
      let share = Date().timeIntervalSince(start) / end.timeIntervalSince(start)
      if share > Double(restarts + 1) / 3, restarts < 2 {
        try server.restart()
        restarts += 1
      }
      // So that something is written in between.
      _ = try? store.sql("SELECT pg_sleep(0.2)")
    }
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
