import FirestoreProtocol
import Foundation
import SwiftData
import Testing

@testable import Sorted

@MainActor
@Suite("The coordinator of the sync") struct CoordinatorTests {
  private let server: LocalServer
  private let ann: SyncClient

  init() async throws {
    server = try await LocalServer()
    ann = try SyncClient("ann", server.client)
    try ann.begin("c", with: "bob")
  }

  private func coordinator(
    _ reachability: AsyncStream<Bool>? = nil, _ environment: SyncEnvironment? = nil
  ) -> BackgroundSyncCoordinator {
    BackgroundSyncCoordinator(
      container: ann.container, database: ann.database, userID: "ann", reachability: reachability,
      environment: environment ?? ann.environment)
  }

  @Test("It counts what waits, sends it, and says whether the server answers")
  func states() async throws {
    let coordinator = coordinator()
    try ann.send("one", to: "c")
    await ann.database.setDown(true)
    await coordinator.processSyncQueue()
    #expect(!coordinator.isOnline && !coordinator.isSyncing)
    #expect(coordinator.pendingSyncCount == 1)
    #expect(coordinator.errorMessage == "UNAVAILABLE: nobody answers")
    await ann.database.setDown(false)
    await coordinator.sync()
    #expect(coordinator.isOnline && coordinator.pendingSyncCount == 0 && coordinator.errorMessage == nil)
    #expect(coordinator.lastReport?.outgoing.sent == 1)
  }

  @Test("Many who ask at once get two syncs at most, never at the same time")
  func oneAtATime() async throws {
    let coordinator = coordinator()
    try ann.send("one", to: "c")
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { await coordinator.processSyncQueue() } }
    }
    #expect(await ann.database.commits == 1)
    #expect(coordinator.pendingSyncCount == 0)
  }

  @Test("A network that flaps starts no second sync, and what was written is sent once it is there")
  func flapping() async throws {
    let (reachability, network) = AsyncStream.makeStream(of: Bool.self)
    let coordinator = coordinator(reachability)
    let id = try ann.send("one", to: "c")
    for isThere in [false, true, false, true, true, false, true] { network.yield(isThere) }
    network.finish()
    await coordinator.watchNetwork()
    #expect(try ann.message(id) == "one sent/synced")
    #expect(coordinator.isOnline)
    #expect(await ann.database.commits == 1)
  }

  @Test("While nobody answers it asks after 1, 2, 4, 8 and 8 s; then at its interval again")
  func backoff() async throws {
    let (waits, continuation) = AsyncStream.makeStream(of: TimeInterval.self)
    let database = ann.database
    let environment = SyncEnvironment(
      now: { Date() },
      sleep: { seconds in
        continuation.yield(seconds)
        if seconds == 8 { await database.setDown(false) }
        // At its interval it has come to rest.
        if seconds == 77 { try await Task.sleep(for: .seconds(3_600)) }
      }, random: { 0 })
    await database.setDown(true)
    let coordinator = coordinator(nil, environment)
    let running = Task { await coordinator.run(interval: 77) }
    var seen = [TimeInterval]()
    for await seconds in waits {
      seen.append(seconds)
      if seconds == 77 { break }
    }
    #expect(seen == [1, 2, 4, 8, 77])
    #expect(Backoff.delay(after: 9, random: 0) == 8)
    #expect(Backoff.delay(after: 1, random: 0.999) < 1.25)
    running.cancel()
    await running.value
  }

  @Test("Coming online ends the waiting, also of messages that failed for now")
  func wakeUp() async throws {
    let (reachability, network) = AsyncStream.makeStream(of: Bool.self)
    let (waits, continuation) = AsyncStream.makeStream(of: TimeInterval.self)
    let environment = SyncEnvironment(
      now: { Date() },
      sleep: { seconds in
        continuation.yield(seconds)
        try await Task.sleep(for: .seconds(3_600))
      }, random: { 0 })
    let id = try ann.send("one", to: "c")
    await ann.database.decide { _ in .refusal(FirestoreError(.aborted, "busy")) }
    let coordinator = coordinator(reachability, environment)
    let running = Task { await coordinator.run(interval: 77) }
    var iterator = waits.makeAsyncIterator()
    _ = await iterator.next()
    #expect(try ann.message(id) == "one sending/failed")
    await ann.database.decide(nil)
    network.yield(false)
    network.yield(true)
    // It rests again when that sync is done.
    while try ann.message(id) != "one sent/synced" { _ = await iterator.next() }
    running.cancel()
    await running.value
    #expect(coordinator.pendingSyncCount == 0)
  }
}
