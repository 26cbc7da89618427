import Foundation
import SwiftData

// The models and actors of the tests of document 4, in its shapes.

@Model
final class Track4 {
  @Attribute(.unique) var id: String
  var title: String
  var artist: String
  var duration: TimeInterval
  var genre: String?

  @Relationship(deleteRule: .nullify, inverse: \Album4.tracks)
  var album: Album4?

  @Transient
  var formattedDuration: String {
    let minutes = Int(duration) / 60
    let seconds = Int(duration) % 60
    return String(format: "%d:%02d", minutes, seconds)
  }

  init(id: String, title: String, artist: String, duration: TimeInterval, genre: String? = nil) {
    self.id = id
    self.title = title
    self.artist = artist
    self.duration = duration
    self.genre = genre
  }
}

@Model
final class Album4 {
  @Attribute(.unique) var id: String
  var title: String

  @Relationship(deleteRule: .cascade)
  var tracks: [Track4] = []

  init(id: String, title: String) {
    self.id = id
    self.title = title
  }
}

@MainActor
@Model
final class User4 {
  @Attribute(.unique) var id: String
  var name: String

  @Relationship(deleteRule: .nullify, inverse: \User4.following)
  var followers: [User4] = []

  @Relationship(deleteRule: .nullify)
  var following: [User4] = []

  init(id: String, name: String) {
    self.id = id
    self.name = name
  }
}

@Model
final class Bounded4 {
  @Relationship(deleteRule: .cascade, inverse: \Part4.owner, minimum: 0, maximum: 2)
  var parts: [Part4] = []
  init() {}
}

@Model
final class Part4 {
  var owner: Bounded4?
  init() {}
}

@Model
final class BoundTrack4 {
  var title: String

  @Relationship(deleteRule: .cascade, inverse: \BoundAlbum4.tracks, minimum: 0, maximum: 1)
  var album: BoundAlbum4?

  init(title: String, album: BoundAlbum4?) {
    self.title = title
    self.album = album
  }
}

@Model
final class BoundAlbum4 {
  var title: String

  @Relationship(deleteRule: .cascade)
  var tracks: [BoundTrack4] = []

  init(title: String) { self.title = title }
}

@Model
final class Label4 {
  var name: String
  @Relationship(deleteRule: .deny) var artists: [Artist4] = []
  @Relationship(deleteRule: .noAction) var posters: [Poster4] = []
  init(name: String) { self.name = name }
}

@Model
final class Artist4 {
  var name: String
  init(name: String) { self.name = name }
}

@Model
final class Poster4 {
  init() {}
}

@Model
final class IndexedTrack4 {
  @Attribute(.unique) var id: String = UUID().uuidString

  @Attribute(.indexed)
  var genre: String = ""

  @Attribute(.indexed)
  var releaseDate: Date = Date()

  var duration: TimeInterval = 0

  init(genre: String, releaseDate: Date) {
    self.genre = genre
    self.releaseDate = releaseDate
  }
}

@Model
final class SyncedTrack4 {
  @Attribute(.unique) var id: String = UUID().uuidString
  var title: String = ""
  var syncedAt: Date = Date()

  init(id: String = UUID().uuidString, title: String) {
    self.id = id
    self.title = title
  }
}

@Model
final class CloudTrack4 {
  var id: String = UUID().uuidString
  var title: String = ""
  var duration: TimeInterval = 0
  var genre: String? = nil
  @Relationship(inverse: \CloudAlbum4.tracks) var album: CloudAlbum4?
  init() {}
}

@Model
final class CloudAlbum4 {
  var title: String?
  @Relationship(deleteRule: .cascade) var tracks: [CloudTrack4]? = []
  init() {}
}

@Model
final class LegacyTrack4 {
  @Attribute(.unique) var key: String
  var name: String
  var isMigrated = false

  init(key: String, name: String) {
    self.key = key
    self.name = name
  }
}

@MainActor
@Model
final class SharedPlaylist4 {
  @Attribute(.unique) var id: String = UUID().uuidString
  var name: String = ""
  var ownerID: String = ""

  @Relationship(deleteRule: .cascade, inverse: \PlaylistTrack4.playlist)
  var tracks: [PlaylistTrack4] = []

  var sharedWith: [String] = []
  var sharePermission: SharePermission4 = SharePermission4.readOnly

  init(name: String, ownerID: String) {
    self.name = name
    self.ownerID = ownerID
  }
}

enum SharePermission4: String, Codable {
  case readOnly
  case readWrite
}

@Model
final class PlaylistTrack4 {
  var title: String
  var playlist: SharedPlaylist4?
  init(title: String) { self.title = title }
}

struct TrackRecord4 {
  let id: String
  let title: String
  let artist: String
  let duration: TimeInterval
}

extension Array {
  func chunked(into size: Int) -> [[Element]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}

/// The skill frees memory by deleting all rows after each chunk, which throws the import away; here a save is enough.
actor DataImporter4 {
  private struct Held { weak var track: Track4? }

  let modelContainer: ModelContainer
  init(container: ModelContainer) { self.modelContainer = container }

  /// The saves it took, and the saved objects that something still holds.
  func importLargeDataset(_ items: [TrackRecord4]) throws -> (saves: Int, stillHeld: Int) {
    let context = ModelContext(modelContainer)
    let saves = SaveCount(of: context)
    var imported = [Held]()
    for chunk in items.chunked(into: 1000) {
      for item in chunk {
        let track = Track4(id: item.id, title: item.title, artist: item.artist, duration: item.duration)
        context.insert(track)
        imported.append(Held(track: track))
      }
      try context.save()
    }
    return (saves.count, imported.count { $0.track != nil })
  }
}

actor BatchDelete4 {
  let modelContainer: ModelContainer
  init(container: ModelContainer) { self.modelContainer = container }

  func deleteOldTracks(olderThan date: Date) throws {
    let context = ModelContext(modelContainer)
    try context.delete(model: IndexedTrack4.self, where: #Predicate { track in track.releaseDate < date })
    try context.save()
  }
}

actor ConflictResolver4 {
  private let modelContext: ModelContext
  init(container: ModelContainer) { self.modelContext = ModelContext(container) }

  func resolve(_ localID: PersistentIdentifier, with remoteID: PersistentIdentifier) throws {
    guard let local = modelContext.model(for: localID) as? SyncedTrack4,
      let remote = modelContext.model(for: remoteID) as? SyncedTrack4, remote.syncedAt > local.syncedAt
    else { return }
    local.title = remote.title
    local.syncedAt = remote.syncedAt
    try modelContext.save()
  }
}

actor SwiftDataManager4 {
  let modelContainer: ModelContainer
  init(container: ModelContainer) { self.modelContainer = container }

  private func fetchTracks() -> [Track4] {
    let context = ModelContext(modelContainer)
    return (try? context.fetch(FetchDescriptor<Track4>())) ?? []
  }

  func titlesOfFetchedTracks() -> [String?] { fetchTracks().map { $0.album?.title } }
}
