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
      try await engine.invite(server.account("bob"), to: share.id, permission: .readWrite)
      let context = ModelContext(ann)
      let track = SeedTrack(title: "private")
      context.insert(track)
      try context.save()
      try await engine.syncNow()
      let record = try await engine.name(of: track.persistentModelID)
      let bob = try await server.token("bob")
      #expect(try await server.send("POST", "/v1/shares/\(share.id)/accept", token: bob).status == 200)
      var sent: Int64 = 0
      for change in try Self.forgeries(record, share.id) {
        let time = Int64(Date().timeIntervalSince1970 * 1000)
        let transaction = SyncTransaction(id: UUID(), replica: 7, changes: [change(time + sent)])
        let body = try SyncWire.encode(PushRequest(base: 0, transactions: [transaction]))
        #expect(
          try await server.send("POST", "/v1/zones/\(share.id)/push", token: bob, body: body).status == 200)
        sent += 1
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
      let answer = try await server.send("GET", "/v1/zones/\(share.id)/changes?after=0", token: bob)
      let log = try SyncWire.decode(ChangesResponse.self, from: answer.body)
      #expect(log.entries.count > sent && !"\(log.entries)".contains("secret"))
      for container in containers { await container.syncEngines.first?.stop() }
    }
  }

  /// Changes of a record that is not in the share, by their times.
  private static func forgeries(
    _ record: RecordName, _ zone: String
  ) throws -> [(_ milliseconds: Int64) -> RecordChange] {
    func change(_ milliseconds: Int64, _ body: (inout RecordChange, HybridTime) -> Void) -> RecordChange {
      var change = RecordChange(record, "SeedTrack")
      body(&change, HybridTime(milliseconds: milliseconds, counter: 0, replica: 7))
      return change
    }
    return [
      { change($0) { $0.fields["title"] = FieldWrite(.text("forged"), $1, over: nil) } },
      { change($0) { $0.fields[SyncSchema.home] = FieldWrite(.text(zone), $1, over: nil) } },
      { change($0) { $0.deleted = $1 } },
    ]
  }
}

extension SyncEngine {
  fileprivate func name(of object: PersistentIdentifier) throws -> RecordName { try replica().recordName(of: object) }
}
