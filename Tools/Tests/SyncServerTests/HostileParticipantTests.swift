import Foundation
import SwiftData
import SyncProtocol
import Testing

@testable import SwiftDataSync
@testable import SyncServer

/// Bob may write in a share of Ann's, and sends requests of his own.
@Suite("A hostile participant", .serialized)
struct HostileParticipantTests {
  @Test(
    "who knows the name of a private object can neither change it, nor delete it, nor read what becomes of it",
    arguments: TestStore.available, [false, true])
  func privateObject(_ store: TestStore, isNewDevice: Bool) async throws {
    try await store.with { server in
      let ann = try await SharingOverHTTPTests.container(server, "ann")
      let engine = try #require(ann.syncEngines.first)
      let share = try await engine.share(try SharingOverHTTPTests.savePlaylist(ann))
      try await engine.invite("bob", to: share.id, permission: .readWrite)
      let context = ModelContext(ann)
      let track = SeedTrack(title: "private")
      context.insert(track)
      try context.save()
      try await engine.syncNow()
      let owner = try await server.logClient("ann")
      let record = try #require(
        owner.states[owner.own].records.first { $0.value.fields["title"]?.value == .text("private") }
      ).key
      let token = try await server.token("bob")
      #expect(try await server.send("POST", "/v2/shares/\(share.id)/accept", token: token).status == 200)
      let zone = try #require(ZoneName(text: share.id))
      let bob = try await server.logClient("bob")
      let time = Registers.time(Int64(Date().timeIntervalSince1970 * 1000), 7)
      for forgery in [
        Registers.set(["title": .text("forged")], at: time), .home(zone, at: time), .dead(at: time),
      ] {
        var next = bob
        try await next.pull()
        #expect(try await next.push([zone: [record: forgery]]) == nil)
      }
      try await engine.syncNow()
      var containers = [ann]
      if isNewDevice { containers.append(try await SharingOverHTTPTests.container(server, "ann")) }
      for container in containers {
        try await container.syncEngines.first?.syncNow()
        #expect(
          try SharingOverHTTPTests.titles(container) == ["a in Jazz", "b in Jazz", "private in none"])
      }
      track.title = "secret"
      try context.save()
      try await engine.syncNow()
      let log = try await server.logClient("bob")
      #expect(log.states[zone][record] != nil && !"\(log.states)".contains("secret"))
      for container in containers { await container.syncEngines.first?.stop() }
    }
  }
}
