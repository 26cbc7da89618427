import Foundation
import SwiftData
import Synchronization
import Testing

@testable import SwiftDataPostgres

@Model private final class Item {
  @Attribute(.unique) var key: String
  var count: Int
  init(_ key: String, _ count: Int = 0) { (self.key, self.count) = (key, count) }
}

@Suite(
  "Programs that save at once", .enabled(if: PostgresServer.isThere, PostgresServer.reason), .timeLimit(.minutes(20)))
struct ContentionTests {
  private let store = TestStore()

  private func open(attempts: Int = 50, url: String = PostgresServer.url, size: Int = 4) throws -> ModelContext {
    ModelContext(
      try store.open([Item.self]) { ($0.maximumSaveAttempts, $0.url, $0.pool.size) = (attempts, url, size) })
  }

  private func insert(_ connection: PostgresConnection, _ key: String) throws {
    try connection.script("BEGIN")
    try connection.run(
      "INSERT INTO \"Item\" (_pk, key, count) VALUES (nextval('\"Item#keys\"'), $1::text, 0)", [.text(key)])
  }

  /// Waits until a session of the store waits for another session's transaction.
  private func awaitWaiting(for connection: PostgresConnection) throws {
    let query = """
      SELECT 1 FROM pg_stat_activity
      WHERE application_name = 'swiftdata \(store.namespace)' AND $1::bigint = ANY(pg_blocking_pids(pid))
      """
    while try store.sql(query, [.integer(Int64(connection.processIdentifier))]).count == 0, !Task.isCancelled {
      Thread.sleep(forTimeInterval: 0.01)
    }
  }

  @Test("are tried again as often as the configuration says: a save may collide five times in a row")
  func collisions() throws {
    let context = try open()
    // Other programs' saves of so many values that they lock none of them, committed one after the other.
    let others = try (0..<5).map { number in
      let other = try PostgresConnection(url: store.url, namespace: store.namespace)
      try insert(other, "k\(number)")
      return other
    }
    for number in 0..<40 { context.insert(Item("k\(number)", 9)) }
    let failures = Failures()
    let save = Worker { [context = Unchecked(context)] in failures.collect { try context.value.save() } }
    for other in others {
      try awaitWaiting(for: other)
      try other.script("COMMIT")
    }
    save.join()
    #expect(failures.all == [])
    #expect(try store.sql("SELECT 1 FROM \"Item\" WHERE count = 9").count == 40)
  }

  @Test("are refused after a few attempts where the values stay taken")
  func genuine() throws {
    let context = try open()
    let (one, two) = (Item("one"), Item("two"))
    context.insert(one)
    context.insert(two)
    try context.save()
    one.key = "two"
    context.insert(Item("three"))
    let (error, statements) = SQLTrace.record { () -> SwiftDataError? in
      #expect(throws: SwiftDataError.self) { try context.save() }
    }
    #expect(error?.code == SwiftDataError.uniquenessViolation.code)
    #expect(error?.property == "key")
    #expect(statements.count { $0.contains("INSERT INTO _swiftdata_history ") } == 3)
  }

  /// The seconds for which six programs save. `make test-all` lets them save for a minute.
  private static let seconds = ProcessInfo.processInfo.environment["TEST_ALL"] == nil ? 0.0 : 60

  @Test("with 100 overlapping unique values update each other's rows, and none is refused")
  func upserts() throws {
    _ = try open()
    let failures = Failures()
    let end = ContinuousClock.now + .seconds(Self.seconds)
    let threads = (0..<6).map { number in
      Worker {
        failures.collect {
          var generator = SystemRandomNumberGenerator()
          var round = -1
          while round < 14 || ContinuousClock.now < end {
            round += 1
            let context = try open(attempts: 8)
            for key in (0..<100).shuffled(using: &generator) {
              // New values in each round, so that saves collide in all of them.
              context.insert(Item("\(round / 5) \(key)", number))
            }
            try context.save()
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(failures.all == [])
    let rows = try store.sql("SELECT 1 FROM \"Item\"").count
    #expect(rows >= 300 && rows.isMultiple(of: 100))
  }

  /// Calls `body` with a container whose user may have two connections, and the user's name.
  private func withLimitedRole(_ body: (ModelContainer, String) throws -> Void) throws {
    _ = try open()
    let role = "role_" + store.namespace.suffix(12)
    for statement in [
      "CREATE ROLE \(role) LOGIN CONNECTION LIMIT 2", "GRANT USAGE ON SCHEMA \(store.namespace) TO \(role)",
      "GRANT ALL ON ALL TABLES IN SCHEMA \(store.namespace) TO \(role)",
      "GRANT ALL ON ALL SEQUENCES IN SCHEMA \(store.namespace) TO \(role)",
    ] { try store.sql(statement) }
    defer { for statement in ["DROP OWNED BY \(role)", "DROP ROLE \(role)"] { _ = try? store.sql(statement) } }
    var url = URLComponents(string: PostgresServer.url)!
    url.user = role
    try body(try open(url: url.string!).container, role)
  }

  @Test("wait for the pool's own connections where the user may have no more")
  func roleLimit() throws {
    try withLimitedRole { container, _ in
      let failures = Failures()
      let threads = (0..<8).map { number in
        Worker {
          failures.collect {
            for round in 0..<10 {
              let context = ModelContext(container)
              _ = try context.fetch(FetchDescriptor<Item>())
              context.insert(Item("\(number) \(round)"))
              try context.save()
            }
          }
        }
      }
      for thread in threads { thread.join() }
      #expect(failures.all == [])
    }
    #expect(try store.sql("SELECT 1 FROM \"Item\"").count == 80)
  }

  @Test("use more connections as soon as the user may have them, also while threads wait all the time")
  func raisedLimit() throws {
    try withLimitedRole { container, role in
      let pool = try #require((container.core.stores.first as? PostgresStore)?.connections.primary)
      let failures = Failures()
      let isDone = Mutex(false)
      let threads = (0..<8).map { _ in
        Worker {
          failures.collect {
            while !isDone.withLock({ $0 }) { _ = try ModelContext(container).fetchCount(FetchDescriptor<Item>()) }
          }
        }
      }
      while pool.count < 2, !Task.isCancelled { Thread.sleep(forTimeInterval: 0.01) }
      try store.sql("ALTER ROLE \(role) CONNECTION LIMIT 4")
      while pool.count < 4, !Task.isCancelled { Thread.sleep(forTimeInterval: 0.01) }
      isDone.withLock { $0 = true }
      for thread in threads { thread.join() }
      #expect(failures.all == [])
    }
  }
}
