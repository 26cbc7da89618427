import Foundation
import PostgresServers
@_spi(Transactions) import SwiftData
import Synchronization
import Testing

@testable import SwiftDataPostgres

@Model private final class Entry {
  var number: Int
  init(_ number: Int) { self.number = number }
}

/// A server whose commits wait for a replica that does not exist, until ``release()``.
private final class WaitingServer: Sendable {
  let store: TestStore
  /// Only the thread of the test stops it.
  private let server: Unchecked<PrivateServer>
  private let count = Mutex(0)
  private let isOver = Mutex(false)
  let failures = Failures()

  init() throws {
    server = Unchecked(try PrivateServer())
    store = TestStore(url: server.value.url)
  }

  var savedCount: Int { count.withLock { $0 } }

  private func setReplicas(_ command: String) throws {
    try store.sql("ALTER SYSTEM \(command)")
    try store.sql("SELECT pg_reload_conf()")
  }

  /// Saves on another thread until a commit waits.
  /// - Returns: the thread, and the process that waits.
  func saveUntilWaiting(_ container: ModelContainer) throws -> (worker: Worker, process: Int64) {
    try setReplicas("SET synchronous_standby_names = 'absent_replica'")
    let box = Unchecked(container)
    let worker = Worker { [self] in
      failures.collect {
        let context = ModelContext(box.value)
        while !isOver.withLock({ $0 }) {
          let number = count.withLock { count in
            count += 1
            return count
          }
          context.insert(Entry(number))
          try context.save()
        }
      }
      isOver.withLock { $0 = true }
    }
    let process = try waiting(except: 0)
    isOver.withLock { $0 = true }
    return (worker, try #require(process))
  }

  /// Returns the process of a commit that waits for the replica, or nil if all saves ended.
  func waiting(except known: Int64, hasEnded: () -> Bool = { false }) throws -> Int64? {
    let sql = "SELECT pid::bigint FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid <> \(known)"
    while !hasEnded() {
      let found = try store.sql(sql)
      if found.count > 0 { return found.integer(0, 0) }
      try Task.checkCancellation()
      Thread.sleep(forTimeInterval: 0.01)
    }
    return nil
  }

  /// Ends the wait of all commits.
  func release() throws { try setReplicas("RESET synchronous_standby_names") }

  func stop() { server.value.stop() }
}

@Suite(
  "A save to PostgreSQL whose commit got no answer", .enabled(if: PostgresServer.isThere, PostgresServer.reason),
  .timeLimit(.minutes(20)))
struct CommitProofTests {
  /// The numbers of the stored entries.
  private func numbers(_ store: TestStore) throws -> [Int] {
    try ModelContext(try store.open(Entry.self)).fetch(FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.number)]))
      .map(\.number)
  }

  @Test("ends only when a replica has the commit that it finds")
  func synchronous() throws {
    let server = try WaitingServer()
    defer { server.stop() }
    let store = server.store
    let (worker, process) = try server.saveUntilWaiting(try store.open(Entry.self))
    // The server makes the commit visible and closes the connection.
    try store.sql("SELECT pg_terminate_backend(\(process))")
    let hasEnded = Mutex(false)
    let end = Worker {
      worker.join()
      hasEnded.withLock { $0 = true }
    }
    let other = try server.waiting(except: process) { hasEnded.withLock { $0 } }
    #expect(other != nil, "the save ended while no replica had its commit")
    try server.release()
    end.join()
    #expect(server.failures.all.isEmpty, "\(server.failures.all)")
    #expect(try numbers(store) == Array(1...server.savedCount))
  }

  @Test("finds its commit after another program deleted the history", arguments: [false, true])
  func deletedHistory(isFormer: Bool) throws {
    let server = try WaitingServer()
    defer { server.stop() }
    let store = server.store
    let container = try store.open(Entry.self)
    // As an earlier version of the library made it.
    if isFormer { try store.sql("ALTER TABLE _swiftdata_history_gone DROP COLUMN save") }
    let deleting = try store.open([Entry.self]) { $0.url += "&options=-c%20synchronous_commit%3Dlocal" }
    let (worker, process) = try server.saveUntilWaiting(container)
    let box = Unchecked(deleting)
    let other = Worker {
      server.failures.collect {
        // Waits for the save before it deletes, and makes the next attempt of the save wait.
        try box.value.transaction {
          try ModelContext(box.value).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        }
      }
    }
    let blocked = "SELECT 1 FROM pg_stat_activity WHERE \(process) = ANY(pg_blocking_pids(pid))"
    while try store.sql(blocked).count == 0 {
      try Task.checkCancellation()
      Thread.sleep(forTimeInterval: 0.01)
    }
    try store.sql("SELECT pg_terminate_backend(\(process))")
    other.join()
    try server.release()
    worker.join()
    #expect(server.failures.all.isEmpty, "\(server.failures.all)")
    #expect(try numbers(store) == Array(1...server.savedCount))
  }
}
