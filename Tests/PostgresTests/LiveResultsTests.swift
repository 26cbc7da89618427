import Foundation
import PostgresServers
import SwiftData
import Testing

@testable import SwiftDataPostgres

@Model private final class Lamp {
  var number: Int
  init(_ number: Int) { self.number = number }
}

@Suite(
  "Live results of several servers", .enabled(if: PostgresServer.isThere, PostgresServer.reason),
  .enabled(if: PrivatePooler.isInstalled, "no pgbouncer: `make test-all` installs it"),
  .timeLimit(.minutes(20))
)
struct LiveResultsTests {
  @Test("A server that does not answer delays no news from other stores")
  func down() async throws {
    let pooler = try PrivatePooler("transaction")
    // With several hosts the pool waits until one of them is the primary.
    let url = pooler.url.replacing(/host=([^&]+)/) { "host=\($0.1),\($0.1)" }
    try #require(url != pooler.url)
    let silent = PostgresConfiguration(url: url, pool: PostgresPoolOptions(timeout: .seconds(3_600)))
    let unheard = try Pair(
      try ModelContainer(for: Lamp.self, configurations: silent),
      try ModelContainer(for: Lamp.self, configurations: silent))
    try await unheard.exchange(1...1)
    pooler.stop()
    // The history behind a pooler is read once a second, so by now such a read waits for the server.
    try await Task.sleep(for: .seconds(2))
    let store = TestStore()
    try await Pair(store.open(Lamp.self), store.open(Lamp.self)).exchange(1...3)
    #expect(unheard.observer.results.count == 1)
  }

  /// A context that saves, and results of another container that hear of it.
  private struct Pair {
    let there: ModelContext
    let observer: ResultsObserver<Lamp, Never>

    init(_ here: ModelContainer, _ there: ModelContainer) throws {
      self.there = ModelContext(there)
      observer = try ResultsObserver(sortBy: [SortDescriptor(\.number)], modelContext: ModelContext(here))
    }

    func exchange(_ numbers: ClosedRange<Int>) async throws {
      for number in numbers {
        there.insert(Lamp(number))
        try there.save()
        while observer.results.count < number, !Task.isCancelled { await Task.yield() }
        try #require(observer.results.map(\.number) == Array(1...number))
      }
    }
  }
}
