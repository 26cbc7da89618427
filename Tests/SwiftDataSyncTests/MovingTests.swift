#if Sync
import AppleStoreTemplates
import Foundation
import SwiftData
import SwiftDataAppleStore
import SwiftDataInspection
import Testing

@testable import SwiftDataSync

@Model private final class MovedPerson {
  @Attribute(.unique) var id: String = ""
  var name: String = ""
  var dogs: [MovedDog] = []
  init(id: String, name: String) { (self.id, self.name) = (id, name) }
}
@Model private final class MovedDog {
  @Attribute(.unique) var id: String = ""
  var name: String = ""
  init(id: String, name: String) { (self.id, self.name) = (id, name) }
}
@Model private final class MovedList {
  @Attribute(.unique) var id: String = ""
  var title: String = ""
  @Relationship(deleteRule: .cascade, inverse: \MovedTrack.list) var tracks: [MovedTrack] = []
  init(id: String, title: String) { (self.id, self.title) = (id, title) }
}
@Model private final class MovedTrack {
  @Attribute(.unique) var id: String = ""
  var title: String = ""
  var list: MovedList?
  init(id: String, title: String, list: MovedList?) { (self.id, self.title, self.list) = (id, title, list) }
}

/// The steps of the section "Move an app that syncs" of the article `ComingFromRealm.md`.
@Suite("Moving an app that syncs", .serialized)
struct MovingTests {
  private let transport = LoopTransport()
  private let database = "iCloud.com.example.\(UUID().uuidString)"
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("moving-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  private func syncing(_ models: [any PersistentModel.Type], _ store: URL) throws -> ModelContainer {
    SyncRemote.register(
      database, transport: transport, credentials: SyncCredentials(token: "t"), servesAutomatic: false)
    defer { SyncRemote.unregister(database) }
    return try ModelContainer(
      for: Schema(models), configurations: ModelConfiguration(url: store, cloudKitDatabase: .private(database)))
  }

  /// Exchanges all changes of both devices, and checks step 5: nothing is left to send.
  private func exchange(_ devices: [ModelContainer]) async throws {
    for _ in 0..<2 { for device in devices { try await device.syncEngines[0].syncNow() } }
    for device in devices {
      #expect(device.syncEngines[0].status.pendingChanges == 0)
      await device.syncEngines[0].stop()
    }
  }

  @Test("Two devices with Realm's export of one account's objects end with each object once, related as on both")
  func realm() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let exports = [
      """
      {"MovedPerson": [{"id": "p1", "name": "Ann", "dogs": [{"id": "d1", "name": "Rex"}]},
        {"id": "p2", "name": "Bob", "dogs": []}], "MovedDog": [{"id": "d1", "name": "Rex"}]}
      """,
      """
      {"MovedPerson": [{"id": "p1", "name": "Ann", "dogs": [{"id": "d2", "name": "Ida"}]},
        {"id": "p3", "name": "Cleo", "dogs": []}], "MovedDog": [{"id": "d2", "name": "Ida"}]}
      """,
    ]
    let models: [any PersistentModel.Type] = [MovedPerson.self, MovedDog.self]
    let devices = try exports.enumerated().map { index, text in
      // Steps 1 and 2.
      let export = folder.appendingPathComponent("export\(index).json")
      try Data(text.utf8).write(to: export)
      let store = folder.appendingPathComponent("\(index).store")
      var realm = try RealmImport(export)
      #expect(try realm.copy(into: store).losses == [])
      // The classes say which attributes are unique, which the export does not.
      _ = try ModelContainer(
        for: Schema(models), configurations: ModelConfiguration(url: store, cloudKitDatabase: .none))
      // Step 3.
      return try syncing(models, store)
    }
    try await exchange(devices)
    // Step 4.
    for device in devices {
      let context = ModelContext(device)
      let people = try context.fetch(FetchDescriptor<MovedPerson>(sortBy: [SortDescriptor(\.id)]))
      #expect(people.map(\.name) == ["Ann", "Bob", "Cleo"])
      #expect(people.first.map { Set($0.dogs.map(\.name)) } == ["Rex", "Ida"])
      #expect(try context.fetchCount(FetchDescriptor<MovedDog>()) == 2)
    }
  }

  @Test("Two devices with Core Data's file of one account end with each object once, related as on both")
  func coreData() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let models: [any PersistentModel.Type] = [MovedList.self, MovedTrack.self]
    let devices = try [["t1"], ["t2", "t3"]].enumerated().map { index, tracks in
      let file = folder.appendingPathComponent("apple\(index).store")
      try AppleStoreTemplate(for: models).make(at: file)
      do {
        let context = ModelContext(
          try ModelContainer(
            for: Schema(models), configurations: AppleStoreConfiguration(url: file, allowsSave: true)))
        let list = MovedList(id: "l1", title: "Road trip")
        context.insert(list)
        for track in tracks { context.insert(MovedTrack(id: track, title: "Title of \(track)", list: list)) }
        try context.save()
      }
      let store = folder.appendingPathComponent("\(index).store")
      #expect(try InspectedStore(file.path).copy(into: store).losses == [])
      return try syncing(models, store)
    }
    try await exchange(devices)
    for device in devices {
      let lists = try ModelContext(device).fetch(FetchDescriptor<MovedList>())
      #expect(lists.map(\.title) == ["Road trip"])
      #expect(lists.first.map { $0.tracks.map(\.title).sorted() } == ["Title of t1", "Title of t2", "Title of t3"])
    }
  }
}
#endif
