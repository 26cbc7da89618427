import Foundation
import SwiftData
import SyncProtocol
import Testing
import UntrustedInput

@testable import SyncServer

@Suite("The store of an earlier server") struct OlderServerStoreTests {
  @Test(
    "A store with a log or a snapshot of an earlier server is refused with what to do, and keeps both",
    arguments: TestStore.available)
  func refused(_ kind: TestStore) async throws {
    for isSnapshot in [false, true] {
      let folder = try TestFolder()
      let place = kind == .postgres ? try #require(TestStore.postgresURL) : folder.path("server.store")
      let namespace = "older_\(UUID().uuidString.prefix(8).lowercased())"
      do {
        let container = try ZoneStore.container(
          at: place, [ServerEntry.self, ServerSnapshotPart.self, ServerShare.self], namespace: namespace)
        let context = ModelContext(container)
        if isSnapshot { context.insert(ServerSnapshotPart(zone: "a")) } else { context.insert(ServerEntry(zone: "a")) }
        try context.save()
      }
      for _ in 0..<2 {
        let store = ZoneStore(try ZoneStore.container(at: place, namespace: namespace), ServerLimits()) { 0 }
        let error = #expect(throws: EarlierLogs.self) { try store.checkFormat() }
        #expect(error?.description.contains("Start this server with a new store") == true)
      }
    }
  }

  /// The models of the server at the commit a0ec725b, as far as they were others.
  enum Earlier {
    @Model final class LogHead {
      @Attribute(.unique) var key: Int = 0
      var commit: Int64 = 0
      var epoch: UUID = UUID()
      var floor: Int64 = 0
      var folds: Int64 = 0
      init() {}
    }

    @Model final class ServerShare {
      #Index<ServerShare>([\.owner])
      @Attribute(.unique) var zone: String = ""
      var owner: String = ""
      var root: String = ""
      var title: String = ""
      var keyGeneration: Int = 0
      var isKeyStale: Bool = false
      var needsKeys: Bool = false
      init(zone: String, owner: String, root: String) { (self.zone, self.owner, self.root) = (zone, owner, root) }
    }

    @Model final class ServerGrant {
      #Index<ServerGrant>([\.account], [\.zone])
      @Attribute(.unique) var key: String = ""
      var zone: String = ""
      var account: String = ""
      var isWritable: Bool = false
      var isAccepted: Bool = false
      init(zone: String, account: String, isAccepted: Bool) {
        (key, self.zone, self.account) = ("\(zone)/\(account)", zone, account)
        (isWritable, self.isAccepted) = (true, isAccepted)
      }
    }

    static let models: [any PersistentModel.Type] = [
      LogZone.self, LogHead.self, LogEpoch.self, LogPart.self, LogPage.self, LogTransaction.self,
      LogTransactions.self, ServerAsset.self, ServerChunk.self, ServerShare.self, ServerGrant.self, ServerLink.self,
      ServerAccountKey.self, ServerZoneKey.self, ServerFormerKey.self, ServerEntry.self, ServerSnapshotPart.self,
    ]
  }

  /// Makes a store as that server did: an entry in Ann's zone and one in her share with Bob, to which Eve is invited, and an asset of which
  /// the first part has arrived.
  /// - Returns: the epoch.
  private func makeStore(at place: String, share: ZoneName, asset: String, part: Data) throws -> UUID {
    let context = ModelContext(try ZoneStore.container(at: place, Earlier.models))
    let head = Earlier.LogHead()
    head.commit = 2
    context.insert(head)
    context.insert(LogEpoch(name: head.epoch, start: 0, index: 0))
    for (zone, commit) in [(ZoneName.ann, Int64(1)), (share, 2)] {
      let bytes = ZoneStates.Entry.Part.change([.a: .born()]).encoded
      let (stored, entry) = (
        LogZone(zone, account: "ann"), LogPart(zone: zone.text, commit: commit, time: 1, moves: false, bytes: bytes)
      )
      entry.size = Int64(bytes.count)
      (stored.latest, stored.size, stored.logSize) = (commit, entry.size, entry.size)
      if zone == share { stored.size += Int64(part.count) }
      context.insert(stored)
      context.insert(entry)
      context.insert(LogTransaction(account: "ann", identity: UUID(), commit: commit, time: 1))
    }
    context.insert(Earlier.ServerShare(zone: share.text, owner: "ann", root: RecordName.a.text))
    context.insert(Earlier.ServerGrant(zone: share.text, account: "bob", isAccepted: true))
    context.insert(Earlier.ServerGrant(zone: share.text, account: "eve", isAccepted: false))
    let unfinished = ServerAsset(key: "\(share.text)/\(asset)", total: 300_000)
    unfinished.received = Int64(part.count)
    context.insert(unfinished)
    context.insert(ServerChunk(asset: unfinished.chunks, offset: 0, bytes: part))
    try context.save()
    return head.epoch
  }

  @Test("A store of the server before its last new attributes migrates by itself", arguments: TestStore.available)
  func migrated(_ kind: TestStore) async throws {
    let folder = try TestFolder()
    let place = try folder.place(for: kind)
    let share = ZoneName.share("0123456789abcdef0123456789abcdef")
    let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let (asset, part) = (ServerFixture.sha256(of: bytes), bytes.prefix(SyncWire.chunkSize))
    let epoch = try makeStore(at: place, share: share, asset: asset, part: part)
    for start in 1...2 {
      try await ServerFixture.with(store: place) { server in
        // A client of the earlier server goes on from its cursor.
        var bob = LogClient(HTTPLogServer(fixture: server, token: try await server.token("bob")), "bob")
        (bob.cursor, bob.epochs, bob.known) = (2, [SyncLog.Epoch(name: epoch, start: 0)], [bob.own, share])
        bob.states[share].join(.a, .born())
        try await bob.pull()
        #expect(bob.fork == nil && bob.starts == 0 && bob.epochs.count == start + 1)
        #expect(bob.writable == [bob.own, share])
        var ann = try await server.logClient("ann")
        #expect(ann.states[.ann][.a] != nil && ann.states[share][.a] != nil)
        let name = RecordName.numbered(10 + start)
        #expect(try await ann.push([.ann: [name: .born()], share: [name: .born()]]) == nil)
        try await ann.pull()
        try await bob.pull()
        #expect(bob.states[share][name] != nil)
      }
    }
    try await ServerFixture.with(limits: LogFixture.limits, store: place) { server in
      let (ann, eve) = (try await server.token("ann"), try await server.token("eve"))
      // What had arrived of the asset is sent again, and is not in the way.
      for offset in [0, part.count] {
        let path = "/v2/zones/\(share.text)/assets/\(asset)?offset=\(offset)&total=\(bytes.count)"
        let answer = try await server.send(
          "PUT", path, token: ann, body: bytes[offset..<min(offset + part.count, bytes.count)])
        #expect(answer.status == 200, "\(answer.failure?.message ?? "")")
      }
      let registers = Registers.born("Note", ["x": .asset(sha256: ExactText(asset), size: bytes.count)])
      #expect(try await server.logClient("ann").push([share: [.b: registers]]) == nil)
      try await server.fold("ann")
      #expect(try await server.logClient("ann").states[.ann].records.count == 3)
      // Its grants are told apart when they are deleted, and an ended share does not count.
      let shares = "/v2/shares/\(share.text)"
      #expect(try await server.send("POST", shares + "/accept", token: eve).status == 200)
      #expect(try await server.logClient("eve").states[share].records.count == 4)
      #expect(try await server.send("DELETE", shares + "/participants/bob", token: ann).status == 200)
      #expect(try await server.logClient("bob").list?.zones.count == 1)
      #expect(try await server.send("DELETE", shares, token: ann).status == 200)
      #expect(try await server.logClient("eve").list?.zones.count == 1)
      #expect(try await server.logClient("ann").states[share].records.count == 4)
    }
  }

  @Test("A new store, and one of this server, are not refused", arguments: TestStore.available)
  func accepted(_ kind: TestStore) async throws {
    let fixture = try LogFixture(kind)
    var ann = LogClient(fixture)
    try await ann.pull()
    #expect(try await ann.push([.ann: [.a: .born()]]) == nil)
    try fixture.store.checkFormat()
  }
}
