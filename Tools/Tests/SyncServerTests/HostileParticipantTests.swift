import Foundation
import SwiftData
import SyncCore
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
      try await engine.invite(server.account("bob"), to: share.id, permission: .readWrite)
      let context = ModelContext(ann)
      let track = SeedTrack(title: "private")
      context.insert(track)
      try context.save()
      try await engine.syncNow()
      let row = try await engine.row(of: track.persistentModelID)
      let bob = try await server.token("bob")
      #expect(try await server.send("POST", "/v2/shares/\(share.id)/accept", token: bob).status == 200)
      let zone = try #require(ZoneName(text: share.id))
      let first = try await Self.pull(server, bob, SyncLog.PullRequest(cursor: 0, epoch: nil, known: []))
      let epoch = try #require(first.epochs?.last?.name)
      for forgery in Self.forgeries {
        let time = HybridTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1000), counter: 0, replica: 7)
        let transaction = SyncLog.Transaction(id: UUID(), parts: [zone: [row.name: forgery(time, zone)]])
        let request = SyncLog.PushRequest(cursor: first.latest, epoch: epoch, transactions: [transaction])
        let answer = try await server.send("POST", "/v2/log/push", token: bob, body: try SyncWire.encode(request))
        #expect(try SyncWire.decode(SyncLog.PushResponse.self, from: answer.body).taken == 1)
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
      let all = try await Self.pull(
        server, bob, SyncLog.PullRequest(cursor: first.cursor, epoch: epoch, known: [zone]))
      #expect(all.entries.count >= Self.forgeries.count && !"\(all)".contains("secret"))
      for container in containers { await container.syncEngines.first?.stop() }
    }
  }

  private static func pull(
    _ server: ServerFixture, _ token: String, _ request: SyncLog.PullRequest
  ) async throws -> SyncLog.PullResponse {
    let answer = try await server.send("POST", "/v2/log/pull", token: token, body: try SyncWire.encode(request))
    return try SyncWire.decode(SyncLog.PullResponse.self, from: answer.body)
  }

  /// Registers of a record that is not in the share.
  private static let forgeries: [@Sendable (HybridTime, ZoneName) -> Registers] = [
    { time, _ in
      var registers = Registers()
      (registers.born, registers.fields["title"]) = (Stamped(time, "SeedTrack"), Stamped(time, .text("forged")))
      return registers
    },
    { time, zone in
      var registers = Registers()
      registers.home = Home(moves: 1, time: time, zone: zone)
      return registers
    },
    { time, _ in
      var registers = Registers()
      registers.dead = time
      return registers
    },
  ]
}

extension SyncEngine {
  fileprivate func row(of object: PersistentIdentifier) throws -> RecordKey { try replica().row(of: object) }
}
