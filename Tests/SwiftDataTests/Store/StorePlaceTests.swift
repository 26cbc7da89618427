import Foundation
import SwiftData
import Testing

/// What happens around the files of a store.
@Suite struct StorePlaceTests {
  enum Renumbered {
    @Model final class Letter {
      @Attribute(originalName: "number") var figure: Int
      @Attribute(.externalStorage) var scan: Data?
      init(figure: Int) { self.figure = figure }
    }
  }

  enum Models {
    @Model final class Letter {
      #Index<Letter>([\.number])
      var number: Int
      @Attribute(.externalStorage) var scan: Data?
      init(number: Int, scan: Data? = nil) {
        self.number = number
        self.scan = scan
      }
    }

    @Model final class Drawer {
      var number: Int
      var files: [Leaf] = []
      init(number: Int) { self.number = number }
    }

    @Model final class Leaf {
      @Relationship(inverse: \Drawer.files) var drawer: Drawer?
      init() {}
    }
  }
  typealias Letter = Models.Letter

  private let store: TemporaryStore
  private var folder: URL { store.folder.appendingPathComponent(".test.store_external") }
  private var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] }
  private static let scan = Data(repeating: 7, count: 200 << 10)

  init() throws { store = try TemporaryStore() }

  @Test("A save to a store whose file was removed is refused, and works when the file is back")
  func removed() throws {
    let context = ModelContext(try store.container(Letter.self))
    context.insert(Letter(number: 1))
    try context.save()
    let away = store.folder.appendingPathComponent("away")
    try FileManager.default.moveItem(at: store.url, to: away)
    context.insert(Letter(number: 2))
    let error = #expect(throws: SwiftDataError.io) { try context.save() }
    #expect(error?.description.contains("was removed or replaced while the store was open") == true)
    #expect(context.hasChanges)
    try FileManager.default.moveItem(at: away, to: store.url)
    try context.save()
    #expect(try store.shell("SELECT group_concat(number) FROM Letter") == "1,2")
  }

  @Test("A log whose database is gone is an error for a store that is only read, and is not removed")
  func logAlone() throws {
    let context = ModelContext(try store.container(Letter.self))
    context.insert(Letter(number: 1))
    try context.save()
    let alone = try TemporaryStore()
    try FileManager.default.copyItem(atPath: store.url.path + "-wal", toPath: alone.url.path + "-wal")
    let before = try Data(contentsOf: URL(fileURLWithPath: alone.url.path + "-wal"))
    let error = #expect(throws: SwiftDataError.storeDamaged) { try alone.container(Letter.self, allowsSave: false) }
    #expect(error?.description.contains("put the database back next to it") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: alone.url.path + "-wal")) == before)
    #expect(!FileManager.default.fileExists(atPath: alone.url.path))
  }

  @Test("Opening a store removes what an interrupted save left, and nothing else")
  func leftovers() throws {
    do {
      let context = ModelContext(try store.container(Letter.self))
      context.insert(Letter(number: 1, scan: Self.scan))
      try context.save()
    }
    let kept = try #require(files.first)
    #expect(files.count == 1)
    let left = UUID().uuidString
    for name in [left, "unfinished-\(UUID().uuidString)", "notes.txt"] {
      try Data("x".utf8).write(to: folder.appendingPathComponent(name))
    }
    let context = ModelContext(try store.container(Letter.self))
    #expect(Set(files) == [kept, "notes.txt"])
    #expect(try context.fetch(FetchDescriptor<Letter>()).first?.scan == Self.scan)
  }

  @Test("External files are there with their rows, go with them, and leave no marks")
  func external() throws {
    let context = ModelContext(try store.container(Letter.self))
    let letter = Letter(number: 1, scan: Self.scan)
    context.insert(letter)
    try context.save()
    let first = files
    #expect(first.count == 1)
    letter.scan = Self.scan + Data([1])
    try context.save()
    #expect(files.count == 1 && files != first)
    context.delete(letter)
    try context.save()
    #expect(files.isEmpty)
  }

  @Test("A file that could not be removed is removed when the store is opened the next time")
  func stubborn() throws {
    let context = ModelContext(try store.container(Letter.self))
    let letter = Letter(number: 1, scan: Self.scan)
    context.insert(letter)
    try context.save()
    let file = folder.appendingPathComponent(try #require(files.first))
    // What is a folder cannot be unlinked.
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    context.delete(letter)
    try context.save()
    #expect(files.count == 2)
    _ = try store.container(Letter.self)
    #expect(files.count == 2)
    try FileManager.default.removeItem(at: file)
    try Data("x".utf8).write(to: file)
    _ = try store.container(Letter.self)
    #expect(files.isEmpty)
  }

  @Test("deleteAllData removes the files of the rows that it removes")
  func deleteAllData() throws {
    let container = try store.container(Letter.self)
    let context = ModelContext(container)
    context.insert(Letter(number: 1, scan: Self.scan))
    try context.save()
    container.deleteAllData()
    #expect(files.isEmpty)
    let other = ModelContext(container)
    other.insert(Letter(number: 2, scan: Self.scan))
    try other.save()
    #expect(files.count == 1)
  }

  @Test("Tables that another program changed are an error that says so")
  func editedSchema() throws {
    do {
      let context = ModelContext(try store.container(Letter.self))
      context.insert(Letter(number: 1))
      try context.save()
    }
    #expect(try store.shell("ALTER TABLE Letter RENAME COLUMN number TO figure") == "")
    let error = #expect(throws: SwiftDataError.storeDamaged) {
      try ModelContext(try store.container(Letter.self)).fetch(FetchDescriptor<Letter>())
    }
    #expect(error?.description.contains("another program changed them") == true)
    #expect(error?.description.contains("number") == true)
  }

  @Test("A file that a newer program migrated while it was open here is not called damaged")
  func migratedMeanwhile() throws {
    let container = try store.container(Letter.self)
    let context = ModelContext(container)
    context.insert(Letter(number: 1))
    try context.save()
    _ = try store.container(Renumbered.Letter.self)
    let other = ModelContext(container)
    let error = #expect(throws: SwiftDataError.newerSchema) { try other.fetch(FetchDescriptor<Letter>()) }
    #expect(error?.description.contains("damaged") == false)
    #expect(error?.description.contains("migrated") == true)
    context.insert(Letter(number: 2))
    #expect(throws: SwiftDataError.newerSchema) { try context.save() }
    let newer = ModelContext(try store.container(Renumbered.Letter.self))
    #expect(try newer.fetch(FetchDescriptor<Renumbered.Letter>()).map(\.figure) == [1])
  }

  @Test("A list that cannot be read can be asked for any number of times, and the next save says why")
  func unreadableLists() throws {
    let context = ModelContext(try store.container(Models.Drawer.self))
    for number in 0..<200 { context.insert(Models.Drawer(number: number)) }
    try context.save()
    let reader = ModelContext(try store.container(Models.Drawer.self))
    let drawers = try reader.fetch(FetchDescriptor<Models.Drawer>())
    #expect(try store.shell("ALTER TABLE Leaf RENAME TO Elsewhere") == "")
    // Each asks for the lists of more of them at a time.
    #expect(drawers.map(\.files.count) == Array(repeating: 0, count: 200))
    drawers[0].number = 1000
    #expect(throws: SwiftDataError.storeDamaged) { try reader.save() }
  }

  @Test("A history that says what no save writes is an error, and not a crash")
  func damagedHistory() throws {
    let context = ModelContext(try store.container(Letter.self))
    context.insert(Letter(number: 1))
    try context.save()
    for count in ["-1", "9223372036854775807"] {
      let block = "[{\"class\":\"Letter\",\"kind\":0,\"keys\":[1,\(count)]}]"
      #expect(try store.shell("UPDATE _swiftdata_history SET changes = '\(block)'") == "")
      let error = #expect(throws: SwiftDataError.storeDamaged) {
        try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      }
      #expect(error?.description.contains("deleteHistory") == true)
    }
  }

  @Test("With durability .full SQLite waits for the disk in each save")
  func durability() throws {
    #expect(ModelConfiguration(url: store.url).durability == .normal)
    for (durability, level) in [(ModelConfiguration.Durability.normal, 1), (.full, 2)] {
      let container = try store.container(Letter.self) { $0.durability = durability }
      let found = try container.core.sqliteStores[0].write { connection in
        try connection.database.integer("PRAGMA synchronous").map { Int($0) }
      }
      #expect(found == level)
    }
  }
}
