#if Sync
import Foundation
import SwiftData
import SyncProtocol
import Testing

@testable import SwiftDataSync

/// Ann has three devices, of which one comes late. Bob may write in the share of Ann, and his program writes what it likes.
@Suite("A participant with a program of their own")
struct ForgeryTests {
  private let group: SharedGroup
  private let ann = 0
  private let annsLate = 2
  private let bob = 3
  private let share = "share-1"
  /// The records of Ann's private track and its comment.
  private let single, comment: RecordName

  init() throws {
    let group = try SharedGroup(["ann", "ann", "ann", "bob"])
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
    for index in [0, 1, 3, 0, 1] { try group.sync(index) }
    let (context, replica) = (ModelContext(group.devices[0].container), group.devices[0].replica!)
    single = try replica.recordName(of: try group.track("single", context).persistentModelID)
    comment = try replica.recordName(of: try group.first(SharedComment.self, context).persistentModelID)
    self.group = group
  }

  /// Puts changes into the log of the share.
  private func forge(_ changes: RecordChange...) throws {
    let replica = group.devices[bob].replica!
    _ = try group.log(share, "bob").push(
      PushRequest(base: replica.position(share), transactions: [replica.makeTransaction(changes)]), account: "bob")
  }

  private func tick() -> HybridTime { group.devices[bob].replica.tick() }

  private func title(_ text: String) -> RecordChange {
    var change = RecordChange(single, "SharedTrack")
    change.fields["title"] = FieldWrite(.text(text), tick(), over: nil)
    return change
  }

  /// Says in the log of the share that a track owns Ann's private comment.
  /// - Returns: the track.
  @discardableResult
  private func claimComment(for title: String) throws -> RecordName {
    let context = ModelContext(group.devices[bob].container)
    let track = try group.devices[bob].replica.recordName(of: try group.track(title, context).persistentModelID)
    var (claim, write) = (RecordChange(track, "SharedTrack"), MemberWrite())
    write.add = tick()
    claim.members = ["comments": [comment: write]]
    try forge(claim)
    return track
  }

  /// Syncs all devices. The late one reads the share first or last.
  private func settle(sharesFirst: Bool = false) throws {
    for index in [0, 1, 3, 0, 1, 3] { try group.sync(index) }
    try group.sync(annsLate, sharesFirst: sharesFirst)
    try group.sync(annsLate)
  }

  private func expectAnns(_ lines: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
    for index in 0...2 {
      #expect(try group.contents(index) == lines, "device \(index)", sourceLocation: sourceLocation)
    }
  }

  private let untouched = ["Jazz: a", "a in Jazz", "single in none, mine", "0 covers, 1 comments"]

  @Test("cannot change, delete or move a private object of the owner", arguments: [false, true])
  func privateObject(sharesFirst: Bool) throws {
    var move = title("moved")
    move.fields[SyncSchema.home] = FieldWrite(.text(share), tick(), over: nil)
    var deletion = RecordChange(single, "SharedTrack")
    deletion.deleted = tick()
    for change in [title("forged"), move, deletion] { try forge(change) }
    try settle(sharesFirst: sharesFirst)
    try expectAnns(untouched)
    try group.save(ann) { try group.track("single", $0).title = "secret" }
    try settle()
    try expectAnns(["Jazz: a", "a in Jazz", "secret in none, mine", "0 covers, 1 comments"])
    #expect(!"\(group.log(share, "ann").log)".contains("secret"))
  }

  @Test("cannot take what a private object owns, nor delete it with an object of the share", arguments: [false, true])
  func privateChild(sharesFirst: Bool) throws {
    let track = try claimComment(for: "a")
    try settle(sharesFirst: sharesFirst)
    try group.save(ann) { try group.first(SharedComment.self, $0).text = "secret" }
    try settle()
    #expect(!"\(group.log(share, "ann").log)".contains("secret"))
    var deletion = RecordChange(track, "SharedTrack")
    deletion.deleted = tick()
    try forge(deletion)
    try settle()
    try expectAnns(["Jazz: ", "single in none, secret", "0 covers, 1 comments"])
  }

  @Test("cannot take a private object whose owner put it where she may only read")
  func waitingObject() throws {
    try group.save(bob) { context in
      let playlist = SharedPlaylist("Bob's")
      context.insert(playlist)
      playlist.tracks = [SharedTrack("b")]
    }
    try group.sync(bob)
    try group.share(bob, named: "share-2", playlist: "Bob's")
    group.grant("ann", isWritable: false, zone: "share-2")
    try settle()
    try claimComment(for: "a")
    try settle()
    try group.save(ann) { context in
      let mine = try group.first(SharedComment.self, context)
      try group.track("single", context).comments = []
      try group.track("b", context).comments = [mine]
    }
    try settle()
    #expect(group.devices[ann].replica.ledger.replica.claimsToFollow == nil)
    #expect(try group.contents(bob).last == "0 covers, 0 comments")
    #expect(!"\(group.log(share, "ann").log)".contains("mine"))
  }

  @Test(
    "changes an object as soon as its owner moves it into the share, and no longer after it left",
    arguments: [false, true])
  func moved(sharesFirst: Bool) throws {
    try group.save(ann) { context in
      try group.track("single", context).playlist = try group.first(SharedPlaylist.self, context)
    }
    for index in [ann, bob] { try group.sync(index) }
    try forge(title("Bob's"))
    try settle(sharesFirst: sharesFirst)
    try expectAnns(["Bob's in Jazz, mine", "Jazz: a Bob's", "a in Jazz", "0 covers, 1 comments"])
    try group.save(ann) { context in
      let own = SharedPlaylist("Own")
      context.insert(own)
      try group.track("Bob's", context).playlist = own
    }
    try group.sync(ann)
    try forge(title("late"))
    try settle()
    try expectAnns(["Bob's in Own, mine", "Jazz: a", "Own: Bob's", "a in Jazz", "0 covers, 1 comments"])
  }

  @Test("refers to private objects from shared ones: that is what the shared object says, and changes nothing else")
  func references() throws {
    try group.save(bob) { context in
      let track = SharedTrack("b")
      context.insert(track)
      track.playlist = try context.fetch(FetchDescriptor<SharedPlaylist>()).first
    }
    try settle()
    try claimComment(for: "b")
    try settle()
    #expect(try group.contents(ann).contains("single in none, mine"))
    #expect(try group.contents(bob).contains("b in Jazz"))
  }
}
#endif
