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
    let place = store == .postgres ? TestStore.postgresURL! : folder.path("server.store")
    try await ServerFixture.withProcesses(3, store: place) { servers, _ in
      var containers: [ModelContainer] = []
      for (server, account) in zip(servers, ["ann", "bob", "carol"]) {
        containers.append(try await SharingOverHTTPTests.container(server, account))
      }
      let engines = try containers.map { try #require($0.syncEngines.first) }
      let playlist = try SharingOverHTTPTests.savePlaylist(containers[0])
      let share = try await engines[0].share(playlist, title: "Road trip")
      // Ann's server makes the link and the invitation, the others accept them.
      try await engines[0].invite(servers[0].account("bob"), to: share.id, permission: .readWrite)
      let link = try await engines[0].makeLink(to: share.id)
      _ = try await engines[1].accept(share.id)
      _ = try await engines[2].accept(link: link)
      for container in containers {
        #expect(try SharingOverHTTPTests.titles(container) == ["a in Jazz", "b in Jazz"])
      }
      // Bob and Ann write at the same time through different servers. The log has each transaction once, without gaps.
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
      var sequences: [Int64] = []
      let token = try await servers[2].token("carol")
      while true {
        let path = "/v1/zones/\(share.id)/changes?after=\(sequences.last ?? 0)"
        let part = try SyncWire.decode(
          ChangesResponse.self, from: try await servers[2].send("GET", path, token: token).body)
        if part.entries.isEmpty { break }
        sequences += part.entries.map(\.sequence)
      }
      #expect(sequences == (1...Int64(sequences.count)).map(\.self))
      // Ann's server revokes; the servers of the others know it at once.
      try await engines[0].revoke(servers[0].account("bob"), from: share.id)
      let bob = try await servers[1].token("bob")
      #expect(try await servers[1].send("GET", "/v1/zones/\(share.id)/changes?after=0", token: bob).status == 404)
      try await SharingOverHTTPTests.wait { try SharingOverHTTPTests.titles(containers[1]).isEmpty }
      #expect(try SharingOverHTTPTests.titles(containers[2]) == expected)
      for engine in engines { await engine.stop() }
    }
  }
}
