import ChildProcesses
import Foundation
import SwiftData
import Testing

@Suite struct StoreErrorTests {
  @Test("A file that is not a database is an error that says so, and the file stays as it is")
  func notADatabase() throws {
    let store = try TemporaryStore()
    let text = Data("This is a letter, not a database. It is long enough to have a header of its own.".utf8)
    try text.write(to: store.url)
    let error = #expect(throws: SwiftDataError.notADatabase) { try store.container(Artist.self) }
    #expect(error?.description.contains(store.url.path) == true)
    #expect(error?.description.contains("is not an SQLite database; the file was left untouched") == true)
    #expect(try Data(contentsOf: store.url) == text)
  }

  @Test("An SQLite database of another program is refused and stays as it is")
  func foreignDatabase() throws {
    let store = try TemporaryStore()
    #expect(try store.shell("CREATE TABLE letters (text TEXT); INSERT INTO letters VALUES ('dear')") == "")
    let error = #expect(throws: SwiftDataError.notADatabase) { try store.container(Artist.self) }
    #expect(
      error?.description
        == "\"\(store.url.path)\" is an SQLite database of another program. Give the ModelConfiguration another url.")
    #expect(try store.shell("SELECT name FROM sqlite_master") == "letters")
  }

  @Test("A store of Apple's frameworks is refused with the configuration and the command that read it")
  func appleDatabase() throws {
    let store = try TemporaryStore()
    #expect(try store.shell("CREATE TABLE Z_METADATA (Z_VERSION INTEGER); CREATE TABLE ZTRIP (Z_PK INTEGER)") == "")
    let error = #expect(throws: SwiftDataError.notADatabase) { try store.container(Artist.self) }
    #expect(error?.description.contains("AppleStoreConfiguration(url:)") == true)
    #expect(error?.description.contains("swiftdata import") == true)
    #expect(error?.description.contains(store.url.path) == true)
  }

  @Test("A store that another process has locked is an error that says to try again, and nothing is lost")
  func locked() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Artist.self) { $0.lockTimeout = .seconds(0.2) })
    let other = try ChildProcess("sqlite3", ["-bail", "-cmd", ".timeout 10000", store.url.path], input: .pipe)
    defer { other.send(SIGTERM) }
    let (input, output) = (try #require(other.input), try #require(other.output))
    input.write(Data("BEGIN IMMEDIATE; SELECT 'locked';\n".utf8))
    try #require(!output.availableData.isEmpty)
    context.insert(Artist(name: "A"))
    let error = #expect(throws: SwiftDataError.storeLocked) { try context.save() }
    #expect(error?.description.contains("is locked by another process; try again") == true)
    input.write(Data("COMMIT; SELECT 'free';\n".utf8))
    try #require(!output.availableData.isEmpty)
    #expect(context.hasChanges)
    try context.save()
    #expect(try store.shell("SELECT name FROM Artist") == "A")
  }

  @Test("A configuration that does not allow saving reads, and refuses to write with an error that says why")
  func readOnly() throws {
    let store = try TemporaryStore()
    let error = #expect(throws: SwiftDataError.self) { try store.container(Artist.self, allowsSave: false) }
    #expect(error != nil)
    let writer = ModelContext(try store.container(Artist.self))
    writer.insert(Artist(name: "A"))
    try writer.save()
    let reader = ModelContext(try store.container(Artist.self, allowsSave: false))
    #expect(try reader.fetch(FetchDescriptor<Artist>()).map(\.name) == ["A"])
    reader.insert(Artist(name: "B"))
    let refused = #expect(throws: SwiftDataError.storeReadOnly) { try reader.save() }
    #expect(refused?.description.contains("allowsSave: false") == true)
    #expect(try store.shell("SELECT count(*) FROM Artist") == "1")
  }

  @Test("A store with a newer schema is refused with both versions named")
  func newerSchema() throws {
    let store = try TemporaryStore()
    let new = Schema([Artist.self], version: Schema.Version(2, 1, 0))
    _ = try ModelContainer(for: new, configurations: ModelConfiguration(schema: new, url: store.url))
    let old = Schema([Artist.self], version: Schema.Version(1, 0, 0))
    let error = #expect(throws: SwiftDataError.newerSchema) {
      try ModelContainer(for: old, configurations: ModelConfiguration(schema: old, url: store.url))
    }
    #expect(error?.description.contains("2.1.0") == true)
    #expect(error?.description.contains("1.0.0") == true)
  }

  @Test("A container of a model that the schema does not have says to name it")
  func unknownModel() throws {
    let context = try memoryContext(Listener.self)
    let error = #expect(throws: SwiftDataError.unknownSchema) { try context.fetch(FetchDescriptor<Team>()) }
    #expect(error?.description.contains("Team") == true)
  }

  @Test("After erase the objects can be read, and what needs the store is an error that says what happened")
  func erased() throws {
    let store = try TemporaryStore()
    let container = try store.container(Artist.self)
    let context = ModelContext(container)
    let artist = Artist(name: "A")
    artist.albums = [Album(title: "a")]
    context.insert(artist)
    try context.save()
    let other = ModelContext(container)
    let unloaded = try #require(try other.fetch(FetchDescriptor<Artist>()).first)
    try container.erase()
    #expect(!FileManager.default.fileExists(atPath: store.url.path))
    #expect(unloaded.name == "A")
    #expect(unloaded.albums.isEmpty)
    let error = #expect(throws: SwiftDataError.missingContainer) { try other.save() }
    #expect(error?.description.contains("was erased; make a new ModelContainer") == true)
    #expect(throws: SwiftDataError.missingContainer) { try context.fetch(FetchDescriptor<Artist>()) }
  }

  @Test("deleteAllData empties the store and leaves it usable")
  func deleteAllData() throws {
    let store = try TemporaryStore()
    let container = try store.container(Artist.self)
    let context = ModelContext(container)
    context.insert(Artist(name: "A"))
    try context.save()
    container.deleteAllData()
    #expect(try context.fetchCount(FetchDescriptor<Artist>()) == 0)
    context.insert(Artist(name: "B"))
    try context.save()
    #expect(try store.shell("SELECT name FROM Artist") == "B")
  }

  @Test("The tables and columns carry the models' names")
  func readableTables() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Artist.self))
    let track = Track(id: "1", title: "t", album: Album(title: "a"))
    track.tags = [Tag(name: "x")]
    track.mood = .wild
    context.insert(track)
    try context.save()
    #expect(try store.shell("SELECT id, title, seconds, plays, mood FROM Track") == "1|t|180.0|0|wild")
    #expect(try store.shell("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
    let tables = try store.shell(
      "SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name)")
    #expect(tables.hasPrefix("Album Artist Tag"))
  }
}
