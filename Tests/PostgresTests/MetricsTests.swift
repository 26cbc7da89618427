import CoreMetrics
import Foundation
import MetricsTestKit
import SwiftData
import Testing

@testable import SwiftDataPostgres

@Model private final class Crate {
  var number: Int
  init(_ number: Int) { self.number = number }
}

@Suite(
  "The metrics of a PostgreSQL store", .enabled(if: PostgresServer.isThere, PostgresServer.reason),
  .timeLimit(.minutes(20)))
struct MetricsTests {
  private let store = TestStore()
  private let metrics = TestMetrics()

  private func open(size: Int = 4) throws -> ModelContainer {
    var configuration = store.configuration
    configuration.pool.size = size
    return try withMetricsFactory(metrics) { () throws(any Error) in
      try ModelContainer(for: Crate.self, configurations: configuration)
    }
  }

  @Test("count new connections, and time those who wait for one")
  func pool() throws {
    let container = try open(size: 1)
    let connections = try #require((container.core.stores.first as? PostgresStore)?.connections)
    let wait = try metrics.expectTimer("swiftdata.postgres.connections.wait", [("role", "primary")])
    try ModelContext(container).save()
    #expect(wait.values.isEmpty)
    let failures = Failures()
    // The fetch waits for the only connection.
    let reader = try connections.with { _ in
      let reader = Worker {
        failures.collect {
          let count = try ModelContext(container).fetchCount(FetchDescriptor<Crate>())
          #expect(count == 0)
        }
      }
      while !connections.primary.hasWaiters, !Task.isCancelled { Thread.sleep(forTimeInterval: 0.001) }
      return reader
    }
    reader.join()
    #expect(failures.all == [])
    #expect(wait.values.count == 1)
    let opened = try metrics.expectCounter("swiftdata.postgres.connections.opened", [("role", "primary")])
    #expect(opened.totalValue == 1)
    let busy = try metrics.expectGauge("swiftdata.postgres.connections.busy", [("role", "primary")])
    // Two threads that hand a connection on report their counts in any order. This one is alone.
    _ = try ModelContext(container).fetchCount(FetchDescriptor<Crate>())
    #expect(busy.values.max() == 1 && busy.values.last == 0)
  }

  @Test("count the retry of a save whose connection was lost")
  func retry() throws {
    let container = try open()
    let name = store.configuration.name
    let failures = Failures()
    let other = try PostgresConnection(url: store.url, namespace: store.namespace)
    try other.script("BEGIN; LOCK TABLE \"Crate\"")
    let writer = Worker {
      failures.collect {
        let context = ModelContext(container)
        context.insert(Crate(1))
        try context.save()
      }
    }
    let blocked = "SELECT pid FROM pg_locks WHERE NOT granted AND relation = '\"Crate\"'::regclass"
    var pid = PostgresResult?.none
    while pid?.count != 1, !Task.isCancelled { pid = try other.run(blocked) }
    try other.script("SELECT pg_terminate_backend(\(try #require(pid).integer(0, 0))); COMMIT")
    writer.join()
    #expect(failures.all == [])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Crate>()) == 1)
    let lost = try metrics.expectCounter("swiftdata.postgres.saves.retried", [("store", name), ("reason", "lost")])
    #expect(lost.totalValue == 1)
    let conflicts = try metrics.expectCounter(
      "swiftdata.postgres.saves.retried", [("store", name), ("reason", "conflict")])
    #expect(conflicts.totalValue == 0)
  }
}
