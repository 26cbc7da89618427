#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import Testing

@testable import SwiftDataSync

/// Ann has three devices, of which one comes late. Bob may write in the share of the playlist "Jazz".
@Suite("An object that moves between zones")
struct ZoneChangeTests {
  private let group: SharedGroup
  private let ann = 0
  private let annsOther = 1
  private let annsLate = 2
  private let bob = 3

  init() throws {
    group = try SharedGroup(["ann", "ann", "ann", "bob"])
    try group.save(0) { context in
      for name in ["Jazz", "Rock"] { context.insert(SharedPlaylist(name)) }
      context.insert(SharedTrack("single"))
    }
    try group.sync(0)
    try group.share(0, playlist: "Jazz")
    group.grant("bob")
    for index in [0, 1, 3, 0, 1] { try group.sync(index) }
  }

  private func put(_ playlist: String, _ index: Int) throws {
    try group.save(index) { context in
      try group.track("single", context).playlist = try group.playlist(playlist, context)
    }
  }

  /// Puts a track into a new private playlist.
  private func putIntoNew(_ playlist: String, _ track: String, _ index: Int) throws {
    try group.save(index) { context in
      let new = SharedPlaylist(playlist)
      context.insert(new)
      try group.track(track, context).playlist = new
    }
  }

  private func ratings(_ index: Int) throws -> [Int?] {
    try ModelContext(group.devices[index].container).fetch(FetchDescriptor<SharedTrack>()).map(\.rating)
  }

  @Test("keeps a change that the device which moved it there and back had not seen", arguments: [false, true])
  func thereAndBack(isNew: Bool) throws {
    try group.save(annsOther) { context in
      let track = try group.track("single", context)
      if isNew { track.rating = 5 } else { track.title = "single, live" }
    }
    try group.sync(annsOther)
    for playlist in ["Jazz", "Rock"] {
      try put(playlist, ann)
      try group.devices[ann].replica.capture()
    }
    for index in [ann, annsOther, bob, ann, annsOther] { try group.sync(index) }
    try group.sync(annsLate)
    let title = isNew ? "single" : "single, live"
    for index in [ann, annsOther, annsLate] {
      #expect(try group.contents(index).contains("\(title) in Rock"), "device \(index)")
      #expect(try ratings(index) == [isNew ? 5 : nil], "device \(index)")
    }
    #expect(try group.contents(bob) == ["Jazz: ", "0 covers, 0 comments"])
  }

  @Test("loses the first value of an attribute that a participant may not write any more")
  func firstValue() throws {
    try put("Jazz", ann)
    for index in [ann, bob] { try group.sync(index) }
    try group.save(bob) { try group.track("single", $0).rating = 5 }
    try group.devices[bob].replica.capture()
    group.grant("bob", isWritable: false)
    for index in [bob, ann] { try group.sync(index) }
    for index in [ann, bob] { #expect(try ratings(index) == [nil], "device \(index)") }
  }

  @Test("loses the first value of an attribute when it moves to a share that the participant may only read")
  func firstValueOfLateChange() throws {
    try put("Jazz", ann)
    try group.share(ann, as: .share("2"), playlist: "Rock")
    group.grant("bob", isWritable: false, zone: .share("2"))
    for index in [ann, bob, ann, bob] { try group.sync(index) }
    try group.save(bob) { try group.track("single", $0).rating = 5 }
    try group.devices[bob].replica.capture()
    try put("Rock", ann)
    for index in [ann, bob, ann, bob] { try group.sync(index) }
    for index in [ann, bob] {
      #expect(try group.contents(index).contains("single in Rock"), "device \(index)")
      #expect(try ratings(index) == [nil], "device \(index)")
    }
  }

  @Test("keeps the order of a list to which one save adds before and behind what is there")
  func order() throws {
    try put("Jazz", ann)
    try group.save(ann) { try group.track("single", $0).comments = [SharedComment("b")] }
    for index in [ann, bob] { try group.sync(index) }
    try group.save(ann) { context in
      let track = try group.track("single", context)
      track.comments = [SharedComment("a")] + track.comments + [SharedComment("c")]
    }
    for index in [ann, bob, annsOther] { try group.sync(index) }
    for index in [ann, bob, annsOther] {
      #expect(try group.contents(index).contains("single in Jazz, a b c"), "device \(index)")
    }
  }

  @Test("stays with the participant who took it out of the share when the owner's other device moves it there later")
  func takenOut() throws {
    try put("Jazz", ann)
    for index in [ann, bob] { try group.sync(index) }
    try putIntoNew("Own", "single", bob)
    try group.sync(bob)
    // This device knows neither move.
    try put("Jazz", annsOther)
    try group.devices[annsOther].replica.capture()
    for _ in 0..<2 { for index in [annsOther, ann, bob, annsLate] { try group.sync(index) } }
    #expect(try group.contents(bob) == ["Jazz: ", "Own: single", "single in Own", "0 covers, 0 comments"])
    for index in [ann, annsOther, annsLate] {
      #expect(try group.contents(index) == ["Jazz: ", "Rock: ", "0 covers, 0 comments"], "device \(index)")
    }
  }

  @Test("stays in the share that a device moved it to again after another device's move had won against its first one")
  func movedAgain() throws {
    try put("Jazz", annsOther)
    try group.devices[annsOther].replica.capture()
    for playlist in ["Jazz", "Rock"] {
      try put(playlist, ann)
      try group.devices[ann].replica.capture()
    }
    try group.sync(ann)
    try group.devices[annsOther].replica.pull(from: group.server)
    #expect(try group.contents(annsOther).contains("single in Rock"))
    try put("Jazz", annsOther)
    try group.devices[annsOther].replica.capture()
    for _ in 0..<2 { for index in [annsOther, ann, bob, annsLate] { try group.sync(index) } }
    for index in [ann, annsOther, annsLate, bob] {
      #expect(try group.contents(index).contains("single in Jazz"), "device \(index)")
    }
  }

  @Test("stays in the share that two devices moved it to, one of them by way of another share")
  func sameShareByTwoWays() throws {
    try put("Rock", annsOther)
    for index in [annsOther, ann] { try group.sync(index) }
    try group.share(annsOther, as: .share("2"), playlist: "Rock")
    try put("Jazz", annsOther)
    try group.devices[annsOther].replica.capture()
    try put("Jazz", ann)
    try group.devices[ann].replica.capture()
    for _ in 0..<2 { for index in [annsOther, ann, bob, annsLate] { try group.sync(index) } }
    for index in [ann, annsOther, annsLate, bob] {
      #expect(try group.contents(index).contains("single in Jazz"), "device \(index)")
    }
  }

  @Test("stays private when the participant who added it to a share may not write there")
  func permissionDoesNotReturn() throws {
    try put("Jazz", ann)
    for index in [ann, bob] { try group.sync(index) }
    group.grant("bob", isWritable: false)
    try group.sync(bob)
    try group.save(bob) { try group.track("single", $0).comments = [SharedComment("new")] }
    for index in [bob, ann, bob] { try group.sync(index) }
    group.grant("bob")
    for index in [bob, ann, bob] { try group.sync(index) }
    #expect(try group.contents(ann).contains("single in Jazz"))
    #expect(try group.contents(bob).suffix(2) == ["single in Jazz", "0 covers, 1 comments"])
  }

  @Test(
    "moves to one place only if its owner and a participant move it out of a share at the same time",
    arguments: [false, true], [false, true])
  func twoMoves(bobIsLater: Bool, bobIsFirst: Bool) throws {
    try group.save(bob) { $0.insert(SharedPlaylist("Blues")) }
    try group.sync(bob)
    try group.share(bob, as: .share("2"), playlist: "Blues")
    group.grant("ann", zone: .share("2"))
    try put("Jazz", ann)
    for index in [ann, bob, annsOther, ann, bob, annsOther] { try group.sync(index) }
    for index in bobIsLater ? [ann, bob] : [bob, ann] {
      try put(index == ann ? "Rock" : "Blues", index)
      try group.devices[index].replica.capture()
    }
    for index in bobIsFirst ? [bob, ann, bob, ann] : [ann, bob, ann, bob] { try group.sync(index) }
    for index in [ann, bob, annsOther, annsLate] { try group.sync(index) }
    for index in [annsOther, annsLate, ann, bob] { try group.sync(index) }
    // Bob cannot follow an object that Ann took into her own zone first.
    let isBobs = bobIsLater && bobIsFirst
    for index in [ann, annsOther, annsLate] {
      let tracks = try group.contents(index).filter { $0.hasPrefix("single") }
      #expect(tracks == [isBobs ? "single in Blues" : "single in Rock"], "device \(index)")
    }
    #expect(try group.contents(bob).contains("single in Blues") == isBobs)
  }

  @Test("stays with the participant who made it and took it out of a share that never got it")
  func neverSent() throws {
    try group.save(bob) { context in
      let track = SharedTrack("new")
      context.insert(track)
      track.playlist = try group.playlist("Jazz", context)
    }
    try group.devices[bob].replica.capture()
    try group.save(bob) { context in
      let own = SharedPlaylist("Own")
      context.insert(own)
      try group.track("new", context).playlist = own
    }
    try group.devices[bob].replica.capture()
    group.revoke("bob")
    for _ in 0..<2 { try group.sync(bob) }
    #expect(try group.contents(bob) == ["Own: new", "new in Own", "0 covers, 0 comments"])
  }

  @Test("stays with the participant who took it out of a share and lost the share before an answer came")
  func takenOutUnanswered() throws {
    try put("Jazz", ann)
    for index in [ann, bob] { try group.sync(index) }
    try putIntoNew("Own", "single", bob)
    try group.push(bob)
    group.revoke("bob")
    for index in [bob, ann, bob] { try group.sync(index) }
    #expect(try group.contents(bob) == ["Own: single", "single in Own", "0 covers, 0 comments"])
    #expect(try !group.contents(ann).contains { $0.hasPrefix("single") })
  }

  @Test("goes with a share that a participant put it into, when the participant lost the share before an answer came")
  func putInUnanswered() throws {
    try group.save(bob) { $0.insert(SharedTrack("own")) }
    try group.sync(bob)
    try group.save(bob) { try group.track("own", $0).playlist = try group.playlist("Jazz", $0) }
    try group.push(bob)
    group.revoke("bob")
    for index in [bob, ann, bob] { try group.sync(index) }
    #expect(try group.contents(ann).contains("own in Jazz"))
    #expect(try group.contents(bob) == ["0 covers, 0 comments"])
  }

  @Test(
    "keeps the unsent change of a device when another one took it out of a share that the account then lost (seed 57)")
  func changeOfLostShare() throws {
    let group = try SharedGroup(["ann", "bob", "bob"])
    try group.save(0) { context in
      let playlist = SharedPlaylist("Jazz")
      context.insert(playlist)
      playlist.tracks = [SharedTrack("single")]
    }
    try group.sync(0)
    try group.share(0)
    group.grant("bob")
    for index in [0, 1, 2] { try group.sync(index) }
    try group.save(2) { try group.track("single", $0).rating = 5 }
    try group.devices[2].replica.capture()
    try group.save(1) { context in
      let own = SharedPlaylist("Own")
      context.insert(own)
      try group.track("single", context).playlist = own
    }
    try group.sync(1)
    group.revoke("bob")
    try group.syncAll()
    for index in [1, 2] {
      let tracks = try ModelContext(group.devices[index].container).fetch(FetchDescriptor<SharedTrack>())
      #expect(tracks.map(\.rating) == [5] && tracks.map { $0.playlist?.name } == ["Own"])
    }
  }

  @Test("keeps the unsent change of a device to which the new zone comes in parts")
  func changeWhileLoading() throws {
    let group = try SharedGroup(["ann", "ann"])
    try group.save(0) { context in
      let playlist = SharedPlaylist("Jazz")
      context.insert(playlist)
      playlist.tracks = (0..<40).map { SharedTrack("\($0)") }
    }
    for index in [0, 1] { try group.sync(index) }
    let other = group.devices[1].replica!
    for number in 0..<40 {
      try group.save(1) { try group.track("\(number)", $0).rating = number }
      try other.capture()
    }
    try group.share(0)
    try group.sync(0)
    // An answer has two entries and eight records, and the rest of the zone follows.
    for _ in 0..<2 {
      let request = other.pullRequest()
      _ = try other.take(group.server.pull(request, by: "ann", limit: 2), for: request)
    }
    #expect(other.pullRequest().loading.count == 1 && other.pendingCount == 40)
    #expect(try other.pushRequest() == nil)
    // What it knows is in the store, so a start changes nothing.
    try group.start(1)
    try group.syncAll()
    for index in [0, 1] {
      let tracks = try ModelContext(group.devices[index].container).fetch(FetchDescriptor<SharedTrack>())
      #expect(tracks.count == 40 && tracks.allSatisfy { $0.rating == Int($0.title) && $0.playlist?.name == "Jazz" })
    }
  }

  @Test("stays the same object on a device to which the new zone comes in parts, and keeps an unsent large value")
  func objectWhileLoading() throws {
    let group = try SharedGroup(["ann", "ann"], scopes: [.device(\SharedPlaylist.playCount)])
    try group.save(0) { context in
      let playlist = SharedPlaylist("Jazz")
      context.insert(playlist)
      playlist.cover = SharedCover(Data(repeating: 1, count: 100))
      playlist.tracks = (0..<40).map { SharedTrack("\($0)") }
      context.insert(SharedTrack("out"))
    }
    for index in [0, 1] { try group.sync(index) }
    let image = Data(repeating: 2, count: SyncWire.assetThreshold + 1)
    try group.save(1) { context in
      try group.first(SharedCover.self, context).image = image
      try group.playlist("Jazz", context).playCount = 7
    }
    func identifiers() throws -> Set<PersistentIdentifier> {
      let context = ModelContext(group.devices[1].container)
      return try Set(context.fetchIdentifiers(FetchDescriptor<SharedTrack>()))
        .union(context.fetchIdentifiers(FetchDescriptor<SharedPlaylist>()))
    }
    let known = try identifiers()
    try group.share(0)
    try group.sync(0)
    for isRestarted in [false, true] {
      let request = group.devices[1].replica.pullRequest()
      _ = try group.devices[1].replica.take(group.server.pull(request, by: "ann", limit: 2), for: request)
      #expect(try identifiers() == known)
      // What it knows is in the store, so a start changes nothing.
      if isRestarted { try group.start(1) }
    }
    let other = group.devices[1].replica!
    try other.capturePart()
    try other.catchUp()
    try other.pull(from: group.server)
    #expect(try identifiers() == known)
    for (sha256, zone) in other.assetsToUpload(try #require(try other.pushRequest())) {
      try group.server.put(sha256, try #require(try other.bytes(of: sha256)), zone: zone, account: "ann")
    }
    try other.sync(with: group.server)
    #expect(try group.first(SharedPlaylist.self, ModelContext(group.devices[1].container)).playCount == 7)
    let cover = try #require(
      group.server.state(of: SharedGroup.zone).records.values.first { $0.born?.value == "SharedCover" })
    #expect(cover.assets.map(\.sha256) == [UserStore.sha256(image)])
    #expect(try group.first(SharedCover.self, ModelContext(group.devices[1].container)).image == image)
  }

  @Test("goes from a device to which the new zone comes in parts when the account loses the zone meanwhile")
  func lostWhileLoading() throws {
    let group = try SharedGroup(["bob", "ann", "ann"])
    try group.save(0) { $0.insert(SharedPlaylist("Jazz")) }
    try group.save(1) { context in for number in 0..<40 { context.insert(SharedTrack("\(number)")) } }
    try group.syncAll()
    try group.share(0)
    group.grant("ann")
    try group.sync(0)
    try group.sync(1)
    try group.save(1) { context in
      let playlist = try group.playlist("Jazz", context)
      for track in try context.fetch(FetchDescriptor<SharedTrack>()) { track.playlist = playlist }
    }
    try group.sync(1)
    let other = group.devices[2].replica!
    // The first answer has the list of zones alone.
    for _ in 0..<2 {
      let request = other.pullRequest()
      _ = try other.take(group.server.pull(request, by: "ann", limit: 2), for: request)
    }
    #expect(other.pullRequest().loading.count == 1)
    #expect(try group.contents(2).count == 41)
    group.revoke("ann")
    try group.syncAll()
    for index in [1, 2] { #expect(try group.contents(index) == ["0 covers, 0 comments"]) }
  }
}
#endif
