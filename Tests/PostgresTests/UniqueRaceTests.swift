import Foundation
import SwiftData
import Synchronization
import Testing

@testable import SwiftDataPostgres

@Model private final class Label {
  @Attribute(.unique) var name: String
  init(_ name: String) { self.name = name }
}

/// A save or an opening that waits for a lock for five minutes fails. On a busy machine those that may wait do so for seconds.
@Suite("Saves at the same time", .enabled(if: PostgresServer.isThere, PostgresServer.reason), .timeLimit(.minutes(20)))
struct UniqueRaceTests {
  private let store = TestStore()

  /// A program that does not retry.
  private func program() throws -> ModelContext {
    var configuration = store.configuration
    configuration.url += (configuration.url.contains("?") ? "&" : "?") + "options=-c%20lock_timeout%3D300000"
    configuration.maximumSaveAttempts = 1
    return ModelContext(try ModelContainer(for: Label.self, configurations: configuration))
  }

  private func names() throws -> [String] {
    let rows = try store.sql("SELECT name FROM \"Label\" ORDER BY name")
    return (0..<rows.count).compactMap { rows.text($0, 0) }
  }

  /// Waits until a session of any kind waits for a lock of this connection.
  private func awaitWaiting(for connection: PostgresConnection) throws {
    let query = "SELECT 1 FROM pg_stat_activity WHERE \(connection.processIdentifier) = ANY(pg_blocking_pids(pid))"
    while try store.sql(query).count == 0, !Task.isCancelled { Thread.sleep(forTimeInterval: 0.01) }
  }

  @Test("with the same new unique values find each other's rows without a deadlock")
  func sameValues() throws {
    _ = try program()
    let failures = Failures()
    let threads = (0..<6).map { number in
      Worker {
        failures.collect {
          let context = try program()
          for round in 0..<25 {
            // In both directions, which would deadlock if each insert locked its own value.
            let labels = ["a \(round)", "b \(round)", "c \(round)"]
            for name in number.isMultiple(of: 2) ? labels : labels.reversed() { context.insert(Label(name)) }
            try context.save()
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(failures.all == [])
    #expect(try names().count == 75)
  }

  @Test("do not make another program wait that opens a store whose tables exist by now")
  func opening() throws {
    _ = try program()
    // The program finds an incomplete store, and waits for the one that completes it.
    let other = try PostgresConnection(url: store.url, namespace: store.namespace)
    let layout = try #require(other.run("SELECT value FROM _swiftdata_metadata WHERE key = 'layout 2'").text(0, 0))
    try other.run("DELETE FROM _swiftdata_metadata WHERE key = 'layout 2'")
    try other.script("BEGIN")
    try other.run(
      "SELECT pg_advisory_xact_lock(hashtextextended($1::text, 7))", [.text("swiftdata \(store.namespace)")])
    let failures = Failures()
    let opening = Worker { failures.collect { _ = try program() } }
    try awaitWaiting(for: other)
    // The lock of a save that is writing its history.
    let saving = try PostgresConnection(url: store.url, namespace: store.namespace)
    try saving.script("BEGIN; LOCK TABLE _swiftdata_changes IN ROW EXCLUSIVE MODE")
    try other.run("INSERT INTO _swiftdata_metadata (key, value) VALUES ('layout 2', $1::text)", [.text(layout)])
    try other.script("COMMIT")
    opening.join()
    try saving.script("COMMIT")
    #expect(failures.all == [])
  }

  @Test("do not wait for a save that waits at a unique constraint")
  func constraint() throws {
    let free = try program()
    let other = try PostgresConnection(url: store.url, namespace: store.namespace)
    try other.script("BEGIN; INSERT INTO \"Label\" (_pk, name) VALUES (1000000, 'x')")
    let failures = Failures()
    let save = Worker {
      failures.collect {
        let waiting = try program()
        waiting.insert(Label("x"))
        try waiting.save()
      }
    }
    try awaitWaiting(for: other)
    free.insert(Label("y"))
    #expect(throws: Never.self) { try free.save() }
    try other.script("ROLLBACK")
    save.join()
    #expect(failures.all == [])
    #expect(try names() == ["x", "y"])
  }
}
