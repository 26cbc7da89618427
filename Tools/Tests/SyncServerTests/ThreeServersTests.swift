import Foundation
import SwiftData
import SwiftDataSync
import SyncProtocol
import Testing

@testable import SyncServer

@Suite("Shares on several servers", .serialized, .timeLimit(.minutes(20)))
struct ThreeServersTests {
  @Test(
    "Three server processes on one database serve the participants of one share behind each other's backs",
    arguments: TestStore.available)
  func threeServers(_ store: TestStore) async throws {
    let folder = try TestFolder()
    try await ServerFixture.withProcesses(3, store: try folder.place(for: store)) { servers, _ in
      var containers: [ModelContainer] = []
      for (server, account) in zip(servers, ["ann", "bob", "carol"]) {
        containers.append(try await SharingOverHTTPTests.container(server, account))
      }
      let engines = try containers.map { try #require($0.syncEngines.first) }
      let playlist = try SharingOverHTTPTests.savePlaylist(containers[0])
      let share = try await engines[0].share(playlist, title: "Road trip")
      // Ann's server makes the link and the invitation, the others accept them.
      try await engines[0].invite("bob", to: share.id, permission: .readWrite)
      let link = try await engines[0].makeLink(to: share.id)
      _ = try await engines[1].accept(share.id)
      _ = try await engines[2].accept(link: link)
      for container in containers {
        #expect(try SharingOverHTTPTests.titles(container) == ["a in Jazz", "b in Jazz"])
      }
      // Bob and Ann write at the same time through different servers. All servers have the same log.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (index, name) in [(0, "ann"), (1, "bob")] {
          let container = containers[index]
          group.addTask {
            for number in 0..<10 {
              let context = ModelContext(container)
              let track = SeedTrack(title: "\(name) \(number)")
              context.insert(track)
              track.playlist = try context.fetch(FetchDescriptor<SeedPlaylist>()).first
              try context.save()
            }
          }
        }
        try await group.waitForAll()
      }
      let expected = (["a", "b"] + (0..<10).flatMap { ["ann \($0)", "bob \($0)"] }).sorted().map { "\($0) in Jazz" }
      for container in containers {
        try await SharingOverHTTPTests.wait { try SharingOverHTTPTests.titles(container) == expected }
      }
      let zone = try #require(ZoneName(text: share.id))
      let logs = [try await servers[2].logClient("carol"), try await servers[0].logClient("ann")]
      #expect(logs[0].states[zone] == logs[1].states[zone] && logs[0].states[zone].records.count >= expected.count)
      // Ann's server revokes; the servers of the others know it at once.
      try await engines[0].revoke("bob", from: share.id)
      #expect(try await servers[1].logClient("bob").known.count == 1)
      try await SharingOverHTTPTests.wait { try SharingOverHTTPTests.titles(containers[1]).isEmpty }
      #expect(try SharingOverHTTPTests.titles(containers[2]) == expected)
      for engine in engines { await engine.stop() }
    }
  }
}
