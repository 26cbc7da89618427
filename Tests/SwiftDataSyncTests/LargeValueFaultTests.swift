#if Sync
import Foundation
import SwiftData
import SyncProtocol
import Testing

@testable import SwiftDataSync

/// Titles of both sides.
private struct BothTitles: ConflictResolver {
  func resolve(local: EngineTrack, remote: EngineTrack) { local.title = remote.title + local.title }
}

@Suite("Large values that cannot be fetched at once", .serialized)
struct LargeValueFaultTests {
  private let transport = LoopTransport()
  private let database = "iCloud.com.example.\(UUID().uuidString)"

  private func container(
    at url: URL? = nil, resolvers: [any ConflictResolver] = []
  ) async throws -> (ModelContainer, SyncEngine) {
    SyncServer.register(
      database, transport: transport, credentials: SyncCredentials(token: "t"), resolvers: resolvers,
      servesAutomatic: false)
    defer { SyncServer.unregister(database) }
    let configuration =
      url.map { ModelConfiguration(url: $0, cloudKitDatabase: .private(database)) }
      ?? ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .private(database))
    let container = try ModelContainer(for: EngineTrack.self, configurations: configuration)
    let engine = try #require(container.syncEngines.first)
    await engine.pause()
    return (container, engine)
  }

  private func bytes(_ number: UInt8) -> Data { Data(repeating: number, count: SyncWire.assetThreshold + 1) }

  private func save(_ container: ModelContainer, _ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(container)
    try body(context)
    try context.save()
  }

  private func insert(_ id: String, _ container: ModelContainer) throws {
    try save(container) { context in
      let track = EngineTrack(id: id, title: id)
      track.cover = bytes(1)
      context.insert(track)
    }
  }

  private func edit(_ container: ModelContainer, _ body: (EngineTrack) -> Void) throws {
    try save(container) { context in for track in try context.fetch(FetchDescriptor<EngineTrack>()) { body(track) } }
  }

  private func tracks(_ container: ModelContainer) throws -> [EngineTrack] {
    try ModelContext(container).fetch(FetchDescriptor<EngineTrack>(sortBy: [SortDescriptor(\.id)]))
  }

  @Test("A resolver decides the conflict of an object whose large value is not here apart from the object")
  func resolver() async throws {
    let (one, sender) = try await container(resolvers: [BothTitles()])
    let (other, receiver) = try await container(resolvers: [BothTitles()])
    try insert("t", one)
    for engine in [sender, receiver] { try await engine.syncNow() }
    try edit(one) { ($0.title, $0.cover) = ("one", bytes(2)) }
    try edit(other) { $0.title = "other" }
    for engine in [sender, receiver, sender] { try await engine.syncNow() }
    for container in [one, other] {
      #expect(try tracks(container).map(\.title) == ["oneother"])
      // The resolver left what its own replica had.
      #expect(try tracks(container).map(\.cover) == [bytes(1)])
    }
    for engine in [sender, receiver] { await engine.stop() }
  }

  @Test("A store that was restored from an older copy gets the large values that the copy does not have")
  func restoredStore() async throws {
    let manager = FileManager.default
    let root = manager.temporaryDirectory.appendingPathComponent("restored-\(UUID().uuidString)")
    let (folder, copy) = (root.appendingPathComponent("a"), root.appendingPathComponent("b"))
    for folder in [folder, copy] { try manager.createDirectory(at: folder, withIntermediateDirectories: true) }
    defer { try? manager.removeItem(at: root) }
    func move(_ isChosen: (String) -> Bool) throws {
      for name in try manager.contentsOfDirectory(atPath: folder.path) where isChosen(name) {
        try manager.copyItem(at: folder.appendingPathComponent(name), to: copy.appendingPathComponent(name))
      }
    }
    let (one, sender) = try await container(at: folder.appendingPathComponent("user.store"))
    try insert("a", one)
    try await sender.syncNow()
    try move { !$0.contains(".sync") && !$0.hasSuffix(".lock") }
    try edit(one) { $0.cover = bytes(2) }
    try insert("b", one)
    try await sender.syncNow()
    await sender.stop()
    try move { $0.contains(".sync") && !$0.hasSuffix(".lock") }
    let (restored, engine) = try await container(at: copy.appendingPathComponent("user.store"))
    // The first download is lost on its way.
    transport.loseDownloads(after: 0)
    await #expect(throws: SyncError.self) { try await engine.syncNow() }
    transport.loseDownloads(after: .max)
    try await engine.syncNow()
    #expect(try tracks(restored).map(\.cover) == [bytes(2), bytes(1)])
    #expect(engine.status.error == nil && engine.status.pendingChanges == 0)
    await engine.stop()
  }

  @Test("A value that has to be fetched from a share does not keep the device from hearing that the share is gone")
  func goneShare() throws {
    let service = SimulatedService()
    let nodes = try ["ann", "bob"].enumerated().map { index, account in
      try SimulatedNode(index, service, account: account, skew: 0, program: .current, seed: UInt64(index))
    }
    try save(nodes[0].container) { context in
      let project = SimProject(title: "p")
      context.insert(project)
      let task = SimTask(title: "t")
      task.attachment = bytes(1)
      project.tasks.append(task)
    }
    try nodes[0].settle()
    let project = try #require(ModelContext(nodes[0].container).fetch(FetchDescriptor<SimProject>()).first)
    let name = try nodes[0].replica.recordName(of: project.persistentModelID)
    let zone = service.share(name, of: "ann")
    try nodes[0].settle()
    try nodes[0].replica.startShare(name, zone: zone)
    service.invite("bob", to: zone, isWritable: false)
    service.accept(zone, "bob")
    for _ in 0..<2 { for node in nodes { try node.settle() } }
    try save(nodes[1].container) { try $0.fetch(FetchDescriptor<SimTask>())[0].attachment = bytes(2) }
    // The value that was there before is still to be fetched.
    try nodes[1].replica.undoUnsent(zone: zone)
    service.remove("bob", from: zone, by: "ann")
    try nodes[1].settle()
    #expect(try ModelContext(nodes[1].container).fetchCount(FetchDescriptor<SimTask>()) == 0)
  }

  @Test("Bytes that a crash left in the bookkeeping go when the replica starts again")
  func leftBytes() throws {
    let service = SimulatedService()
    let first = try SimulatedNode(0, service, skew: 0, program: .current, seed: 0)
    try save(first.container) { context in
      let task = SimTask(title: "t")
      task.attachment = bytes(1)
      context.insert(task)
    }
    try first.settle()
    let zone = SyncWire.privateZone
    let response = try service.changes(after: 0, limit: 10, zone: zone, account: "a", replica: 1)
    // The last crash comes after the commit of the import, and no crash after that.
    var shown: [Int] = []
    for number in 0..<10 {
      let node = try SimulatedNode(1, service, skew: 0, program: .current, seed: 1)
      node.crashesAt = .commit(number)
      do { _ = try node.take(response, zone) } catch is SimulatedCrash {
        try node.start()
        #expect(try node.replica.ledger.asset(UserStore.sha256(bytes(1))) == nil)
        let tasks = try ModelContext(node.container).fetch(FetchDescriptor<SimTask>())
        #expect(tasks.allSatisfy { $0.attachment == bytes(1) })
        shown.append(tasks.count)
        continue
      }
      break
    }
    #expect(shown.first == 0 && shown.last == 1 && shown.count < 10, "\(shown)")
  }
}
#endif
