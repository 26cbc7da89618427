import Foundation
import SwiftData
import Testing

/// The SwiftData skill: models, relationships, contexts, predicates, concurrency, performance, migration of code.
@Suite struct Seed4AxiomTests {
  private func library(_ tracks: Int = 3) throws -> ModelContainer {
    let container = try inMemory(Track4.self)
    let context = ModelContext(container)
    let album = Album4(id: "a", title: "Album Name")
    for number in 0..<tracks {
      let track = Track4(
        id: "\(number)", title: "Love \(number)", artist: number == 0 ? "The Artist" : "Other Artist",
        duration: Double(100 + number * 60), genre: number == 0 ? "Rock" : nil)
      track.album = album
      context.insert(track)
    }
    try context.save()
    return container
  }

  @Test("A basic model: insert, fetch, change, delete")
  func basics() throws {
    let context = ModelContext(try inMemory(Track4.self))
    let track = Track4(id: "1", title: "Song", artist: "Artist", duration: 240)
    context.insert(track)
    try context.save()
    track.title = "Updated Title"
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Track4>()).map(\.title) == ["Updated Title"])
    context.delete(track)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Track4>()) == 0)
  }

  @Test("An album and its tracks know each other")
  func relationship() throws {
    let context = ModelContext(try library())
    let album = try #require(try context.fetch(FetchDescriptor<Album4>()).first)
    #expect(album.tracks.map(\.id) == ["0", "1", "2"])
    #expect(album.tracks.allSatisfy { $0.album === album })
  }

  @Test("Followers and following of @MainActor models: one side is set, the other follows, removal too")
  @MainActor func followers() throws {
    let container = try inMemory(User4.self)
    let context = container.mainContext
    let user1 = User4(id: "1", name: "One")
    let user2 = User4(id: "2", name: "Two")
    context.insert(user1)
    context.insert(user2)
    user1.following.append(user2)
    try context.save()
    let user1FollowsUser2 = user1.following.contains { $0.id == user2.id }
    let user2FollowedByUser1 = user2.followers.contains { $0.id == user1.id }
    #expect(user1FollowsUser2 && user2FollowedByUser1)
    user1.following.removeAll { $0.id == user2.id }
    try context.save()
    #expect(user2.followers.isEmpty)
    // Recovery: clear and rebuild.
    user1.following = [user2]
    user2.following = [user1]
    try context.save()
    let backup = user1.following.map { $0.id }
    user1.following.removeAll()
    user1.followers.removeAll()
    try context.save()
    #expect(user2.following.isEmpty && user2.followers.isEmpty)
    for id in backup {
      user1.following += try context.fetch(FetchDescriptor<User4>()).filter { $0.id == id }
    }
    try context.save()
    let rebuilt = user2.followers.map { $0.id }
    #expect(rebuilt == ["1"])
  }

  @Test("Predicates: comparisons, optionals, and, or, contains, prefix, relationships, counts")
  func predicates() throws {
    let context = ModelContext(try library())
    func ids(_ predicate: Predicate<Track4>) throws -> [String] {
      try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.id)])).map(\.id)
    }
    #expect(try ids(#Predicate { $0.duration > 120 }) == ["1", "2"])
    #expect(try ids(#Predicate { $0.genre != nil }) == ["0"])
    #expect(try ids(#Predicate { $0.genre != "Rock" }) == ["1", "2"])
    #expect(try ids(#Predicate { $0.genre == "Rock" && $0.duration > 180 }) == [])
    #expect(try ids(#Predicate { $0.artist == "The Artist" || $0.artist == "Other Artist" }).count == 3)
    #expect(try ids(#Predicate { $0.title.contains("Love 1") }) == ["1"])
    #expect(try ids(#Predicate { $0.artist.starts(with: "The ") }) == ["0"])
    #expect(try ids(#Predicate { $0.album?.title == "Album Name" }).count == 3)
    let big = FetchDescriptor<Album4>(predicate: #Predicate { $0.tracks.count > 2 })
    #expect(try context.fetchCount(big) == 1)
  }

  @Test("Sorting by one and by several properties")
  func sorting() throws {
    let context = ModelContext(try library())
    let byArtist = FetchDescriptor<Track4>(sortBy: [
      SortDescriptor(\.artist), SortDescriptor(\.title, order: .reverse),
    ])
    #expect(try context.fetch(byArtist).map(\.id) == ["2", "1", "0"])
  }

  @Test("A batch delete by predicate, and one of everything")
  func batchDelete() throws {
    let context = ModelContext(try library())
    try context.delete(model: Track4.self, where: #Predicate { track in track.genre == "Rock" })
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Track4>()) == 2)
    try context.delete(model: Track4.self, where: #Predicate { _ in true })
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Track4>()) == 0)
  }

  @Test("A background context in an actor imports in chunks")
  func chunks() async throws {
    let container = try inMemory(Track4.self)
    try await DataImporter4(container: container).importTracks(count: 2_500)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Track4>()) == 2_500)
  }

  @Test("Objects from a context that is gone can be read")
  func outliveContext() async throws {
    let container = try library()
    let titles = await SwiftDataManager4(container: container).titlesOfFetchedTracks()
    #expect(titles == ["Album Name", "Album Name", "Album Name"])
  }

  @Test("Relationship bounds in the form minimum and maximum are accepted")
  func bounds() throws {
    let context = ModelContext(try inMemory(Bounded4.self))
    let owner = Bounded4()
    owner.parts = [Part4(), Part4(), Part4()]
    context.insert(owner)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.description.contains("Bounded4.parts") == true)
  }

  @Test("A computed property marked transient is not stored")
  func transientComputed() throws {
    let track = Track4(id: "1", title: "t", artist: "a", duration: 125)
    #expect(track.formattedDuration == "2:05")
    #expect(Schema([Track4.self]).entitiesByName["Track4"]?.attributesByName["formattedDuration"] == nil)
  }

  @Test("History can be asked for in the configuration")
  func historyConfiguration() throws {
    let folder = try SeedFolder()
    let schema = Schema([Track4.self])
    let configuration = ModelConfiguration(
      schema: schema, url: folder.store(), allowsSave: true, isHistoryEnabled: true)
    let context = ModelContext(try ModelContainer(for: schema, configurations: configuration))
    context.insert(Track4(id: "1", title: "t", artist: "a", duration: 1))
    try context.save()
  }

  @Test("Fetching in pages, and prefetching, reads albums without a statement for each track")
  func performance() throws {
    let container = try library(60)
    var descriptor = FetchDescriptor<Track4>(sortBy: [SortDescriptor(\.title)])
    descriptor.fetchLimit = 50
    descriptor.relationshipKeyPathsForPrefetching = [\.album]
    let context = ModelContext(container)
    let (titles, statements) = try SQLTrace.record { try context.fetch(descriptor).map { $0.album?.title } }
    #expect(titles.count == 50)
    #expect(statements.count == 2)
    let other = ModelContext(container)
    descriptor.relationshipKeyPathsForPrefetching = []
    let (_, lazily) = try SQLTrace.record { try other.fetch(descriptor).map { $0.album?.title } }
    #expect(lazily.count == 2)
  }

  @Test("Many changes are one save")
  func oneSave() throws {
    let context = ModelContext(try library(10))
    let tracks = try context.fetch(FetchDescriptor<Track4>())
    for track in tracks { track.genre = "Updated" }
    let (_, statements) = try SQLTrace.record { try context.save() }
    #expect(statements.count == 10)
    #expect(Set(statements).count == 1)
  }

  @Test("Deletion can be undone and done again")
  func undo() throws {
    let context = ModelContext(try library())
    let undoManager = UndoManager()
    context.undoManager = undoManager
    let track = try #require(
      try context.fetch(FetchDescriptor<Track4>(sortBy: [SortDescriptor(\.id)])).first)
    context.delete(track)
    context.processPendingChanges()
    #expect(track.isDeleted)
    undoManager.undo()
    #expect(!track.isDeleted)
    undoManager.redo()
    #expect(track.isDeleted)
    undoManager.undo()
    track.title = "Changed"
    context.processPendingChanges()
    undoManager.undo()
    #expect(track.title == "Love 0")
    #expect(track.album?.tracks.count == 3)
  }

  @Test("Test set-up: a container in memory for each test")
  func testSetUp() throws {
    let schema = Schema([Track4.self])
    let config = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: schema, configurations: config)
    let modelContext = ModelContext(container)
    modelContext.insert(Track4(id: "1", title: "Test", artist: "Artist", duration: 240))
    let tracks = try modelContext.fetch(FetchDescriptor<Track4>())
    #expect(tracks.count == 1)
    #expect(tracks.first?.title == "Test")
  }
}

// MARK: - Models

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

actor DataImporter4 {
  let modelContainer: ModelContainer
  init(container: ModelContainer) { self.modelContainer = container }

  func importTracks(count: Int) async throws {
    let chunkSize = 1000
    for start in stride(from: 0, to: count, by: chunkSize) {
      let context = ModelContext(modelContainer)
      for number in start..<min(start + chunkSize, count) {
        context.insert(Track4(id: "\(number)", title: "t", artist: "a", duration: 1))
      }
      try context.save()
    }
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
