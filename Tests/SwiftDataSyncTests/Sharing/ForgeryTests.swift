#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import Testing

@testable import SwiftDataSync

/// Ann has two devices. Bob may write in the share of Ann, and his program writes what it likes.
@Suite("A participant with a program of their own")
struct ForgeryTests {
  private let group: SharedGroup
  private let ann = 0
  private let bob = 2
  /// The row of Ann's private track.
  private let single: RecordKey

  init() throws {
    let group = try SharedGroup(["ann", "ann", "bob"])
    try group.save(0) { context in
      let playlist = SharedPlaylist("Jazz")
      context.insert(playlist)
      playlist.tracks = [SharedTrack("a")]
      let single = SharedTrack("single")
      single.comments = [SharedComment("mine")]
      context.insert(single)
    }
    try group.sync(0)
    try group.share(0)
    group.grant("bob")
    try group.syncAll()
    single = try group.devices[0].replica.row(of: group.track("single", ModelContext(group.devices[0].container)))
    self.group = group
  }

  /// Puts registers of a record into the log of a share.
  private func forge(
    _ name: RecordName, in zone: ZoneName = SharedGroup.zone, _ body: (inout Registers, HybridTime) -> Void
  ) throws {
    let replica = group.devices[bob].replica!
    var registers = Registers()
    body(&registers, replica.tick())
    let transaction = SyncLog.Transaction(id: UUID(), parts: [zone: [name: registers]])
    let request = SyncLog.PushRequest(
      cursor: group.server.commit, epoch: try #require(group.server.epoch), transactions: [transaction])
    #expect(try group.server.push(request, from: "bob").refusal == nil)
  }

  private func expectAnns(_ lines: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
    for index in 0...1 {
      #expect(try group.contents(index) == lines, "device \(index)", sourceLocation: sourceLocation)
    }
  }

  @Test("cannot change, delete or move a private object of the owner")
  func privateObject() throws {
    #expect(single.zone == .account("ann"))
    try forge(single.name) { $0.fields["title"] = Stamped($1, .text("forged")) }
    try forge(single.name) { $0.home = Home(moves: 9, time: $1, zone: SharedGroup.zone) }
    try forge(single.name) { $0.dead = $1 }
    try group.syncAll()
    try expectAnns(["Jazz: a", "a in Jazz", "single in none, mine", "0 covers, 1 comments"])
    try group.save(ann) { try group.track("single", $0).title = "secret" }
    try group.syncAll()
    try expectAnns(["Jazz: a", "a in Jazz", "secret in none, mine", "0 covers, 1 comments"])
    #expect(!"\(group.log(SharedGroup.zone))".contains("secret"))
  }

  @Test("who gives a shared record another class makes another object of it")
  func otherClass() throws {
    let track = try group.devices[bob].replica.row(of: group.track("a", ModelContext(group.devices[bob].container)))
    try forge(track.name) { $0.born = Stamped($1, "SharedComment") }
    try group.syncAll()
    try expectAnns(["Jazz: ", "single in none, mine", "0 covers, 2 comments"])
    try forge(track.name) { $0.born = Stamped($1, "SharedTrack") }
    try group.syncAll()
    try expectAnns(["Jazz: a", "a in Jazz", "single in none, mine", "0 covers, 1 comments"])
  }

  @Test("who writes a record again in another share without its unique value leaves no object of it (seed 201027)")
  func withoutUniqueValue() throws {
    let other = ZoneName.share("2")
    try group.save(ann) { context in context.insert(SharedPlaylist("Rock")) }
    try group.sync(ann)
    try group.share(ann, as: other, playlist: "Rock")
    group.grant("bob", zone: other)
    try group.syncAll()
    let name = RecordName("strange")
    try forge(name) {
      $0.born = Stamped($1, "SharedPlaylist")
      $0.fields["id"] = Stamped($1, .text("x"))
    }
    try group.sync(ann)
    try forge(name) { $0.dead = $1 }
    try forge(name, in: other) { $0.born = Stamped($1, "SharedPlaylist") }
    try group.syncAll()
    for index in group.devices.indices {
      let context = ModelContext(group.devices[index].container)
      let names = try context.fetch(FetchDescriptor<SharedPlaylist>()).map(\.name).sorted()
      #expect(names == ["Jazz", "Rock"], "device \(index)")
    }
  }

  @Test("cannot have the owner's own changes carried into a private object")
  func forgedPointer() throws {
    try forge(single.name) {
      $0.born = Stamped($1, "SharedTrack")
      $0.fields["title"] = Stamped($1, .text("forged"))
    }
    try group.syncAll()
    try group.save(ann) { context in
      for track in try context.fetch(FetchDescriptor<SharedTrack>()) where track.title == "forged" {
        context.delete(track)
      }
    }
    try group.devices[ann].replica.capture()
    // The deletion finds that the record has moved to where the private object is.
    try forge(single.name) { $0.home = Home(moves: 1, time: $1, zone: .account("ann")) }
    try group.syncAll()
    try expectAnns(["Jazz: a", "a in Jazz", "single in none, mine", "0 covers, 1 comments"])
  }

  @Test("who makes a record with the name of a private object makes another object")
  func sameName() throws {
    try forge(single.name) {
      $0.born = Stamped($1, "SharedTrack")
      $0.fields["title"] = Stamped($1, .text("forged"))
    }
    try group.syncAll()
    try expectAnns([
      "Jazz: a", "a in Jazz", "forged in none", "single in none, mine", "0 covers, 1 comments",
    ])
    // The owner's object stays in her own zone, also if she gives it to an object of the share.
    try group.save(ann) { try group.track("single", $0).rating = 5 }
    try group.syncAll()
    #expect(group.server.state(of: .account("ann"))[single.name]?.fields["rating"]?.value == .integer(5))
    #expect(group.server.state(of: SharedGroup.zone)[single.name]?.fields["rating"] == nil)
  }

  @Test("cannot change a private object by a shared record that its owner takes out of the share (seed 406943)")
  func takenOut() throws {
    let context = ModelContext(group.devices[ann].container)
    let comment = try group.devices[ann].replica.row(of: group.first(SharedComment.self, context))
    try forge(comment.name) {
      $0.born = Stamped($1, "SharedTrack")
      $0.fields["title"] = Stamped($1, .text("forged"))
    }
    try group.syncAll()
    try group.save(ann) { context in
      let playlist = SharedPlaylist("Own")
      context.insert(playlist)
      playlist.tracks = [try group.track("forged", context)]
    }
    try group.syncAll()
    try expectAnns([
      "Jazz: a", "Own: forged", "a in Jazz", "forged in Own", "single in none, mine", "0 covers, 1 comments",
    ])
  }

  @Test(
    "cannot delete a private object before its owner puts it into the share",
    arguments: [
      { $0.dead = $1 }, { $0.home = Home(moves: .max, time: $1, zone: .share("nowhere")) },
    ] as [@Sendable (inout Registers, HybridTime) -> Void])
  func putIn(_ forged: @Sendable (inout Registers, HybridTime) -> Void) throws {
    try forge(single.name) { forged(&$0, $1) }
    try group.syncAll()
    try group.save(ann) { try group.track("single", $0).playlist = group.playlist("Jazz", $0) }
    try group.syncAll()
    try expectAnns(["Jazz: a single", "a in Jazz", "single in Jazz, mine", "0 covers, 1 comments"])
  }
}
#endif
