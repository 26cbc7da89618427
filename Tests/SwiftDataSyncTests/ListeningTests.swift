#if Sync
import Foundation
import SwiftData
import SyncProtocol
import Testing

@testable import SwiftDataSync

/// An engine that waits for news while the server has troubles.
@Suite("An engine that listens to the server", .serialized, .timeLimit(.minutes(20)))
struct ListeningTests {
  private let transport = LoopTransport()
  private let database = "iCloud.com.example.\(UUID().uuidString)"

  private func container() throws -> (ModelContainer, SyncEngine) {
    SyncRemote.register(
      database, transport: transport, credentials: SyncCredentials(token: "t"), resolvers: [], servesAutomatic: false)
    defer { SyncRemote.unregister(database) }
    let container = try ModelContainer(
      for: EngineTrack.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .private(database)))
    return (container, try #require(container.syncEngines.first))
  }

  private func insert(_ title: String, _ container: ModelContainer) throws {
    let context = ModelContext(container)
    context.insert(EngineTrack(id: title, title: title))
    try context.save()
  }

  /// Waits as long as it takes, because the machine may be busy. The time limit of the suite ends a wait without a result.
  private func wait(_ condition: () throws -> Bool) async throws {
    while try !condition() { try await Task.sleep(for: .milliseconds(10)) }
  }

  @Test("It waits longer after each failure, also if the server tells of news that cannot be fetched")
  func backoff() async throws {
    let ((one, listener), (other, sender)) = (try container(), try container())
    try await listener.syncNow()
    await listener.pause()
    try insert("a", other)
    try await sender.syncNow()
    await sender.stop()
    transport.refuse(SyncFailure(.unavailable, "try again"))
    // Before the engine goes on: a busy machine may let it ask first.
    let (before, start) = (transport.waits.count, ContinuousClock.now)
    await listener.resume()
    try await wait { transport.waits.count >= before + 4 }
    // The pauses between four questions are 0.25, 0.5 and 1 seconds at least. A busy machine makes them longer.
    #expect(start.duration(to: .now) >= .seconds(1.75))
    #expect(try ModelContext(one).fetchCount(FetchDescriptor<EngineTrack>()) == 0)
    await listener.stop()
  }

  @Test("It listens at once after resume(), and after an exchange that succeeded, however long it had to wait")
  func wakesUp() async throws {
    let (one, engine) = try container()
    try await engine.syncNow()
    try await wait { transport.waits.contains(25) }
    await engine.pause()
    transport.refuseWaits(SyncFailure(.rateLimited, "wait an hour", retryAfter: 3600))
    let refused = transport.waits.count
    await engine.resume()
    try await wait { transport.waits.count > refused }
    transport.refuseWaits(nil)
    await engine.pause()
    await engine.resume()
    try await wait { transport.waits.last == 25 }

    let (other, sender) = try container()
    // Only the listener asks.
    await sender.pause()
    transport.refuseWaits(SyncFailure(.rateLimited, "wait an hour", retryAfter: 3600))
    let heard = transport.waits.count
    try insert("a", other)
    try await sender.syncNow()
    // It takes the news in, asks again, and is refused.
    try await wait {
      try transport.waits.count > heard && ModelContext(one).fetchCount(FetchDescriptor<EngineTrack>()) == 1
    }
    while await engine.sleeper == nil { try await Task.sleep(for: .milliseconds(10)) }
    transport.refuseWaits(nil)
    try await engine.syncNow()
    try await wait { transport.waits[(heard + 1)...].contains(25) }
    for engine in [engine, sender] { await engine.stop() }
  }

  @Test("Its status tells that the server cannot be listened to, and when it can again, while nothing is saved")
  func status() async throws {
    let (one, engine) = try container()
    try await engine.syncNow()
    await engine.pause()
    transport.refuseWaits(SyncFailure(.unauthorized, "sign in again"))
    await engine.resume()
    try await wait { engine.status.error?.code == .unauthorized }
    transport.refuseWaits(nil)
    try await wait { engine.status.error == nil }
    await engine.stop()
    // An engine whose container is gone ends.
    withExtendedLifetime(one) {}
  }

  @Test("A replica notices what another process saved in its store")
  func otherProcess() throws {
    let group = try ZoneGroup([EngineTrack.self], count: 1)
    try group.sync(0)
    #expect(!group.replicas[0].hasUnseenSaves)
    try group.save(0) { $0.insert(EngineTrack(id: "a", title: "a")) }
    #expect(group.replicas[0].hasUnseenSaves)
    try group.sync(0)
    #expect(!group.replicas[0].hasUnseenSaves)
  }
}
#endif
