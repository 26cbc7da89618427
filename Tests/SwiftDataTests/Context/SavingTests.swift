import Foundation
import SwiftData
import Testing

@Model private final class SecretArtist {
  @Attribute(.unique, .allowsCloudEncryption) var name: String
  init(name: String) { self.name = name }
}

@Suite struct SavingTests {
  @Test("A context made by hand does not save by itself, the main context does")
  @MainActor func autosaveDefaults() throws {
    let file = try TemporaryStore()
    defer { withExtendedLifetime(file) {} }
    let container = try file.container(Artist.self)
    #expect(ModelContext(container).autosaveEnabled == false)
    #expect(container.mainContext.autosaveEnabled)
  }

  @Test("The main context saves after a change by itself", .timeLimit(.minutes(20)))
  @MainActor func autosave() async throws {
    let store = try TemporaryStore()
    let container = try store.container(Artist.self)
    container.mainContext.insert(Artist(name: "A"))
    while container.mainContext.hasChanges { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try store.shell("SELECT name FROM Artist") == "A")
  }

  @Test("What was saved is there in a new container")
  func reopen() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(Artist.self))
      let artist = Artist(name: "Nina", country: "US")
      context.insert(artist)
      artist.albums = [Album(title: "First", year: 1958), Album(title: "Second", year: 1959)]
      try context.save()
    }
    let context = ModelContext(try store.container(Artist.self))
    let artists = try context.fetch(FetchDescriptor<Artist>())
    #expect(artists.map(\.name) == ["Nina"])
    #expect(artists[0].country == "US")
    #expect(artists[0].albums.map(\.title) == ["First", "Second"])
    #expect(artists[0].albums[0].artist === artists[0])
  }

  @Test("An identifier is temporary until the first save, and the same in every context afterwards")
  func identifiers() throws {
    let file = try TemporaryStore()
    defer { withExtendedLifetime(file) {} }
    let container = try file.container(Artist.self)
    let context = ModelContext(container)
    let artist = Artist(name: "A")
    #expect(artist.persistentModelID.isTemporary)
    context.insert(artist)
    let temporary = artist.persistentModelID
    #expect(temporary.isTemporary)
    #expect(temporary == artist.persistentModelID)
    try context.save()
    let permanent = artist.persistentModelID
    #expect(!permanent.isTemporary)
    let other = ModelContext(container)
    let same = try #require(other.model(for: permanent) as? Artist)
    #expect(same.name == "A")
    #expect(same.persistentModelID == permanent)
    #expect(same !== artist)
    let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(permanent))
    #expect(decoded == permanent)
  }

  @Test("One context has one object for one row")
  func identityMap() throws {
    let context = try memoryContext(Artist.self)
    let artist = Artist(name: "A")
    context.insert(artist)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Artist>()).first === artist)
    #expect(context.model(for: artist.persistentModelID) === artist)
    let registered: Artist? = context.registeredModel(for: artist.persistentModelID)
    #expect(registered === artist)
  }

  @Test("Rollback forgets inserts and deletes and gives changed values back")
  func rollback() throws {
    let context = try memoryContext(Artist.self)
    let kept = Artist(name: "kept")
    let doomed = Artist(name: "doomed")
    let album = Album(title: "one", artist: kept)
    context.insert(kept)
    context.insert(doomed)
    context.insert(album)
    try context.save()
    kept.name = "changed"
    kept.albums = []
    context.delete(doomed)
    let new = Artist(name: "new")
    context.insert(new)
    #expect(context.hasChanges)
    context.rollback()
    #expect(!context.hasChanges)
    #expect(kept.name == "kept")
    #expect(kept.albums.map(\.title) == ["one"])
    #expect(album.artist === kept)
    #expect(!doomed.isDeleted)
    #expect(new.modelContext == nil)
    #expect(new.persistentModelID.isTemporary)
    #expect(try context.fetchCount(FetchDescriptor<Artist>()) == 2)
  }

  @Test("A deleted object is marked until the save, has no context after it, and keeps its last values")
  func deletion() throws {
    let context = try memoryContext(Artist.self)
    let artist = Artist(name: "A")
    context.insert(artist)
    try context.save()
    context.delete(artist)
    #expect(artist.isDeleted)
    #expect(context.deletedModelsArray.count == 1)
    #expect(artist.modelContext == context)
    try context.save()
    #expect(!artist.isDeleted)
    #expect(context.deletedModelsArray.isEmpty)
    #expect(artist.modelContext == nil)
    #expect(artist.name == "A")
    #expect(try context.fetch(FetchDescriptor<Artist>()).isEmpty)
  }

  @Test("Saving an object with a taken unique value updates the stored row and takes its identity")
  func upsert() throws {
    let store = try TemporaryStore()
    let container = try store.container(Artist.self)
    let first = ModelContext(container)
    let original = Artist(name: "same", country: "FR")
    original.albums = [Album(title: "old")]
    first.insert(original)
    try first.save()
    let second = ModelContext(container)
    let replacement = Artist(name: "same", country: "IT")
    replacement.albums = [Album(title: "new")]
    second.insert(replacement)
    try second.save()
    #expect(replacement.persistentModelID == original.persistentModelID)
    #expect(try store.shell("SELECT count(*), max(country) FROM Artist") == "1|IT")
    #expect(Set(replacement.albums.map(\.title)) == ["old", "new"])
    #expect(try store.shell("PRAGMA foreign_key_check") == "")
    // The other context hears of it.
    _ = try first.fetch(FetchDescriptor<Artist>())
    #expect(original.country == "IT")
    #expect(Set(original.albums.map(\.title)) == ["old", "new"])
  }

  @Test("Two new objects with one unique value become one row")
  func upsertWithinOneSave() throws {
    let context = try memoryContext(Track.self)
    let album = Album(title: "a")
    context.insert(Track(id: "1", title: "first", album: album))
    context.insert(Track(id: "1", title: "second", album: album))
    try context.save()
    let tracks = try context.fetch(FetchDescriptor<Track>())
    #expect(tracks.map(\.title) == ["second"])
    #expect(album.tracks.count == 1)
  }

  @Test(
    "In throwing mode a taken unique value is an error that names the property and the value, and nothing is written")
  func throwingUniqueness() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Artist.self) { $0.uniquenessPolicy = .reject })
    context.insert(Artist(name: "same"))
    try context.save()
    context.insert(Artist(name: "other"))
    let twin = Artist(name: "same")
    context.insert(twin)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(
      error?.description
        == "Artist.name: another stored object has the value \"same\"; change the value, or fetch and update the stored object."
    )
    #expect(try store.shell("SELECT count(*) FROM Artist") == "1")
    #expect(twin.persistentModelID.isTemporary)
    #expect(context.insertedModelsArray.count == 2)
    twin.name = "third"
    try context.save()
    #expect(try store.shell("SELECT count(*) FROM Artist") == "3")
  }

  @Test("An error names no value of an encrypted attribute")
  func takenSecret() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(SecretArtist.self))
    for name in ["hidden", "b"] { context.insert(SecretArtist(name: name)) }
    try context.save()
    try context.fetch(FetchDescriptor<SecretArtist>()).first { $0.name == "b" }?.name = "hidden"
    let error = #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
    #expect(error?.description.contains("hidden") == false && error?.property == "name")
  }

  @Test("A change to a taken unique value is an error that names the value, shortened if it is long")
  func changedToTakenValue() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Artist.self))
    let long = String(repeating: "x", count: 100)
    for name in [long, "b"] { context.insert(Artist(name: name)) }
    try context.save()
    try context.fetch(FetchDescriptor<Artist>()).first { $0.name == "b" }?.name = long
    let error = #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
    #expect(error?.message?.contains("the value \"\(String(repeating: "x", count: 60))\"…;") == true)
  }

  @Test("Two contexts that change different properties of one row both win, of the same property the later save")
  func mergingContexts() throws {
    let file = try TemporaryStore()
    defer { withExtendedLifetime(file) {} }
    let container = try file.container(Artist.self)
    let one = ModelContext(container)
    let two = ModelContext(container)
    let mine = Artist(name: "A", country: "X")
    one.insert(mine)
    try one.save()
    let yours = try #require(try two.fetch(FetchDescriptor<Artist>()).first)
    mine.name = "B"
    yours.country = "Y"
    try one.save()
    try two.save()
    #expect(yours.name == "B")
    _ = try one.fetch(FetchDescriptor<Artist>())
    #expect(mine.country == "Y")
    mine.name = "first"
    yours.name = "later"
    try one.save()
    try two.save()
    _ = try one.fetch(FetchDescriptor<Artist>())
    #expect(mine.name == "later")
  }

  @Test("Relating objects of two contexts is an error that names the relationship, not corruption")
  func twoContexts() throws {
    let file = try TemporaryStore()
    defer { withExtendedLifetime(file) {} }
    let container = try file.container(Artist.self)
    let one = ModelContext(container)
    let two = ModelContext(container)
    let artist = Artist(name: "A")
    one.insert(artist)
    try one.save()
    let album = Album(title: "a")
    two.insert(album)
    album.artist = artist
    let error = #expect(throws: SwiftDataError.relationshipAcrossContexts) { try two.save() }
    #expect(error?.description.contains("artist") == true)
    #expect(error?.description.contains("model(for:") == true)
  }

  @Test("A save tells what it inserted, updated and deleted, and that it is about to")
  func notifications() throws {
    let context = try memoryContext(Artist.self)
    let kept = Artist(name: "kept")
    let doomed = Artist(name: "doomed")
    context.insert(kept)
    context.insert(doomed)
    try context.save()
    nonisolated(unsafe) var received = [(Notification.Name, [AnyHashable: Any]?)]()
    let tokens = [ModelContext.willSave, ModelContext.didSave].map { name in
      NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
        received.append(($0.name, $0.userInfo))
      }
    }
    defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
    let doomedID = doomed.persistentModelID
    kept.country = "IS"
    context.delete(doomed)
    let new = Artist(name: "new")
    context.insert(new)
    try context.save()
    #expect(received.map(\.0) == [ModelContext.willSave, ModelContext.didSave])
    #expect(received[0].1 == nil)
    func identifiers(_ key: ModelContext.NotificationKey) -> [PersistentIdentifier]? {
      received[1].1?[key.rawValue] as? [PersistentIdentifier]
    }
    #expect(identifiers(.insertedIdentifiers) == [new.persistentModelID])
    #expect(identifiers(.updatedIdentifiers) == [kept.persistentModelID])
    #expect(identifiers(.deletedIdentifiers) == [doomedID])
    // Apple's documentation asks for the key itself.
    #expect(received[1].1?[ModelContext.NotificationKey.deletedIdentifiers] as? [PersistentIdentifier] == [doomedID])
  }

  @Test("An object whose context is gone can be read, its relationships too")
  func contextGone() throws {
    let file = try TemporaryStore()
    defer { withExtendedLifetime(file) {} }
    let container = try file.container(Artist.self)
    func load() throws -> Artist {
      let context = ModelContext(container)
      let artist = Artist(name: "A")
      artist.albums = [Album(title: "one"), Album(title: "two")]
      context.insert(artist)
      try context.save()
      return try #require(try ModelContext(container).fetch(FetchDescriptor<Artist>()).first)
    }
    let artist = try load()
    #expect(artist.modelContext == nil)
    #expect(artist.albums.map(\.title) == ["one", "two"])
  }
}
