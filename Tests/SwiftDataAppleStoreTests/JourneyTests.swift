import AppleStoreTemplates
import Foundation
import SwiftData
import SwiftDataInspection
import Testing

@testable import SwiftDataAppleStore

@Suite("What a person with a file from a device does first") struct JourneyTests {
  private func error(_ open: () throws -> Void) -> String {
    do {
      try open()
      return "no error"
    } catch { return "\(error)" }
  }

  // MARK: - F10

  @Test("F10: an import that cannot be written names the target and says why")
  func wrongTargets() throws {
    let source = try Library.filled()
    let folder = try Library.folder()
    let text = folder.appendingPathComponent("text")
    try Data("no database, but long enough to be looked at as if it were one".utf8).write(to: text)
    let locked = folder.appendingPathComponent("no/such/folder/own.store")
    try Data().write(to: folder.appendingPathComponent("no"))
    for (target, reason) in [
      (folder, "is not imported into: it is a folder; name a new file"),
      (text, "is not imported into: it is not an SQLite database; name a new file"),
      (source, "is not imported into: it is the file that is imported; name a new file"),
      (try Library.filled(), "is not imported into: it is a store of SwiftData or Core Data; name a new file"),
      (locked, "cannot be made"),
    ] {
      let message = error { _ = try InspectedStore(source.path).copy(into: target) }
      #expect(message.contains(reason), "\(message)")
      #expect(message.contains("no/such") || message.contains("\"\(target.path)\""), "\(message)")
      #expect(target == source || !message.contains(source.path), "\(message)")
    }
  }

  @Test("F10: what fails while the target is written is about the target")
  func failuresOfTheTarget() {
    // SQLITE_BUSY, SQLITE_READONLY, SQLITE_FULL, SQLITE_CANTOPEN and SQLITE_NOTADB.
    for code in [5, 8, 13, 14, 26] as [Int32] {
      let message = "\(FileErrors.error(code: code, message: nil, sql: nil, place: "/source", target: "/target"))"
      #expect(message.contains("\"/target\"") && !message.contains("/source"), "\(message)")
    }
    let full = "\(FileErrors.error(code: 13, message: nil, sql: nil, place: "/source", target: "/target"))"
    #expect(full == "The disk of \"/target\" is full; nothing was imported. Free some space and import again.")
    let damaged =
      "\(FileErrors.error(code: 11, message: nil, sql: nil, place: "/source", target: "/target"))"
    #expect(damaged.contains("\"/source\" or \"/target\" is damaged"))
  }

  @Test("External data that cannot be copied end the import, which leaves nothing behind")
  func fullFolder() throws {
    let source = try Library.filled()
    let target = try Library.folder().appendingPathComponent("own.store")
    // A file where the folder of the external data belongs.
    let blocked = NewStore.externalFolder(of: target)
    try Data().write(to: blocked)
    let message = error { _ = try InspectedStore(source.path).copy(into: target) }
    #expect(message.contains("cannot be copied to \(blocked.path); nothing was imported"), "\(message)")
    #expect(!FileManager.default.fileExists(atPath: target.path))
  }

  // MARK: - What a file is

  private static func bytes(_ text: String) -> Data { Data(text.utf8) + Data(repeating: 0x20, count: 1_000) }

  @Test(
    "A file that is not a database is told by its first bytes",
    arguments: [
      (
        bytes("<?xml version=\"1.0\"?>\n<!DOCTYPE database SYSTEM \"file:///x/CoreData.dtd\">"),
        "an XML store of Core Data"
      ),
      (bytes("<?xml version=\"1.0\"?><a/>"), "It is an XML file"), (bytes("bplist00"), "a binary store of Core Data"),
      (Data([0x37, 0x7F, 0x06, 0x82, 0, 0, 0, 0]), "without -wal"),
      (Data([0x18, 0xE2, 0x2D, 0, 0, 0]), "without -shm"),
      (Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7, 0]), "without -journal"),
      (bytes("PK\u{3}\u{4}"), "a ZIP archive"), (Data(repeating: 0, count: 16) + bytes("T-DB"), "a Realm file"),
      (Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 / 256) }), "encrypted as a whole"),
    ])
  func contents(_ data: Data, _ text: String) throws {
    let file = try Library.folder().appendingPathComponent("default.store")
    try data.write(to: file)
    for message in [
      error { _ = try ModelContainer(for: Schema(Library.all), configurations: [ModelConfiguration(url: file)]) },
      error { _ = try InspectedStore(file.path) }, error { _ = try Library.container(file, allowsSave: false) },
    ] {
      #expect(message.contains(text), "\(message)")
      #expect(message.contains("is not an SQLite database"), "\(message)")
      #expect(!message.contains("is an SQLite database"), "\(message)")
    }
  }

  @Test("A named pipe is refused at once, by each opening")
  func pipe() throws {
    let pipe = try RefusedFile.pipe.make()
    for message in [
      error { _ = try ModelContainer(for: Schema(Library.all), configurations: [ModelConfiguration(url: pipe)]) },
      error { _ = try InspectedStore(pipe.path) }, error { _ = try Library.container(pipe) },
    ] { #expect(message.contains("is a named pipe"), "\(message)") }
  }

  @Test("F11: ModelConfiguration(url:) says what the file is, and names the configuration and the command that read it")
  func modelConfiguration() throws {
    let file = try RefusedFile.appleWithLog.make()
    let message = error {
      _ = try ModelContainer(for: Schema(Library.all), configurations: [ModelConfiguration(url: file)])
    }
    #expect(
      message
        == "\"\(file.path)\" was written by Apple's SwiftData or Core Data; the file was left untouched. Open it with"
        + " AppleStoreConfiguration(url:) of the product SwiftDataAppleStore, or copy it into a store of this library with"
        + " `swiftdata import \"\(file.path)\" --into NEW.store`.")
  }

  // MARK: - Folders and logs

  @Test("A folder with one store, such as a document package or an app's container, is opened as this store")
  func folders() throws {
    let folder = try Library.folder().appendingPathComponent("Trips.package")
    let content = folder.appendingPathComponent("StoreContent")
    try FileManager.default.createDirectory(at: content, withIntermediateDirectories: true)
    try Data("<plist/>".utf8).write(to: folder.appendingPathComponent("DocumentMetadata.plist"))
    #expect(error { _ = try InspectedStore(folder.path) }.contains("has no store that SwiftData or Core Data made"))
    let file = content.appendingPathComponent("persistentStore")
    try FileManager.default.copyItem(at: try RefusedFile.appleWithoutLog.make(), to: file)
    let before = try FolderState.of(content)
    #expect(try InspectedStore(folder.path).location == file.path)
    let context = ModelContext(try Library.container(folder, allowsSave: false))
    #expect(try context.fetchCount(FetchDescriptor<Library.Book>()) == 4)
    #expect(try FolderState.of(content) == before)
    try FileManager.default.copyItem(at: file, to: folder.appendingPathComponent("second.store"))
    let message = error { _ = try InspectedStore(folder.path) }
    #expect(message.contains("has several stores; name one of them"))
    #expect(message.contains("second.store") && message.contains("persistentStore"))
  }

  @Test("inspect says that a log may be missing")
  func missingLog() throws {
    let file = try RefusedFile.appleWithLog.make()
    let text = "has no \"default.store-wal\" next to it"
    #expect(try !InspectedStore(file.path).inspection().text.contains(text))
    try FileManager.default.removeItem(atPath: file.path + "-wal")
    #expect(try InspectedStore(file.path).inspection().text.contains(text))
  }

  @Test("A symbolic link leads to the file, its log and its external data")
  func link() throws {
    let file = try RefusedFile.appleWithLogAndIndex.make()
    let link = try Library.folder().appendingPathComponent("link.store")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    let context = ModelContext(try Library.container(link, allowsSave: false))
    let titles = try context.fetch(FetchDescriptor<Library.Book>()).map(\.title)
    #expect(titles.contains("only in the log"))
  }

  @Test("A damaged model inside the file is inferred from the tables, and nothing is saved then")
  func damagedModel() throws {
    let file = try Library.filled()
    try RareFileTests.change(file, ["UPDATE Z_MODELCACHE SET Z_CONTENT = x'0102030405'"])
    let store = try InspectedStore(file.path)
    #expect(try store.inspection().warnings.contains { $0.contains("(Z_MODELCACHE) cannot be read") })
    #expect(try store.count(of: "Book") == 4)
    let schema = Schema([Small.Tag.self])
    let context = ModelContext(
      try ModelContainer(for: schema, configurations: [AppleStoreConfiguration(url: file)]))
    #expect(try context.fetch(FetchDescriptor<Small.Tag>()).map(\.label) == ["classic"])
    let message = error {
      _ = try ModelContainer(for: schema, configurations: [AppleStoreConfiguration(url: file, allowsSave: true)])
    }
    #expect(message.contains("open the file with allowsSave: false"), "\(message)")
  }

  @Test("A property that the file lacks names the import, which can add it")
  func extraProperty() throws {
    let file = try Library.filled()
    let message = error {
      _ = try ModelContainer(for: Schema([Unfit.Tag.self]), configurations: [AppleStoreConfiguration(url: file)])
    }
    #expect(message.contains("Tag.colour: the file has no such property"))
    #expect(message.contains("copy the file with `swiftdata import` and open the copy, which gets the property"))
  }
}
