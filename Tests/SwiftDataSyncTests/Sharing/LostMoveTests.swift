#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import Testing

@testable import SwiftDataSync

/// Ann has two devices. Her share "Jazz" is in the copy of the server, and her share "Rock" was made after it.
@Suite("An object that went to a share which a restored server lacks")
struct LostMoveTests {
  private static let rock = ZoneName.share("2")
  private let group: SharedGroup

  init() throws {
    group = try SharedGroup(["ann", "ann", "bob"])
    try group.save(0) { context in
      let jazz = SharedPlaylist("Jazz")
      context.insert(jazz)
      jazz.tracks = [SharedTrack("a")]
      context.insert(SharedPlaylist("Rock"))
    }
    try group.sync(0)
    try group.share(0, playlist: "Jazz")
    group.grant("bob")
    try group.syncAll()
  }

  /// Gives a track to a playlist of the first device, and lets all devices see it.
  private func move(_ track: String, to playlist: String) throws {
    try group.save(0) { try group.track(track, $0).playlist = try group.playlist(playlist, $0) }
    try group.syncAll()
  }

  /// Restores a copy of the server, and lets all devices hear of it.
  /// - Parameter limit: how much an answer has. The zones come in several answers, or in one.
  private func restore(_ copy: ZoneServer.Copy, limit: Int = 100) throws {
    group.server.restore(copy)
    for index in group.devices.indices {
      try group.devices[index].replica.pull(from: group.server, as: group.devices[index].account, limit: limit)
    }
    try group.syncAll()
  }

  /// Adds tracks to no playlist and to "Jazz".
  private func fill(own: Int, shared: Int) throws {
    try group.save(0) { context in
      for number in 0..<own { context.insert(SharedTrack("own \(number)")) }
      let jazz = try group.playlist("Jazz", context)
      for number in 0..<shared {
        let track = SharedTrack("shared \(number)")
        context.insert(track)
        track.playlist = jazz
      }
    }
    try group.syncAll()
  }

  private func lines(_ index: Int) throws -> [String] {
    try group.contents(index).filter { !$0.hasPrefix("own") && !$0.hasPrefix("shared") && !$0.contains("covers") }
  }

  @Test("is there, though it had left another share before", arguments: [1, 100])
  func twoMoves(limit: Int) throws {
    try fill(own: 30, shared: 0)
    let copy = group.server.copy()
    try move("a", to: "Rock")
    try group.share(0, as: Self.rock, playlist: "Rock")
    try group.syncAll()
    try restore(copy, limit: limit)
    for index in 0...1 { #expect(try lines(index) == ["Jazz: ", "Rock: a", "a in Rock"], "\(index)") }
    #expect(try lines(2) == ["Jazz: "])
  }

  @Test("is found by references that name the share which it left before")
  func pointer() throws {
    try group.save(2) { context in
      let track = SharedTrack("b")
      context.insert(track)
      track.playlist = try group.playlist("Jazz", context)
    }
    try group.syncAll()
    // The favorite is in a zone of its own, and names the share for the track.
    try group.save(0) { $0.insert(SharedFavorite(try group.track("b", $0))) }
    try group.sync(0)
    let favorite = try group.first(SharedFavorite.self, ModelContext(group.devices[0].container))
    let row = try group.devices[0].replica.row(of: favorite)
    group.server.shares[.share("3")] = ZoneServer.Share(owner: "ann", root: row.name)
    try group.devices[0].replica.pull(from: group.server)
    try group.devices[0].replica.startShare(row, zone: "share-3")
    try group.syncAll()
    let copy = group.server.copy()
    try move("b", to: "Rock")
    try group.share(0, as: Self.rock, playlist: "Rock")
    try group.syncAll()
    try restore(copy)
    for index in 0...1 {
      #expect(try lines(index) == ["Jazz: a", "Rock: b", "a in Jazz", "b in Rock"], "\(index)")
      let favorite = try group.first(SharedFavorite.self, ModelContext(group.devices[index].container))
      #expect(favorite.track?.title == "b", "\(index)")
    }
  }

  @Test(
    "from another share keeps what was written to it, and is no second object in that share",
    arguments: [(0, 0, 100), (30, 0, 1), (0, 30, 1)])
  func fromShare(own: Int, shared: Int, limit: Int) throws {
    try fill(own: own, shared: shared)
    let copy = group.server.copy()
    try group.share(0, as: Self.rock, playlist: "Rock")
    try group.syncAll()
    try move("a", to: "Rock")
    try group.save(0) { try group.track("a", $0).title = "a2" }
    try group.syncAll()
    try restore(copy, limit: limit)
    let jazz = shared == 0 ? "Jazz: " : "Jazz: \((0..<shared).map { "shared \($0)" }.joined(separator: " "))"
    for index in 0...1 { #expect(try lines(index) == [jazz, "Rock: a2", "a2 in Rock"], "\(index)") }
    #expect(try lines(2) == [jazz])
  }

  @Test("from another share stays deleted")
  func deleted() throws {
    let copy = group.server.copy()
    try group.share(0, as: Self.rock, playlist: "Rock")
    try group.syncAll()
    try move("a", to: "Rock")
    try group.save(0) { $0.delete(try group.track("a", $0)) }
    try group.syncAll()
    try restore(copy)
    for index in 0...1 { #expect(try lines(index) == ["Jazz: ", "Rock: "], "\(index)") }
    #expect(try lines(2) == ["Jazz: "])
  }

  @Test("from another share gets what another device wrote to it after the restore")
  func writtenSince() throws {
    let copy = group.server.copy()
    try group.share(0, as: Self.rock, playlist: "Rock")
    try group.sync(0)
    try group.save(0) { try group.track("a", $0).playlist = try group.playlist("Rock", $0) }
    try group.sync(0)
    group.server.restore(copy)
    // The second device has not seen the share that the server lost.
    try group.save(1) { try group.track("a", $0).rating = 5 }
    try group.sync(1)
    try group.syncAll()
    for index in 0...1 {
      #expect(try lines(index) == ["Jazz: ", "Rock: a", "a in Rock"], "\(index)")
      #expect(try group.track("a", ModelContext(group.devices[index].container)).rating == 5, "\(index)")
    }
  }
}
#endif
