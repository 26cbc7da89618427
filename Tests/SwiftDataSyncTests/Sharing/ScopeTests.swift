#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import Testing

@testable import SwiftDataSync

@Model private final class ScopedStrict {
  var count: Int
  @Attribute(.unique) var id: String = ""
  var owner: SharedPlaylist?
  init(count: Int) { self.count = count }
}

/// Ann has two devices, Bob has one. A pin is each account's own, a play count each device's.
@Suite("A property with a scope")
struct ScopeTests {
  private static let scopes: [SyncScope] = [
    .account(\SharedPlaylist.isPinned), .device(\SharedPlaylist.playCount), .device(SharedDraft.self),
  ]
  private let group: SharedGroup
  private let ann = 0
  private let annsOther = 1
  private let bob = 2

  init() throws {
    group = try SharedGroup(["ann", "ann", "bob"], scopes: Self.scopes)
    try group.save(ann) { context in
      let playlist = SharedPlaylist("Jazz")
      context.insert(playlist)
      playlist.tracks = [SharedTrack("a")]
    }
    try group.syncAll()
    try group.share(ann)
    group.grant("bob")
    try group.syncAll()
  }

  private func change(_ index: Int, _ body: (SharedPlaylist) -> Void) throws {
    try group.save(index) { body(try group.first(SharedPlaylist.self, $0)) }
  }

  private func pins() throws -> [Bool] {
    try group.devices.indices.map { index in
      try group.first(SharedPlaylist.self, ModelContext(group.devices[index].container)).isPinned
    }
  }

  private func counts() throws -> [Int] {
    try group.devices.indices.map { index in
      try group.first(SharedPlaylist.self, ModelContext(group.devices[index].container)).playCount
    }
  }

  @Test("of the account reaches its other devices and no participant, in both directions")
  func account() throws {
    try change(ann) { $0.isPinned = true }
    try group.syncAll()
    #expect(try pins() == [true, true, false])
    try change(bob) { $0.isPinned = true }
    try change(annsOther) { $0.isPinned = false }
    try group.syncAll()
    #expect(try pins() == [false, false, true])
  }

  @Test("of the account is in no request about the share")
  func isolation() throws {
    try change(ann) { ($0.isPinned, $0.name) = (true, "Blues") }
    try group.syncAll()
    let (shared, own) = ("\(group.log(SharedGroup.zone))", "\(group.log(.account("ann")))")
    #expect(shared.contains("Blues") && !shared.contains("isPinned"))
    #expect(own.contains("isPinned"))
  }

  /// Bob puts what Ann thinks of the playlist into the log of the share.
  private func forgePin() throws {
    let playlist = try group.first(SharedPlaylist.self, ModelContext(group.devices[bob].container))
    let replica: ZoneReplica = group.devices[bob].replica
    let name = try replica.row(of: playlist).name.personal
    let time = replica.tick()
    var pin = Registers()
    pin.born = Stamped(time, WireName(SyncSchema.personal("SharedPlaylist")))
    pin.fields["isPinned"] = Stamped(time, .integer(1))
    let forged = SyncLog.Transaction(id: UUID(), parts: [SharedGroup.zone: [name: pin]])
    let request = SyncLog.PushRequest(
      cursor: replica.store.replica.cursor, epoch: try #require(group.server.epoch), transactions: [forged])
    #expect(try group.server.push(request, from: "bob").refusal == nil)
    try group.syncAll()
  }

  @Test("of the account cannot be written by a participant who puts it into the share")
  func forgery() throws {
    try forgePin()
    #expect(try pins() == [false, false, false])
  }

  @Test("of the account is kept while the account has left the share, and a device that comes later has it")
  func comingBack() throws {
    try change(bob) { $0.isPinned = true }
    try group.syncAll()
    group.revoke("bob")
    try group.syncAll()
    #expect(try ModelContext(group.devices[bob].container).fetchCount(FetchDescriptor<SharedPlaylist>()) == 0)
    group.grant("bob")
    try group.syncAll()
    #expect(try pins() == [false, false, true])
  }

  @Test("of the device stays there, and the same save's other changes travel")
  func device() throws {
    try change(ann) { ($0.playCount, $0.name) = (5, "Blues") }
    try group.syncAll()
    #expect(try counts() == [5, 0, 0])
    try change(bob) { $0.playCount = 7 }
    try group.devices[bob].replica.capture()
    #expect(group.devices[bob].replica.pendingCount == 0)
    try change(bob) { $0.name = "Soul" }
    try group.syncAll()
    #expect(try counts() == [5, 0, 7])
    #expect(try group.contents(ann).contains("Soul: a"))
  }

  @Test("A model of the device does not travel, and its deletion neither")
  func model() throws {
    try group.save(ann) { $0.insert(SharedDraft("secret")) }
    try group.devices[ann].replica.capture()
    #expect(group.devices[ann].replica.pendingCount == 0)
    try group.save(ann) { context in context.delete(try group.first(SharedDraft.self, context)) }
    try group.devices[ann].replica.capture()
    #expect(group.devices[ann].replica.pendingCount == 0)
    try group.syncAll()
    #expect(try ModelContext(group.devices[bob].container).fetchCount(FetchDescriptor<SharedDraft>()) == 0)
  }

  @Test("An object's deletion takes what the account thinks of it along")
  func deletion() throws {
    try change(ann) { $0.isPinned = true }
    try group.syncAll()
    try group.save(ann) { context in context.delete(try group.first(SharedPlaylist.self, context)) }
    try group.syncAll()
    // The personal record is in the account's own zone.
    let personal = group.server.state(of: .account("ann")).records.filter { $0.key.subject != nil }
    #expect(!personal.isEmpty && personal.values.allSatisfy { $0.dead != nil })
  }

  @Test("of the account that the program cannot read is not written by a comparison of all objects")
  func standIn() throws {
    try change(ann) { $0.isPinned = true }
    try group.syncAll()
    let replica: ZoneReplica = group.devices[ann].replica
    let playlist = try group.first(SharedPlaylist.self, ModelContext(group.devices[ann].container))
    let name = try replica.row(of: playlist).name.personal
    var pin = Registers()
    pin.fields["isPinned"] = Stamped(replica.tick(), .text("for newer programs"))
    let request = SyncLog.PushRequest(
      cursor: group.server.commit, epoch: try #require(group.server.epoch),
      transactions: [SyncLog.Transaction(id: UUID(), parts: [.account("ann"): [name: pin]])])
    #expect(try group.server.push(request, from: "ann").refusal == nil)
    try group.syncAll()
    try change(ann) { $0.name = "Blues" }
    try ModelContext(group.devices[ann].container).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    try group.syncAll()
    #expect(try group.contents(bob).contains("Blues: a"))
    let record = group.server.state(of: .account("ann"))[name]
    #expect(record?.fields["isPinned"]?.value == .text("for newer programs"))
  }

  @Test("What the account thinks of an object stays if the object may not be deleted")
  func refusedDeletion() throws {
    try change(bob) { $0.isPinned = true }
    try group.syncAll()
    group.grant("bob", isWritable: false)
    try group.syncAll()
    try group.save(bob) { context in context.delete(try group.first(SharedPlaylist.self, context)) }
    try group.syncAll()
    #expect(try pins() == [false, false, true])
    try change(bob) { $0.isPinned = false }
    try group.syncAll()
    #expect(try pins() == [false, false, false])
  }

  @Test("A scope that cannot work is refused with its reason")
  func refusals() throws {
    func problem(_ scopes: SyncScope...) -> String {
      do {
        try SyncRules.check(
          Schema([SharedPlaylist.self, ScopedStrict.self]), canSeal: false, scopes: SyncScopes(scopes))
        return ""
      } catch {
        return "\(error)"
      }
    }
    #expect(problem(.device(\SharedPlaylist.playCount)).isEmpty)
    #expect(problem(.device(\ScopedStrict.count)).contains("ScopedStrict.count: give the attribute a default value"))
    #expect(problem(.account(\ScopedStrict.id)).contains("cannot be unique"))
    #expect(problem(.account(\ScopedStrict.owner)).contains("names attributes"))
    #expect(problem(.device(ScopedStrict.self)).contains("a relationship cannot lead"))
    #expect(problem(.device(\ScopedStrict.self)).contains("no stored property"))
  }
}

@Suite("A resolver of conflicts")
struct ResolverTests {
  private struct Union: ConflictResolver {
    func resolve(local: SharedTrack, remote: SharedTrack) {
      local.title = Set(local.title + remote.title).sorted().map(String.init).joined()
    }
  }

  @Test("is asked for a change that was on its way while another replica's came")
  func onItsWay() throws {
    var resolvers = ConflictResolvers()
    resolvers.add(Union())
    let group = try ZoneGroup([SharedPlaylist.self], resolvers: resolvers)
    try group.save(0) { $0.insert(SharedTrack("a")) }
    try group.syncAll()
    for (index, letter) in ["b", "c"].enumerated() {
      try group.save(index) { try group.first(SharedTrack.self, $0).title += letter }
    }
    try group.sync(0)
    // The second replica sends before it hears of the first one's change.
    try group.replicas[1].capture()
    try group.push(1)
    try group.syncAll()
    for index in 0..<2 { #expect(try group.all(SharedTrack.self, index).map(\.title) == ["abc"]) }
  }
}
#endif
