import Foundation
import SwiftData
import SyncProtocol
import Testing
import UntrustedInput

@testable import SyncServer

/// The models that changed, as they were before there were snapshots.
private enum Older {
  @Model
  final class ServerZone {
    @Attribute(.unique) var key: String = ""
    var account: String = ""
    var name: String = ""
    var latest: Int64 = 0
    var compacted: Int64 = 0
    var size: Int64 = 0

    init(account: String, name: String) { (key, self.account, self.name) = ("\(account)/\(name)", account, name) }
  }

  @Model
  final class ServerAsset {
    @Attribute(.unique) var key: String = ""
    var total: Int64 = 0
    var received: Int64 = 0
    var isComplete: Bool = false

    init(key: String, total: Int64) { (self.key, self.total) = (key, total) }
  }

  static let models: [any PersistentModel.Type] = [
    ServerZone.self, ServerEntry.self, ServerAsset.self, ServerChunk.self, ServerShare.self, ServerGrant.self,
    ServerLink.self, ServerAccountKey.self, ServerZoneKey.self, ServerFormerKey.self,
  ]
}

@Suite("The store of an older server") struct OlderServerStoreTests {
  @Test("A store of a server that knew no snapshots opens, and its zones get them", arguments: TestStore.available)
  func migration(_ kind: TestStore) async throws {
    let folder = try TestFolder()
    let place = kind == .postgres ? try #require(TestStore.postgresURL) : folder.path("server.store")
    let namespace = "older_\(UUID().uuidString.prefix(8).lowercased())"
    let sent = (0..<6).map { SnapshotFixture.transaction("entry \($0)") }
    let size = sent.reduce(0) { $0 + Int64($1.encoded.count) } + 5
    try Self.fill(try ZoneStore.container(at: place, Older.models, namespace: namespace), sent, size)

    let clock = TestClock()
    let store = ZoneStore(
      try ZoneStore.container(at: place, namespace: namespace), SnapshotFixture.limits
    ) { clock.now }
    func changes(after sequence: Int64, snapshot: Int64? = 0) async throws -> ChangesResponse {
      try SyncWire.decode(
        ChangesResponse.self,
        from: try await store.changes(
          after: Untrusted(sequence), account: "ann", zone: "private", snapshot: snapshot.map(Untrusted.init(_:))))
    }
    let log = try await changes(after: 0)
    #expect(log.entries.map(\.transaction) == sent && log.snapshot == nil && log.compacted == 0)
    #expect(log.snapshotWanted == Untrusted(size))
    let part = SnapshotFixture.transaction("part")
    try await store.putSnapshotPart(0, ofSnapshot: 6, part.encoded, account: "ann", zone: "private")
    try await store.finishSnapshot(
      SnapshotRequest(through: 6, parts: 1, rules: "rules"), account: "ann", zone: "private")
    #expect(try await changes(after: 0).entries.map(\.transaction) == [part])
    #expect(try await changes(after: 0, snapshot: nil).entries.count == 6)
    clock.advance(days: 31)
    #expect(try await store.zonesToCompact() == ["ann/private"])
    let done = try await store.compact("ann/private")
    #expect(done.entries == 6 && done.assets == 1 && done.bytes == size)
    #expect(try await store.state(of: "ann/private").size == 0)
  }

  private static func fill(_ container: ModelContainer, _ sent: [SyncTransaction], _ size: Int64) throws {
    let context = ModelContext(container)
    let zone = Older.ServerZone(account: "ann", name: "private")
    (zone.latest, zone.size) = (Int64(sent.count), size)
    context.insert(zone)
    for (index, transaction) in sent.enumerated() {
      context.insert(
        ServerEntry(
          key: "\(zone.key)/\(transaction.id.uuidString)", zone: zone.key, sequence: Int64(index) + 1, account: "ann",
          transaction: transaction.encoded))
    }
    let asset = Older.ServerAsset(key: "\(zone.key)/\(ServerFixture.sha256("asset"))", total: 5)
    (asset.received, asset.isComplete) = (5, true)
    context.insert(asset)
    context.insert(ServerChunk(asset: asset.key, offset: 0, bytes: Data("asset".utf8)))
    try context.save()
  }
}
