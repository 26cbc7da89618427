#if Sync
import Foundation
import SwiftData
import Testing

@testable import SwiftDataSync

/// Ann has two devices, Bob has one.
@Suite("A shared object")
struct SharingTests {
  private let group: SharedGroup
  private let ann = 0
  private let annsOther = 1
  private let bob = 2

  init() throws {
    group = try SharedGroup(["ann", "ann", "bob"])
    try group.save(0) { context in
      let playlist = SharedPlaylist("Jazz")
      context.insert(playlist)
      playlist.tracks = ["a", "b"].map(SharedTrack.init)
      playlist.tracks[0].comments = [SharedComment("good")]
      playlist.cover = SharedCover(Data(repeating: 1, count: 100))
      context.insert(SharedTrack("single"))
    }
    try group.save(2) { $0.insert(SharedPlaylist("Bob's")) }
    try group.syncAll()
  }

  private let shared = ["Jazz: a b cover 100", "a in Jazz, good", "b in Jazz"]
  private let anns = ["single in none", "1 covers, 1 comments"]

  private func identifiers(_ index: Int) throws -> Set<PersistentIdentifier> {
    Set(try ModelContext(group.devices[index].container).fetchIdentifiers(FetchDescriptor<SharedTrack>()))
  }

  private func shareWithBob(isWritable: Bool = true) throws {
    try group.share(ann)
    group.grant("bob", isWritable: isWritable)
    try group.syncAll()
  }

  @Test("is seen by a participant with all that it owns and nothing else, and stays the same object for its owner")
  func share() throws {
    let before = try (identifiers(ann), identifiers(annsOther))
    try group.share(ann)
    try group.syncAll()
    #expect(try group.contents(bob) == ["Bob's: ", "0 covers, 0 comments"])
    group.grant("bob")
    try group.syncAll()
    #expect(try group.contents(bob) == ["Bob's: "] + shared + ["1 covers, 1 comments"])
    for index in [ann, annsOther] { #expect(try group.contents(index) == shared + anns) }
    #expect(try (identifiers(ann), identifiers(annsOther)) == before)
  }

  @Test("is changed by participants who may write: changes, additions and deletions go both ways")
  func changes() throws {
    try shareWithBob()
    try group.save(bob) { context in
      try group.track("a", context).title = "a2"
      context.delete(try group.track("b", context))
      let track = SharedTrack("c")
      context.insert(track)
      track.playlist = try context.fetch(FetchDescriptor<SharedPlaylist>()).first { $0.name == "Jazz" }
      track.comments = [SharedComment("new")]
    }
    try group.syncAll()
    let expected = ["Jazz: a2 c cover 100", "a2 in Jazz, good", "c in Jazz, new"]
    for index in [ann, annsOther] {
      #expect(try group.contents(index) == expected + ["single in none", "1 covers, 2 comments"])
    }
    #expect(try group.contents(bob) == ["Bob's: "] + expected + ["1 covers, 2 comments"])
  }

  @Test("takes in what its owner moves into it with all that this owns, and gives up what leaves it")
  func moves() throws {
    try shareWithBob()
    try group.save(ann) { context in
      let single = try group.track("single", context)
      single.comments = [SharedComment("mine")]
    }
    try group.syncAll()
    try group.save(ann) { context in
      let playlist = try group.first(SharedPlaylist.self, context)
      try group.track("single", context).playlist = playlist
    }
    try group.syncAll()
    let all = ["Jazz: a b single cover 100", "a in Jazz, good", "b in Jazz", "single in Jazz, mine"]
    for index in [ann, annsOther] { #expect(try group.contents(index) == all + ["1 covers, 2 comments"]) }
    #expect(try group.contents(bob) == ["Bob's: "] + all + ["1 covers, 2 comments"])
    // Another playlist of Ann's is not shared.
    try group.save(annsOther) { context in
      let playlist = SharedPlaylist("Own")
      context.insert(playlist)
      try group.track("a", context).playlist = playlist
    }
    try group.syncAll()
    #expect(
      try group.contents(bob) == [
        "Bob's: ", "Jazz: b single cover 100", "b in Jazz", "single in Jazz, mine", "1 covers, 1 comments",
      ])
    for index in [ann, annsOther] {
      #expect(
        try group.contents(index) == [
          "Jazz: b single cover 100", "Own: a", "a in Own, good", "b in Jazz", "single in Jazz, mine",
          "1 covers, 2 comments",
        ])
    }
    // And it can come back.
    try group.save(ann) { context in
      let jazz = try context.fetch(FetchDescriptor<SharedPlaylist>()).first { $0.name == "Jazz" }
      try group.track("a", context).playlist = jazz
    }
    try group.syncAll()
    #expect(try group.contents(bob).contains("a in Jazz, good"))
  }

  @Test("notes what a participant wrote to an object that the owner had moved out, on the device that wrote it")
  func changeOfMovedObject() throws {
    try shareWithBob()
    try group.save(ann) { context in
      let playlist = SharedPlaylist("Own")
      context.insert(playlist)
      try group.track("a", context).playlist = playlist
    }
    try group.sync(ann)
    try group.save(bob) { try group.track("a", $0).title = "changed" }
    try group.syncAll()
    #expect(try group.contents(ann).contains("a in Own, good"))
    let lost = try group.devices[bob].replica.conflicts()
    #expect(lost.map(\.property) == ["title"] && lost.map(\.lost) == ["changed"] && lost.map(\.object) == [nil])
    for index in [ann, annsOther] { #expect(try group.devices[index].replica.conflicts() == []) }
  }

  @Test("leaves a participant's store after the owner revoked it; what the participant owns stays, unsent changes go")
  func revoke() throws {
    try shareWithBob()
    try group.save(bob) { context in
      context.insert(SharedFavorite(try group.track("a", context)))
    }
    try group.syncAll()
    try group.save(bob) { try group.track("b", $0).title = "unsent" }
    group.revoke("bob")
    try group.sync(bob)
    #expect(try group.contents(bob) == ["Bob's: ", "0 covers, 0 comments"])
    let context = ModelContext(group.devices[bob].container)
    #expect(try context.fetch(FetchDescriptor<SharedFavorite>()).map { $0.track == nil } == [true])
    #expect(group.devices[bob].replica.pendingCount == 0)
    for index in [ann, annsOther] { #expect(try group.contents(index) == shared + anns) }
    // A new grant brings the objects back, and what led to them.
    group.grant("bob")
    try group.syncAll()
    #expect(try group.contents(bob) == ["Bob's: "] + shared + ["1 covers, 1 comments"])
    let favorites = try ModelContext(group.devices[bob].container).fetch(FetchDescriptor<SharedFavorite>())
    #expect(favorites.map { $0.track?.title } == ["a"])
  }

  @Test(
    "that is read-only undoes what a participant changed, added or deleted, and leaves the participant's own objects")
  func readOnly() throws {
    try shareWithBob(isWritable: false)
    try group.save(bob) { context in
      let track = try group.track("a", context)
      track.title = "mine now"
      track.playlist = try context.fetch(FetchDescriptor<SharedPlaylist>()).first { $0.name == "Bob's" }
      context.delete(try group.track("b", context))
    }
    try group.syncAll()
    #expect(try group.contents(bob) == ["Bob's: "] + shared + ["1 covers, 1 comments"])
    #expect(group.devices[bob].replica.pendingCount == 0)
    for index in [ann, annsOther] { #expect(try group.contents(index) == shared + anns) }
  }

  @Test("that is read-only comes back after a participant deleted it, with the participant's objects that went with it")
  func readOnlyDeletion() throws {
    try shareWithBob(isWritable: false)
    try group.save(bob) { context in
      let track = SharedTrack("mine")
      context.insert(track)
      track.playlist = try group.playlist("Jazz", context)
      track.comments = [SharedComment("my comment")]
    }
    try group.syncAll()
    let before = try group.contents(bob)
    #expect(before.contains("mine in Jazz, my comment"))
    try group.save(bob) { context in
      context.delete(try group.playlist("Jazz", context))
      context.delete(try group.playlist("Bob's", context))
    }
    #expect(try group.contents(bob) == ["0 covers, 0 comments"])
    try group.syncAll()
    #expect(try group.contents(bob) == before.filter { $0 != "Bob's: " })
    for index in [ann, annsOther] { #expect(try group.contents(index) == shared + anns) }
  }

  @Test("comes back whole where a participant who may only read it deleted it, also if the history is gone")
  func readOnlyDeletionWithoutHistory() throws {
    try shareWithBob(isWritable: false)
    try group.save(bob) { context in
      let playlist = try group.playlist("Jazz", context)
      for number in 0..<1100 {
        let track = SharedTrack("mine \(number)")
        context.insert(track)
        track.playlist = playlist
      }
    }
    try group.syncAll()
    let before = try group.contents(bob)
    try group.save(bob) { context in context.delete(try group.playlist("Jazz", context)) }
    try ModelContext(group.devices[bob].container).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    try group.syncAll()
    #expect(try group.contents(bob) == before && before.count > 1100)
  }

  @Test("gets the change of a device that did not know of the share yet")
  func lateChange() throws {
    try group.save(annsOther) { context in
      try group.track("a", context).title = "a2"
      context.delete(try group.track("b", context))
    }
    try group.devices[annsOther].replica.capture()
    try group.share(ann)
    try group.sync(ann)
    group.grant("bob")
    try group.syncAll()
    let expected = ["Jazz: a2 cover 100", "a2 in Jazz, good"]
    for index in [ann, annsOther] { #expect(try group.contents(index) == expected + anns) }
    #expect(try group.contents(bob) == ["Bob's: "] + expected + ["1 covers, 1 comments"])
  }

  @Test(
    "is whole after a crash between any two steps of its participant",
    arguments: (0..<40).map(CrashPoint.statement) + (0..<6).map(CrashPoint.commit))
  func crash(_ point: CrashPoint) throws {
    try group.share(ann)
    group.grant("bob")
    try group.sync(ann)
    group.devices[bob].crashesAt = point
    do { try group.sync(bob) } catch is SimulatedCrash { try group.start(bob) }
    group.devices[bob].crashesAt = nil
    try group.syncAll()
    #expect(try group.contents(bob) == ["Bob's: "] + shared + ["1 covers, 1 comments"])
    group.revoke("bob")
    group.devices[bob].crashesAt = point
    do { try group.sync(bob) } catch is SimulatedCrash { try group.start(bob) }
    group.devices[bob].crashesAt = nil
    try group.syncAll()
    #expect(try group.contents(bob) == ["Bob's: ", "0 covers, 0 comments"])
  }

  @Test("comes back whole if a crash interrupts its removal and the participant is invited again before the next start")
  func invitedAgainAfterCrash() throws {
    try shareWithBob()
    group.revoke("bob")
    // Its objects are on their way out.
    group.devices[bob].crashesAt = .statement(6)
    #expect(throws: SimulatedCrash.self) { try group.sync(bob) }
    group.grant("bob")
    try group.start(bob)
    try group.syncAll()
    #expect(try group.contents(bob) == ["Bob's: "] + shared + ["1 covers, 1 comments"])
  }

  @Test("can be shared by its owner only, and is in one share only")
  func oneShare() throws {
    try shareWithBob()
    let context = ModelContext(group.devices[bob].container)
    let name = try group.devices[bob].replica.row(of: try group.track("a", context))
    let error = #expect(throws: SyncError.self) { try group.devices[bob].replica.checkShareable(name) }
    #expect(error?.code == .forbidden && error?.message.contains("ann") == true)
    let own = #expect(throws: SyncError.self) { try group.devices[ann].replica.checkShareable(name) }
    #expect(own?.code == .refused)
    let root = try group.devices[bob].replica.row(of: try group.playlist("Jazz", context))
    let others = #expect(throws: SyncError.self) { try group.devices[bob].replica.checkShareable(root) }
    #expect(others?.code == .forbidden)
    #expect(throws: Never.self) { try group.devices[ann].replica.checkShareable(root) }
  }

  @Test(
    "that owns more than fits into a request goes in several transactions, and the owner's other device shows all of it"
  )
  func largeShare() throws {
    let replica = group.devices[ann].replica!
    let row = try replica.row(of: group.playlist("Jazz", ModelContext(group.devices[ann].container)))
    group.server.shares[SharedGroup.zone] = ZoneServer.Share(owner: "ann", root: row.name, members: ["bob": true])
    try replica.pull(from: group.server)
    let before = try (group.contents(annsOther), identifiers(annsOther))
    try replica.move(row, to: SharedGroup.zone, objects: 2)
    #expect(replica.pendingCount == 3)
    while let request = try replica.pushRequest(limit: 1) {
      #expect(request.transactions.count == 1 && request.transactions[0].parts.values.reduce(0) { $0 + $1.count } <= 4)
      #expect(try group.server.push(request, from: "ann").refusal == nil)
      for index in [annsOther, bob] { try group.sync(index) }
      #expect(try group.contents(annsOther) == before.0 && identifiers(annsOther) == before.1)
      try replica.pull(from: group.server)
    }
    try group.syncAll()
    #expect(try group.contents(bob) == ["Bob's: "] + shared + ["1 covers, 1 comments"])
    for index in [ann, annsOther] { #expect(try group.contents(index) == shared + anns) }
    #expect(group.server.state(of: SharedGroup.zone).records.count == 5)
  }

  @Test(
    "that is read-only: a participant's conflict log has the members that the participant added, removed or deleted")
  func readOnlyLists() throws {
    let group = try ZoneGroup([CellOwner.self], accounts: ["ann", "bob"])
    try group.save(0) { context in
      let owner = CellOwner("o")
      context.insert(owner)
      owner.notes = ["taken", "deleted"].map(CellNote.init)
    }
    _ = try group.share(CellOwner.self, of: 0, with: ["bob": false])
    try group.syncAll()
    try group.save(1) { context in
      let owner = try group.first(CellOwner.self, context)
      let new = CellNote("new")
      context.insert(new)
      for note in owner.notes where note.name == "deleted" { context.delete(note) }
      owner.notes = [new]
    }
    try group.syncAll()
    #expect(try group.all(CellOwner.self, 1).map { $0.notes.map(\.name) } == [["taken", "deleted"]])
    let notes = try Dictionary(
      uniqueKeysWithValues: group.all(CellNote.self, 1).map { ($0.name, $0.persistentModelID) })
    let conflicts = try group.replicas[1].conflicts()
    let lists = conflicts.filter { $0.property == "notes" }
    #expect(lists.compactMap(\.lostObject) == [notes["new"]].compactMap(\.self))
    #expect(lists.compactMap(\.keptObject) == [notes["taken"]].compactMap(\.self))
    let deletions = conflicts.filter { $0.property == "" }
    #expect(deletions.map(\.object) == [notes["deleted"]] && deletions.map(\.entity) == ["CellNote"])
    #expect(deletions.map(\.lost) == ["deleted"])
    #expect(try group.replicas[0].conflicts() == [])
  }

  @Test("that is read-only has a member in its list again after a participant deleted the member (seed 401202)")
  func readOnlyMember() throws {
    let group = try ZoneGroup([CellOwner.self], accounts: ["ann", "bob"])
    try group.save(0) { context in
      let owner = CellOwner("o")
      context.insert(owner)
      owner.notes = ["a", "b", "c"].map(CellNote.init)
    }
    _ = try group.share(CellOwner.self, of: 0, with: ["bob": false])
    try group.syncAll()
    try group.save(1) { context in
      for note in try group.first(CellOwner.self, context).notes where note.name == "b" { context.delete(note) }
    }
    #expect(try group.all(CellOwner.self, 1).map { $0.notes.map(\.name) } == [["a", "c"]])
    try group.syncAll()
    for index in [0, 1] {
      #expect(try group.all(CellOwner.self, index).map { $0.notes.map(\.name) } == [["a", "b", "c"]])
    }
  }
}
#endif
