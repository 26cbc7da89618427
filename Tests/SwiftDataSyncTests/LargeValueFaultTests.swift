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
    let gate = Gate(transport)
    SyncRemote.register(
      database, transport: gate, credentials: SyncCredentials(token: "t"), resolvers: resolvers,
      servesAutomatic: false)
    defer { SyncRemote.unregister(database) }
    let configuration =
      url.map { ModelConfiguration(url: $0, cloudKitDatabase: .private(database)) }
      ?? ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .private(database))
    let container = try ModelContainer(for: EngineTrack.self, configurations: configuration)
    return (container, try await gate.pausedEngine(of: container))
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
    let (one, sender) = try await container(at: folder.appendingPathComponent("user.store"))
    try insert("a", one)
    try await sender.syncNow()
    for name in try manager.contentsOfDirectory(atPath: folder.path) where !name.hasSuffix(".lock") {
      try manager.copyItem(at: folder.appendingPathComponent(name), to: copy.appendingPathComponent(name))
    }
    try edit(one) { $0.cover = bytes(2) }
    try insert("b", one)
    try await sender.syncNow()
    await sender.stop()
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

  @Test("An object whose large value no zone has any more moves with the value that it has")
  func lostOnMove() throws {
    let group = try SharedGroup(["ann", "ann", "bob"])
    func exchange(_ index: Int) throws {
      let (account, replica) = (group.devices[index].account, group.devices[index].replica!)
      func fetching<T>(_ step: () throws -> T) throws -> T {
        while true {
          do { return try step() } catch let missing as MissingAssets {
            for asset in missing.assets {
              do {
                let bytes = try group.server.asset(asset.sha256, zone: asset.row.zone, account: account)
                try replica.keepFetched(asset.sha256, bytes)
              } catch is SyncFailure { replica.unavailable.insert(asset.sha256) }
            }
          }
        }
      }
      func pull() throws -> Bool {
        let request = replica.pullRequest()
        let answer = group.server.pull(request, by: account, limit: 100)
        return try fetching { try replica.take(answer, for: request) }
      }
      replica.unavailable = []
      for _ in 0..<10 {
        while try pull() {}
        try fetching { try replica.capture() }
        guard let request = try replica.pushRequest() else { return }
        for (sha256, zone) in replica.assetsToUpload(request) {
          if let bytes = try replica.bytes(of: sha256) {
            try group.server.put(sha256, bytes, zone: zone, account: account)
          }
        }
        let response = try group.server.push(request, from: account)
        replica.didPush(request, response)
        if response.refusal?.code == .missingAsset { _ = try fetching { try replica.dropLostAssets() } }
      }
      Issue.record("the server refuses the changes of \(index) without end")
    }
    func covers(_ index: Int) throws -> [Data?] {
      try ModelContext(group.devices[index].container).fetch(FetchDescriptor<SharedPlaylist>()).map(\.cover?.image)
    }
    try group.save(0) { context in
      let playlist = SharedPlaylist("Jazz")
      context.insert(playlist)
      playlist.cover = SharedCover(bytes(1))
    }
    for index in [0, 1] { try exchange(index) }
    try group.save(1) { try group.first(SharedCover.self, $0).image = bytes(2) }
    try exchange(1)
    group.server.loseAssets()
    try exchange(0)
    #expect(try covers(0) == [bytes(1)])
    try group.share(0)
    group.grant("bob")
    for index in [0, 2, 1] { try exchange(index) }
    for index in 0...2 { #expect(try covers(index) == [bytes(1)], "device \(index)") }
  }

  @Test("Bytes that a crash left in the bookkeeping go with the next answer that is taken in")
  func leftBytes() throws {
    let server = ZoneServer()
    let first = try ZoneNode(0, server, seed: 0)
    try save(first.container) { context in
      let task = SimTask(title: "t")
      task.attachment = bytes(1)
      context.insert(task)
    }
    try first.settle()
    let node = try ZoneNode(1, server, seed: 1)
    try node.replica.keepFetched(UserStore.sha256(bytes(1)), bytes(1))
    try node.start()
    #expect(try node.replica.asset(UserStore.sha256(bytes(1))) != nil)
    try node.settle()
    #expect(try node.replica.asset(UserStore.sha256(bytes(1))) == nil)
    #expect(try ModelContext(node.container).fetch(FetchDescriptor<SimTask>()).map(\.attachment) == [bytes(1)])
  }
}
#endif
