import Foundation
import SwiftData
import SwiftDataSync
import SyncProtocol
import Testing

@testable import SyncServer

@Suite("A share that was lost while a device was away", .timeLimit(.minutes(20)))
struct LostShareTests {
  @Test(
    "does not keep the device from catching up with a log of which the server folded the beginning (seed 60064)",
    arguments: TestStore.available)
  func compacted(_ store: TestStore) async throws {
    var limits = ServerLimits()
    (limits.foldSize, limits.retention) = (0, 0)
    try await store.with(limits: limits) { server in
      let ann = try await SharingOverHTTPTests.container(server, "ann")
      let playlist = try SharingOverHTTPTests.savePlaylist(ann)
      let share = try await PlaylistSharing(ann).sharePlaylist(playlist, with: "bob")
      let (away, home) = (
        try await SharingOverHTTPTests.container(server, "bob"), try await SharingOverHTTPTests.container(server, "bob")
      )
      let (awayEngine, homeEngine) = (try engine(away), try engine(home))
      let context = ModelContext(home)
      let own = SeedPlaylist(name: "Own", ownerID: "bob")
      context.insert(own)
      try context.save()
      try await homeEngine.syncNow()
      _ = try await awayEngine.accept(share.id)
      try await awayEngine.syncNow()
      #expect(try SharingOverHTTPTests.titles(away) == ["a in Jazz", "b in Jazz"])
      await awayEngine.stop()
      for number in 0..<40 {
        own.name = "Own \(number)"
        try context.save()
        try await homeEngine.syncNow()
      }
      try await server.fold("bob")
      try await engine(ann).revoke("bob", from: share.id)
      await awayEngine.start()
      try await awayEngine.syncNow()
      #expect(try SharingOverHTTPTests.titles(away).isEmpty)
      #expect(try ModelContext(away).fetch(FetchDescriptor<SeedPlaylist>()).map(\.name) == ["Own 39"])
      for container in [ann, away, home] { try await engine(container).stop() }
    }
  }

  private func engine(_ container: ModelContainer) throws -> SyncEngine {
    try #require(container.syncEngines.first)
  }
}
