#if Sync
import Foundation
import SwiftData
import SyncProtocol
import Synchronization
import Testing

@testable import SwiftDataSync

/// A way to a server on which something is written before each request of a kind arrives.
private final class BusyTransport: SyncTransport {
  private struct State {
    var requests = 0
    var meanwhile: (@Sendable () async throws -> Void)?
  }

  private let server: any SyncTransport
  private let kind: String
  private let state = Mutex(State())
  /// An exchange that does not end by itself ends here, so that its test fails instead of waiting without end.
  private let most = 30

  init(_ server: any SyncTransport, before kind: String) { (self.server, self.kind) = (server, kind) }

  /// The requests of the kind since ``write(_:)``.
  var requests: Int { state.withLock { $0.requests } }

  func write(_ meanwhile: (@Sendable () async throws -> Void)?) {
    state.withLock { $0 = State(meanwhile: meanwhile) }
  }

  func send(_ request: SyncRequest) async throws -> SyncReply {
    guard request.path.hasSuffix(kind) else { return try await server.send(request) }
    let meanwhile = state.withLock { state in
      state.requests += 1
      return state.requests <= most ? state.meanwhile : nil
    }
    try await meanwhile?()
    return try await server.send(request)
  }
}

@Suite("An exchange next to writers that do not stop", .serialized, .timeLimit(.minutes(20)))
struct BusyExchangeTests {
  private let server = LoopTransport()

  private func insert(_ count: Int, _ container: ModelContainer) throws {
    for _ in 0..<count {
      let context = ModelContext(container)
      context.insert(EngineTrack(id: UUID().uuidString, title: "saved meanwhile"))
      try context.save()
    }
  }

  private func identifiers(_ container: ModelContainer) throws -> Set<String> {
    try Set(ModelContext(container).fetch(FetchDescriptor<EngineTrack>()).map(\.id))
  }

  @Test("It sends what waited when it began to send, and leaves the saves since to the next one")
  func saves() async throws {
    let transport = BusyTransport(server, before: "/push")
    let (container, engine) = try await server.pausedEngine(over: transport)
    try await engine.syncNow()
    try insert(3, container)
    transport.write { try insert(1, container) }
    try await engine.syncNow()
    #expect(transport.requests == 1)
    #expect(engine.status.pendingChanges == 1)
    #expect(server.log.count == 1)
    try await engine.syncNow()
    #expect(server.log.count == 2)
    transport.write(nil)
    try await engine.syncNow()
    #expect(engine.status.pendingChanges == 0)
    #expect(server.log.count == 3)
  }

  @Test("The sync in the background sends what another process saved during an exchange")
  func savesOfAnotherProcess() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("busy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("user.store")
    let transport = BusyTransport(server, before: "/push")
    let (container, engine) = try await engine(at: url, over: transport)
    try await engine.syncNow()
    transport.write {
      guard transport.requests <= 2 else { return }
      await #expect(processExitsWith: .success) { [path = url.path as String] in
        let container = try ModelContainer(
          for: EngineTrack.self,
          configurations: ModelConfiguration(url: URL(fileURLWithPath: path), cloudKitDatabase: .none))
        let context = ModelContext(container)
        context.insert(EngineTrack(id: UUID().uuidString, title: "saved by another process"))
        try context.save()
      }
    }
    // The server says nothing of changes, so the engine does not look at the store for another reason.
    server.refuseWaits(SyncFailure(.unavailable, "busy", retryAfter: 3600))
    try insert(1, container)
    await engine.resume()
    while server.log.count < 3 || engine.status.isSyncing { try await Task.sleep(for: .milliseconds(10)) }
    #expect(engine.status.pendingChanges == 0)
    await engine.stop()
  }

  @Test("It sends all objects of a store from before the sync, although the program saves meanwhile")
  func firstScan() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("busy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("user.store")
    do {
      let container = try ModelContainer(
        for: EngineTrack.self, configurations: ModelConfiguration(url: url, cloudKitDatabase: .none))
      let context = ModelContext(container)
      for number in 0..<2500 { context.insert(EngineTrack(id: "\(number)", title: "old")) }
      try context.save()
    }
    let transport = BusyTransport(server, before: "/push")
    let (container, engine) = try await engine(at: url, over: transport)
    transport.write { try insert(1, container) }
    try await engine.syncNow()
    let old = server.log.flatMap(\.parts.values).flatMap(\.values)
      .count { $0.fields["title"]?.value == .text("old") }
    #expect(old == 2500)
    #expect(transport.requests < 10)
    await engine.stop()
  }

  @Test("It takes in what the server had when it answered first, and leaves later changes to the next one")
  func changesOfOthers() async throws {
    let transport = BusyTransport(server, before: "/pull")
    let (container, engine) = try await server.pausedEngine(over: transport)
    try await engine.syncNow()
    let (other, sender) = try await server.pausedEngine()
    // Each is a transaction of its own. An answer has 10.
    @Sendable func send(_ count: Int) async throws {
      for _ in 0..<count {
        try insert(1, other)
        try await sender.syncNow()
      }
    }
    try await send(35)
    try insert(1, container)
    transport.write { try await send(12) }
    try await engine.syncNow()
    #expect(try identifiers(container).count >= 36)
    #expect(transport.requests < 15)
    #expect(engine.status.pendingChanges == 0)
    transport.write(nil)
    try await engine.syncNow()
    #expect(try identifiers(container).isSuperset(of: identifiers(other)))
  }

  /// An engine of a store in a file that exchanges changes only when a test asks for it.
  private func engine(at url: URL, over transport: any SyncTransport) async throws -> (ModelContainer, SyncEngine) {
    let database = "iCloud.com.example.\(UUID().uuidString)"
    let gate = Gate(transport)
    SyncRemote.register(database, transport: gate, credentials: SyncCredentials(token: "t"), servesAutomatic: false)
    defer { SyncRemote.unregister(database) }
    let container = try ModelContainer(
      for: EngineTrack.self, configurations: ModelConfiguration(url: url, cloudKitDatabase: .private(database)))
    return (container, try await gate.pausedEngine(of: container))
  }
}
#endif
