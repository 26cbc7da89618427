#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import Testing

@testable import SwiftDataSync

@Suite("A server that was restored from an older copy")
struct RestoredServerTests {
  @Test("Replicas bring back what the server lost, keep unsent changes, and end equal")
  func restored() throws {
    let group = try ZoneGroup([CellOwner.self, CellUnique.self])
    try group.save(0) { context in
      let owner = CellOwner("before")
      context.insert(owner)
      owner.parts = "abc".map { CellPart(String($0)) }
    }
    try group.syncAll()
    let copy = group.server.copy()
    try group.save(0) { context in
      try group.first(CellOwner.self, context).name = "after"
      context.insert(CellUnique("k"))
    }
    try group.syncAll()
    try group.save(1) { try group.first(CellOwner.self, $0).links.append(CellLink("unsent")) }
    group.server.restore(copy)
    try group.syncAll()
    for index in 0...1 {
      let owner = try #require(try group.all(CellOwner.self, index).first)
      #expect(owner.name == "after" && owner.parts.map(\.name) == ["a", "b", "c"])
      #expect(owner.links.map(\.name) == ["unsent"])
      #expect(try group.all(CellUnique.self, index).map(\.code) == ["k"])
    }
  }

  @Test("A second restore, to an older copy, before a replica has a zone of the first one loses nothing")
  func restoredTwice() throws {
    let group = try ZoneGroup([ZoneItem.self], count: 1)
    var copies: [ZoneServer.Copy] = []
    for name in ["a", "b", "c"] {
      try group.save(0) { $0.insert(ZoneItem(name)) }
      try group.syncAll()
      copies.append(group.server.copy())
    }
    group.server.restore(copies[1])
    let request = group.replicas[0].pullRequest()
    _ = try group.replicas[0].take(group.server.pull(request, by: "ann", limit: 100), for: request)
    #expect(group.replicas[0].store.replica.fork != nil)
    group.server.restore(copies[0])
    try group.syncAll()
    #expect(try Set(group.all(ZoneItem.self, 0).map(\.name)) == ["a", "b", "c"])
    #expect(group.server.state(of: .account("ann")).records.count == 3)
  }

  @Test("A replica that is closed sends what the server lacks in the order in which it would have sent it")
  func order() throws {
    let group = try ZoneGroup([ZoneItem.self], count: 1)
    try group.save(0) { $0.insert(ZoneItem("kept")) }
    try group.syncAll()
    let copy = group.server.copy()
    try group.save(0) { context in for number in 0..<2500 { context.insert(ZoneItem("\(number)")) } }
    try group.syncAll()
    try group.save(0) { $0.insert(ZoneItem("unsent")) }
    try group.replicas[0].capture()
    group.server.restore(copy)
    try group.pull(0)
    let sent = group.replicas[0].outbox.transactions.map(\.id)
    #expect(sent.count > 3)
    try group.restart(0)
    #expect(group.replicas[0].outbox.transactions.map(\.id) == sent)
  }

  /// Ann's two devices and Bob's one, with a playlist that Ann shares after the copy. Bob changes it, and Ann has changes that no server got.
  /// - Returns: the group, after its server was restored.
  private func groupWithLostShare() throws -> SharedGroup {
    let group = try SharedGroup(["ann", "ann", "bob"], scopes: [.device(\SharedPlaylist.playCount)])
    try group.save(0) { context in
      let playlist = SharedPlaylist("Jazz")
      context.insert(playlist)
      playlist.tracks = ["a", "b", "late"].map(SharedTrack.init)
      playlist.cover = SharedCover(Data(repeating: 1, count: 100))
      context.insert(SharedTrack("single"))
    }
    try group.save(2) { $0.insert(SharedTrack("Bob's")) }
    try group.syncAll()
    let copy = group.server.copy()
    try group.share(0)
    group.grant("bob")
    try group.syncAll()
    try group.save(2) { context in
      try group.track("a", context).title = "a2"
      context.delete(try group.track("b", context))
      let playlist = try group.playlist("Jazz", context)
      playlist.tracks += [SharedTrack("c")]
      try group.track("Bob's", context).playlist = playlist
    }
    try group.syncAll()
    for index in 0...1 { try group.save(index) { try group.playlist("Jazz", $0).playCount = 7 } }
    try group.save(0) { context in
      try group.track("c", context).comments = [SharedComment("unsent")]
      context.delete(try group.track("late", context))
    }
    try group.devices[0].replica.capture()
    group.server.restore(copy)
    return group
  }

  @Test(
    "The owner keeps the objects of a share that was made after the copy, with all that was written to them, and can share them again",
    arguments: [1, 100])
  func lostShare(limit: Int) throws {
    let group = try groupWithLostShare()
    func identifiers(_ index: Int) throws -> [PersistentIdentifier] {
      let context = ModelContext(group.devices[index].container)
      return try ["a2", "c"].map { try group.track($0, context).persistentModelID }
    }
    let known = try (0...1).map(identifiers)
    // The own zone comes in several answers, or in one. A device may be closed in between.
    for index in 0...1 {
      let replica = group.devices[index].replica!
      for _ in 0..<2 {
        let request = replica.pullRequest()
        _ = try replica.take(group.server.pull(request, by: "ann", limit: limit), for: request)
      }
      try group.start(index)
    }
    try group.syncAll()
    let tracks = ["Bob's in Jazz", "a2 in Jazz", "c in Jazz, unsent"]
    let jazz = ["Jazz: a2 c Bob's cover 100"]
    for index in 0...1 {
      #expect(
        try group.contents(index).sorted() == (tracks + jazz + ["single in none", "1 covers, 1 comments"]).sorted())
      #expect(try identifiers(index) == known[index])
      #expect(try group.playlist("Jazz", ModelContext(group.devices[index].container)).playCount == 7)
      #expect(group.devices[index].replica.pendingCount == 0)
    }
    #expect(try group.contents(2) == ["Bob's in none", "0 covers, 0 comments"])
    try group.share(1, as: .share("2"), playlist: "Jazz")
    group.grant("bob", zone: .share("2"))
    try group.syncAll()
    #expect(try group.contents(2).contains("c in Jazz, unsent"))
  }

  @Test(
    "A device that comes after the objects of a lost share were shared again does not bring them back a second time")
  func lostShareSharedAgain() throws {
    let group = try groupWithLostShare()
    for _ in 0..<2 { try group.sync(0) }
    try group.share(0, as: .share("2"), playlist: "Jazz")
    group.grant("bob", zone: .share("2"))
    for _ in 0..<2 { try group.sync(0) }
    try group.syncAll()
    let expected = try group.contents(0)
    #expect(expected.contains("Jazz: a2 c Bob's cover 100") && expected.count == 6)
    #expect(try group.contents(1) == expected)
    let own = group.server.state(of: .account("ann")).records.filter { $0.value.isHere(.account("ann")) }
    #expect(own.count == 1)
  }

  @Test("An object that moved into a share after the copy moves there again, and stays one object")
  func lostMove() throws {
    let group = try SharedGroup(["ann", "ann", "bob"])
    try group.save(0) { context in
      context.insert(SharedPlaylist("Jazz"))
      context.insert(SharedTrack("single"))
    }
    try group.sync(0)
    try group.share(0)
    group.grant("bob")
    try group.syncAll()
    let copy = group.server.copy()
    try group.save(0) { try group.track("single", $0).playlist = try group.playlist("Jazz", $0) }
    try group.syncAll()
    func identifier(_ index: Int) throws -> PersistentIdentifier {
      try group.track("single", ModelContext(group.devices[index].container)).persistentModelID
    }
    let known = try (0...2).map(identifier)
    group.server.restore(copy)
    try group.syncAll()
    for index in 0...2 {
      #expect(try group.contents(index) == ["Jazz: single", "single in Jazz", "0 covers, 0 comments"])
    }
    #expect(try (0...1).map(identifier) == Array(known.prefix(2)))
  }

  @Test("Nothing that a participant wrote into a lost share gets into a private object, or hides one")
  func lostShareWithForgedName() throws {
    let group = try SharedGroup(["ann", "bob"])
    try group.save(0) { context in
      context.insert(SharedPlaylist("Jazz"))
      context.insert(SharedTrack("single"))
    }
    try group.syncAll()
    let copy = group.server.copy()
    try group.share(0)
    group.grant("bob")
    try group.syncAll()
    let single = try group.devices[0].replica.row(of: group.track("single", ModelContext(group.devices[0].container)))
    let time = group.devices[1].replica.tick()
    var forged = Registers()
    (forged.born, forged.dead) = (Stamped(time, "SharedTrack"), time)
    var owner = Registers()
    (owner.born, owner.dead) = (Stamped(time, "SharedTrack"), time)
    owner.edges["comments"] = [single.name: Edge(added: time, place: Stamped(time, Place("8", hint: single.zone)))]
    let transaction = SyncLog.Transaction(
      id: UUID(), parts: [SharedGroup.zone: [single.name: forged, RecordName("owner"): owner]])
    let request = SyncLog.PushRequest(
      cursor: group.server.commit, epoch: try #require(group.server.epoch), transactions: [transaction])
    #expect(try group.server.push(request, from: "bob").refusal == nil)
    try group.syncAll()
    group.server.restore(copy)
    try group.syncAll()
    #expect(try group.contents(0) == ["Jazz: ", "single in none", "0 covers, 0 comments"])
    #expect(group.server.state(of: .account("ann"))[single.name]?.dead == nil)
  }

  /// Two engines of one account, whose server was restored without noticing it. Its log has only the object "kept" of those that both saw,
  /// and ends before the cursor of the first engine.
  private struct Unnoticed {
    let transport = LoopTransport()
    let containers: [ModelContainer]
    let engines: [SyncEngine]

    init() async throws {
      let pairs = [try await transport.pausedEngine(), try await transport.pausedEngine()]
      (containers, engines) = (pairs.map(\.0), pairs.map(\.1))
      try insert("kept", 0)
      try await syncAll()
      // The log begins an epoch, which both engines know.
      transport.restore(to: 1)
      try await syncAll()
      for title in ["lost 1", "lost 2", "lost 3"] {
        try insert(title, 0)
        try await engines[0].syncNow()
      }
      transport.restore(to: 1, isNoticed: false)
    }

    func insert(_ title: String, _ index: Int) throws {
      let context = ModelContext(containers[index])
      context.insert(EngineTrack(id: title, title: title))
      try context.save()
    }

    func syncAll() async throws { for engine in engines { try await engine.syncNow() } }

    /// Exchanges everything, and compares what both show.
    func expect(_ titles: [String]) async throws {
      for _ in 0..<2 { try await syncAll() }
      for (container, engine) in zip(containers, engines) {
        #expect(try ModelContext(container).fetch(FetchDescriptor<EngineTrack>()).map(\.title).sorted() == titles)
        #expect(engine.status.pendingChanges == 0 && engine.status.error == nil)
        await engine.stop()
      }
    }
  }

  @Test("A server that did not notice its restore gets what it lacks from a client whose cursor is beyond its log")
  func unnoticed() async throws {
    let group = try await Unnoticed()
    try group.insert("new", 1)
    try await group.engines[1].syncNow()
    try group.insert("unsent", 0)
    #expect(group.transport.log.count == 2)
    try await group.expect(["kept", "lost 1", "lost 2", "lost 3", "new", "unsent"])
  }

  @Test("Such a client does not bring back an object that was deleted meanwhile and is older than the newest epoch")
  func unnoticedDeletion() async throws {
    let group = try await Unnoticed()
    let context = ModelContext(group.containers[1])
    context.delete(try #require(try context.fetch(FetchDescriptor<EngineTrack>()).first))
    try context.save()
    try await group.engines[1].syncNow()
    group.transport.fold()
    try await group.expect(["lost 1", "lost 2", "lost 3"])
  }
}
#endif
