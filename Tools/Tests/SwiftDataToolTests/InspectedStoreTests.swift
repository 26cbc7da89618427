import ChildProcesses
import Foundation
import SwiftData
import SwiftDataInspection
import Testing

private enum Inspected {
  @Model final class Photo {
    var name: String
    @Attribute(.externalStorage) var image: Data?
    init(_ name: String) {
      self.name = name
      image = Data(repeating: 7, count: 300_000)
    }
  }

  @Model final class Note {
    var text: String
    var price: Decimal
    var small: Int8
    var large: UInt64
    var real: Double
    init(_ text: String) {
      self.text = text
      (price, small, large, real) = (1, 1, 1, 1)
    }
  }
}

extension Inspected {
  @Model final class Diary {
    @Attribute(.allowsCloudEncryption) var text: String
    var pages: Int
    init(_ text: String, _ pages: Int) { (self.text, self.pages) = (text, pages) }
  }
}

extension Inspected {
  @Model final class Event {
    var time: Date
    @Attribute(.externalStorage) var image: Data?
    @Relationship(inverse: \Guest.events) var guests: [Guest] = []
    @Relationship(inverse: \Part.event) var parts: [Part] = []
    init(_ time: Double) { self.time = Date(timeIntervalSinceReferenceDate: time) }
  }

  @Model final class Guest {
    var name: String
    var events: [Event] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Part {
    var name: String
    var event: Event?
    init(_ name: String) { self.name = name }
  }
}

/// A class of a released program that dropped `.externalStorage` before its cells were moved into the rows.
private enum Internal {
  @Model final class Photo {
    var name: String
    var image: Data?
    var code = UUID()
    init(_ name: String) { self.name = name }
  }
}

@Suite("A store that tools look at") struct InspectedStoreTests {
  private let folder: URL
  private var url: URL { folder.appendingPathComponent("a.store") }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("inspected-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func open(_ types: any PersistentModel.Type...) throws -> ModelContext {
    ModelContext(try ModelContainer(for: Schema(types), configurations: [ModelConfiguration(url: url)]))
  }

  private func shell(_ sql: String) throws {
    #expect(try ChildProcess("sqlite3", ["-cmd", ".timeout 10000", url.path, sql], errors: .output).text() == "")
  }

  @Test("has all classes of the file, also those that the last program did not list")
  func retained() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let app = try open(Inspected.Photo.self, Inspected.Note.self)
    app.insert(Inspected.Photo("p"))
    app.insert(Inspected.Note("n"))
    try app.save()
    let widget = try open(Inspected.Note.self)
    widget.insert(Inspected.Note("m"))
    try widget.save()

    let store = try InspectedStore(url.path)
    #expect(store.entities == ["Note", "Photo"])
    #expect(try store.faults().map(\.text) == [])
    #expect(try store.count(of: "Photo") == 1)
  }

  @Test("is dumped and compared as it is at one moment, or not at all")
  func oneMoment() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let context = try open(Inspected.Note.self)
    func add(_ text: String) throws {
      context.insert(Inspected.Note(text))
      try context.save()
    }
    try add("a")
    try add("b")
    let store = try InspectedStore(url.path)
    var keys = [Int64]()
    try store.forEachRow { keys.append($0.key) }
    #expect(keys == [1, 2])
    #expect(throws: SwiftDataError.storeLocked) {
      try store.forEachRow { _ in try add("late") }
    }
    #expect(try store.difference(to: InspectedStore(url.path)).isEmpty)
  }

  @Test("refuses to change an encrypted attribute, which it could only write as plain text")
  func encrypted() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = ModelConfiguration(url: url)
    configuration.encryptionKey = .random()
    let context = ModelContext(try ModelContainer(for: Inspected.Diary.self, configurations: configuration))
    context.insert(Inspected.Diary("secret", 1))
    try context.save()
    let store = try InspectedStore(url.path)
    let key = try #require(store.rows(of: "Diary", limit: 1).first?.key)
    for text in ["plain", nil] {
      let error = #expect(throws: SwiftDataError.self) { try store.change("Diary", key, property: "text", to: text) }
      #expect(error?.code == SwiftDataError.unsupportedFeature.code && error?.property == "text")
    }
    try store.change("Diary", key, property: "pages", to: "2")
    let diary = try #require(ModelContext(context.container).fetch(FetchDescriptor<Inspected.Diary>()).first)
    #expect(diary.text == "secret" && diary.pages == 2)
  }

  @Test("takes a text only if all of it is a value of the attribute's type")
  func edit() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let context = try open(Inspected.Note.self)
    let note = Inspected.Note("a\nb")
    context.insert(note)
    try context.save()
    let store = try InspectedStore(url.path)
    let key = try #require(store.rows(of: "Note", limit: 1).first?.key)
    for (property, text) in [
      ("price", "1,234.50"), ("price", "12 EUR"), ("price", ""), ("price", "nan"), ("small", "300"), ("small", "1.5"),
      ("large", "-1"), ("real", "1e400"), ("real", "1,5"),
    ] {
      #expect(throws: SwiftDataError.self, "\(property) \(text)") {
        try store.change("Note", key, property: property, to: text)
      }
    }
    for (property, text) in [
      ("price", "1234.50"), ("small", "-128"), ("large", "18446744073709551615"), ("real", "-0.5"), ("text", "c\nd"),
    ] {
      try store.change("Note", key, property: property, to: text)
    }
    let changed = try #require(ModelContext(context.container).fetch(FetchDescriptor<Inspected.Note>()).first)
    #expect(changed.price == Decimal(string: "1234.5") && changed.small == -128 && changed.large == .max)
    #expect(changed.real == -0.5 && changed.text == "c\nd")
  }

  /// What the comparison of a store with a changed copy says.
  private func difference(_ change: (ModelContext, Inspected.Event) throws -> Void) throws -> [[String]] {
    let context = try open(Inspected.Event.self)
    let event = Inspected.Event(1)
    context.insert(event)
    event.guests = [Inspected.Guest("a"), Inspected.Guest("b")]
    event.parts = [Inspected.Part("a"), Inspected.Part("b")]
    event.image = Data(repeating: 7, count: 200_000)
    try context.save()
    let copy = folder.appendingPathComponent("copy.store")
    _ = try InspectedStore(url.path).backUp(to: copy)
    #expect(try InspectedStore(url.path).difference(to: InspectedStore(copy.path)).isEmpty)
    try change(context, event)
    try context.save()
    return try InspectedStore(url.path).difference(to: InspectedStore(copy.path)).rows.map(\.properties)
  }

  @Test("differs by less than a millisecond")
  func shortTime() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let properties = try difference { $1.time = Date(timeIntervalSinceReferenceDate: 1.000_01) }
    #expect(properties == [["time"]])
  }

  @Test("differs by the order of a list that has one")
  func order() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let properties = try difference { _, event in
      event.guests = event.guests.reversed()
      event.parts = event.parts.reversed()
    }
    #expect(properties == [["guests", "parts"]])
  }

  @Test("differs by the bytes of external data, and not by the names of their files")
  func externalBytes() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    // The same bytes in another file are the same value.
    #expect(
      try difference { context, event in
        event.image = nil
        try context.save()
        event.image = Data(repeating: 7, count: 200_000)
      } == [])
    let files = folder.appendingPathComponent(".a.store_external")
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: files.path).first)
    try Data(repeating: 8, count: 200_000).write(to: files.appendingPathComponent(name))
    let copy = folder.appendingPathComponent("copy.store")
    #expect(
      try InspectedStore(url.path).difference(to: InspectedStore(copy.path)).rows.map(\.properties) == [["image"]])
  }

  @Test("may name files in cells of a property that is not external any more")
  func formerlyExternal() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let context = try open(Internal.Photo.self)
    context.insert(Internal.Photo("a"))
    try context.save()
    // As an earlier version left it.
    let files = folder.appendingPathComponent(".a.store_external")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    let (name, data) = (UUID().uuidString, Data(repeating: 9, count: 200_000))
    try data.write(to: files.appendingPathComponent(name))
    try shell("UPDATE Photo SET image = '\(name)'")
    let store = try InspectedStore(url.path)
    #expect(try store.faults().map(\.text) == [])
    var lines = [StoreRow]()
    try store.forEachRow { lines.append($0) }
    #expect(lines.first?.values["image"] == .string(data.base64EncodedString()))
    #expect(lines.first?.values["code"] != nil)
    try FileManager.default.removeItem(at: files.appendingPathComponent(name))
    #expect(try store.faults().map(\.area) == ["externalData"])
  }

  @Test("has no external files outside its folder")
  func outside() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let context = try open(Inspected.Photo.self)
    context.insert(Inspected.Photo("a"))
    try context.save()
    try Data("secret".utf8).write(to: folder.appendingPathComponent("victim"))
    try shell("UPDATE Photo SET image = '../victim'")
    #expect(try InspectedStore(url.path).faults().map(\.text).contains { $0.contains("../victim") })
  }
}
