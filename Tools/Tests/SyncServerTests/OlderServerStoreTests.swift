import Foundation
import SwiftData
import Testing

@testable import SyncServer

@Suite("The store of an earlier server") struct OlderServerStoreTests {
  @Test(
    "A store with a log or a snapshot of an earlier server is refused with what to do, and keeps both",
    arguments: TestStore.available)
  func refused(_ kind: TestStore) async throws {
    for isSnapshot in [false, true] {
      let folder = try TestFolder()
      let place = kind == .postgres ? try #require(TestStore.postgresURL) : folder.path("server.store")
      let namespace = "older_\(UUID().uuidString.prefix(8).lowercased())"
      do {
        let container = try ZoneStore.container(
          at: place, [ServerEntry.self, ServerSnapshotPart.self, ServerShare.self], namespace: namespace)
        let context = ModelContext(container)
        if isSnapshot { context.insert(ServerSnapshotPart(zone: "a")) } else { context.insert(ServerEntry(zone: "a")) }
        try context.save()
      }
      for _ in 0..<2 {
        let store = ZoneStore(try ZoneStore.container(at: place, namespace: namespace), ServerLimits()) { 0 }
        let error = #expect(throws: EarlierLogs.self) { try store.checkFormat() }
        #expect(error?.description.contains("Start this server with a new store") == true)
      }
    }
  }

  @Test("A new store, and one of this server, are not refused", arguments: TestStore.available)
  func accepted(_ kind: TestStore) async throws {
    let fixture = try LogFixture(kind)
    var ann = LogClient(fixture)
    try await ann.pull()
    #expect(try await ann.push([.ann: [.a: .born()]]) == nil)
    try fixture.store.checkFormat()
  }
}
