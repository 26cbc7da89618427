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
}
