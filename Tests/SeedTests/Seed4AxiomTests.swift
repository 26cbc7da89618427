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

  @Test("A basic model: insert, fetch, change, delete; each save is seen by a container that opens the file")
  func basics() throws {
    let folder = try SeedFolder()
    func stored() throws -> [String] {
      try ModelContext(folder.container([Track4.self])).fetch(FetchDescriptor<Track4>()).map(\.title)
    }
    let context = ModelContext(try folder.container([Track4.self]))
    let track = Track4(id: "1", title: "Song", artist: "Artist", duration: 240)
    context.insert(track)
    // What is not saved, nobody else sees.
    #expect(try context.fetchCount(FetchDescriptor<Track4>()) == 1)
    #expect(try stored() == [])
    try context.save()
    #expect(try stored() == ["Song"])
    track.title = "Updated Title"
    #expect(context.hasChanges)
    try context.save()
    #expect(try stored() == ["Updated Title"])
    context.delete(track)
    try context.save()
    #expect(try stored() == [])
  }

  @Test("An album and its tracks know each other")
  func relationship() throws {
    let context = ModelContext(try library())
    let album = try #require(try context.fetch(FetchDescriptor<Album4>()).first)
    #expect(album.tracks.map(\.id) == ["0", "1", "2"])
    #expect(album.tracks.allSatisfy { $0.album === album })
  }

  @Test("Cascading both ways, as the skill has it: the last track takes its album along, and all its other tracks")
  func cascadeBothWays() throws {
    let context = ModelContext(try inMemory(BoundTrack4.self))
    let album = BoundAlbum4(title: "a")
    let tracks = (0..<3).map { BoundTrack4(title: "\($0)", album: album) }
    for track in tracks { context.insert(track) }
    context.insert(BoundTrack4(title: "single", album: nil))
    try context.save()
    #expect(album.tracks.count == 3)
    context.delete(tracks[1])
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<BoundAlbum4>()) == 0)
    #expect(try context.fetch(FetchDescriptor<BoundTrack4>()).map(\.title) == ["single"])
  }

  @Test("The delete rule deny keeps what is in use, noAction leaves the others as they are")
  func denyAndNoAction() throws {
    let container = try inMemory(Label4.self)
    let context = ModelContext(container)
    let label = Label4(name: "l")
    let artist = Artist4(name: "a")
    label.artists = [artist]
    let poster = Poster4()
    label.posters = [poster]
    context.insert(label)
    try context.save()
    context.delete(label)
    #expect(throws: SwiftDataError.deleteDenied) { try context.save() }
    context.rollback()
    #expect(label.artists == [artist] && !label.isDeleted)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Label4>()) == 1)
    label.artists = []
    context.delete(label)
    try context.save()
    let fresh = ModelContext(container)
    #expect(try fresh.fetchCount(FetchDescriptor<Label4>()) == 0)
    #expect(try fresh.fetchCount(FetchDescriptor<Artist4>()) == 1)
    #expect(try fresh.fetchCount(FetchDescriptor<Poster4>()) == 1)
  }

  @Test("Followers and following of @MainActor models: one side is set, the other follows, removal too")
  @MainActor func followers() throws {
    let folder = try SeedFolder()
    let container = try folder.container([User4.self])
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
    let again = try folder.container([User4.self])
    let rebuilt = try again.mainContext.fetch(FetchDescriptor<User4>()).sorted { $0.name < $1.name }
    let followers = rebuilt.map { user in user.followers.map { $0.id } }
    let following = rebuilt.map { user in user.following.map { $0.id } }
    #expect(rebuilt.map { $0.name } == ["One", "Two"])
    #expect(followers == [[], ["1"]] && following == [["2"], []])
  }

  @Test("Setting both sides by hand makes no duplicates")
  @MainActor func bothSides() throws {
    let container = try inMemory(User4.self)
    let context = container.mainContext
    let (user1, user2) = (User4(id: "1", name: "One"), User4(id: "2", name: "Two"))
    context.insert(user1)
    context.insert(user2)
    user1.following.append(user2)
    user2.followers.append(user1)
    try context.save()
    let other = ModelContext(container)
    let users = try other.fetch(FetchDescriptor<User4>()).sorted { $0.name < $1.name }
    #expect(users.map { $0.following.count } == [1, 0])
    #expect(users.map { $0.followers.count } == [0, 1])
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
    #expect(try ids(#Predicate { $0.artist.hasPrefix("The ") }) == ["0"])
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

  @Test("Searching with localizedStandardContains and sorting by a choice work on fetched objects")
  func searchInMemory() throws {
    let tracks = try ModelContext(library()).fetch(FetchDescriptor<Track4>())
    func search(_ text: String) -> Set<String> {
      Set(
        tracks.filter {
          text.isEmpty || $0.title.localizedStandardContains(text) || $0.artist.localizedStandardContains(text)
        }.map(\.id))
    }
    #expect(search("") == ["0", "1", "2"])
    #expect(search("OTHER") == ["1", "2"])
    #expect(search("löve 2") == ["2"])
    #expect(tracks.sorted { $0.duration > $1.duration }.map(\.id) == ["2", "1", "0"])
    #expect(tracks.sorted { ($0.artist, $0.title) < ($1.artist, $1.title) }.map(\.id) == ["1", "2", "0"])
  }

  @Test("A background context in an actor imports in chunks, a save each, and lets go of what it saved")
  func chunks() async throws {
    let folder = try SeedFolder()
    let container = try folder.container([Track4.self])
    let records = (0..<2_500).map { TrackRecord4(id: "\($0)", title: "t\($0)", artist: "a", duration: 1) }
    let result = try await DataImporter4(container: container).importLargeDataset(records)
    #expect(result.saves == 3)
    #expect(result.stillHeld == 0)
    let context = ModelContext(try folder.container([Track4.self]))
    #expect(try context.fetchCount(FetchDescriptor<Track4>()) == 2_500)
    let last = FetchDescriptor<Track4>(predicate: #Predicate { $0.id == "2499" })
    #expect(try context.fetch(last).map(\.title) == ["t2499"])
  }

  @Test("An actor deletes what is older than a date in one go")
  func deleteOld() async throws {
    let container = try inMemory(IndexedTrack4.self)
    let context = ModelContext(container)
    for year in 0..<10 {
      context.insert(IndexedTrack4(genre: "\(year)", releaseDate: Date(timeIntervalSince1970: Double(year))))
    }
    try context.save()
    try await BatchDelete4(container: container).deleteOldTracks(olderThan: Date(timeIntervalSince1970: 7))
    let left = try ModelContext(container).fetch(FetchDescriptor<IndexedTrack4>(sortBy: [SortDescriptor(\.genre)]))
    #expect(left.map(\.genre) == ["7", "8", "9"])
  }

  @Test("Records of another store move over in batches; what was moved is marked, and a second run moves nothing")
  func dualStack() throws {
    let folder = try SeedFolder()
    let old = ModelContext(try folder.container([LegacyTrack4.self]))
    for number in 0..<25 { old.insert(LegacyTrack4(key: "\(number)", name: "n\(number)")) }
    try old.save()
    let new = ModelContext(
      try ModelContainer(
        for: Track4.self, configurations: ModelConfiguration(for: Track4.self, isStoredInMemoryOnly: true)))
    func migrate() throws -> Int {
      var descriptor = FetchDescriptor<LegacyTrack4>(
        predicate: #Predicate { $0.isMigrated == false }, sortBy: [SortDescriptor(\.key)])
      descriptor.fetchLimit = 10
      var moved = 0
      while case let batch = try old.fetch(descriptor), !batch.isEmpty {
        for track in batch {
          new.insert(Track4(id: track.key, title: track.name, artist: "", duration: 0))
          track.isMigrated = true
        }
        try new.save()
        try old.save()
        moved += batch.count
      }
      return moved
    }
    #expect(try migrate() == 25)
    #expect(try migrate() == 0)
    #expect(
      Set(try new.fetch(FetchDescriptor<Track4>()).map(\.title)) == Set((0..<25).map { "n\($0)" }))
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
    owner.parts.removeLast()
    try context.save()
    // The part that left belongs to nobody; no rule deletes it.
    let parts = try ModelContext(context.container).fetch(FetchDescriptor<Part4>())
    #expect(parts.map { $0.owner == nil } == [false, false, true])
    let album = Schema([BoundTrack4.self]).entitiesByName["BoundTrack4"]?.relationshipsByName["album"]
    #expect(album?.minimumModelCount == 0 && album?.maximumModelCount == 1)
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
    #expect(configuration.isHistoryEnabled)
    let container = try ModelContainer(for: schema, configurations: configuration)
    #expect(container.configurations.first?.isHistoryEnabled == true)
    let context = ModelContext(container)
    context.insert(Track4(id: "1", title: "t", artist: "a", duration: 1))
    try context.save()
    #expect(try folder.shell("SELECT title FROM Track4") == "t")
    // The skill's own spelling, without a url.
    let spelled = ModelConfiguration(
      schema: schema, cloudKitDatabase: .private("iCloud.com.example.app"), allowsSave: true, isHistoryEnabled: true)
    #expect(spelled.isHistoryEnabled && spelled.cloudKitContainerIdentifier == "iCloud.com.example.app")
  }

  @Test("Attributes marked indexed are found and sorted through an index, the others are not")
  func indexes() throws {
    let folder = try SeedFolder()
    let context = ModelContext(try folder.container([IndexedTrack4.self]))
    func plan(_ descriptor: FetchDescriptor<IndexedTrack4>) throws -> String {
      try folder.plan(of: #require(try SQLTrace.record { try context.fetch(descriptor) }.statements.first))
    }
    let now = Date()
    #expect(try plan(FetchDescriptor(predicate: #Predicate { $0.genre == "Rock" })).contains("USING INDEX"))
    #expect(try plan(FetchDescriptor(predicate: #Predicate { $0.releaseDate > now })).contains("USING INDEX"))
    #expect(try !plan(FetchDescriptor(predicate: #Predicate { $0.duration > 180 })).contains("USING INDEX"))
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
    let updates = statements.filter { $0.hasPrefix("UPDATE") }
    #expect(updates.count == 10)
    #expect(Set(updates).count == 1)
    // The history of all of it is one row.
    #expect(statements.count == 11)
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
