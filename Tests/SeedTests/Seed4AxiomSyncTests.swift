import Foundation
import SwiftData
import Testing

/// The part of the SwiftData skill about CloudKit, conflicts and sharing.
@Suite struct Seed4AxiomSyncTests {
  @Test("CloudKit's rules: what has no default is named, uniqueness too; defaults and optionals are accepted")
  func cloudKitRules() throws {
    let folder = try SeedFolder()
    func open(_ type: any PersistentModel.Type) throws -> ModelContainer {
      let schema = Schema([type])
      return try ModelContainer(
        for: schema,
        configurations: ModelConfiguration(
          schema: schema, url: folder.store("\(type).sqlite"), cloudKitDatabase: .private("iCloud.com.example.app")))
    }
    let required = #expect(throws: SwiftDataError.loadIssueModelContainer) { try open(Artist4.self) }
    #expect(required?.description.contains("optional or give them a default value: Artist4.name") == true)
    let unique = #expect(throws: SwiftDataError.loadIssueModelContainer) { try open(SyncedTrack4.self) }
    #expect(unique?.description.contains("remove the uniqueness of these: SyncedTrack4.id") == true)
    #expect(unique?.description.contains("SyncedTrack4.title") == false)
    let context = ModelContext(try open(CloudTrack4.self))
    context.insert(CloudTrack4())
    try context.save()
    let loaded = try #require(try ModelContext(open(CloudTrack4.self)).fetch(FetchDescriptor<CloudTrack4>()).first)
    #expect(loaded.title == "" && loaded.duration == 0 && loaded.genre == nil && loaded.album == nil)
  }

  @Test("Conflicts: an actor keeps the newer version, given identifiers rather than objects")
  @MainActor func conflicts() async throws {
    let container = try inMemory(SyncedTrack4.self)
    let context = container.mainContext
    func make(_ id: String, _ time: Double) throws -> SyncedTrack4 {
      let track = SyncedTrack4(id: id, title: id)
      track.syncedAt = Date(timeIntervalSince1970: time)
      context.insert(track)
      try context.save()
      return track
    }
    let (local, older, newer) = (try make("local", 2), try make("older", 1), try make("newer", 3))
    let resolver = ConflictResolver4(container: container)
    try await resolver.resolve(local.persistentModelID, with: older.persistentModelID)
    context.state.takeInSaves()
    #expect(local.title == "local")
    try await resolver.resolve(local.persistentModelID, with: newer.persistentModelID)
    context.state.takeInSaves()
    #expect(local.title == "newer" && local.syncedAt == newer.syncedAt)
  }

  @Test("A shared playlist keeps whom it is shared with, their permission and its tracks")
  @MainActor func sharedPlaylist() throws {
    let folder = try SeedFolder()
    do {
      let context = try folder.container([SharedPlaylist4.self]).mainContext
      let playlist = SharedPlaylist4(name: "p", ownerID: "me")
      playlist.tracks = [PlaylistTrack4(title: "1"), PlaylistTrack4(title: "2")]
      context.insert(playlist)
      try context.save()
      for user in ["a", "b", "a"] where !playlist.sharedWith.contains(user) { playlist.sharedWith.append(user) }
      playlist.sharePermission = .readWrite
      try context.save()
    }
    let context = try folder.container([SharedPlaylist4.self]).mainContext
    let playlist = try #require(try context.fetch(FetchDescriptor<SharedPlaylist4>()).first)
    let titles = playlist.tracks.map(\.title)
    #expect(playlist.sharedWith == ["a", "b"] && playlist.sharePermission == .readWrite && titles == ["1", "2"])
    context.delete(playlist)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<PlaylistTrack4>()) == 0)
  }
}
