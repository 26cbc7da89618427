import Foundation
import Testing

@testable import SwiftData

/// A value of a class of its own, as a transformer stores it.
private struct Picture: Equatable { var bytes: [UInt8] }

/// Turns a picture into its bytes, and back.
private final class PictureTransformer: ValueTransformer {
  override class func transformedValueClass() -> AnyClass { NSData.self }
  override func transformedValue(_ value: Any?) -> Any? { (value as? Picture).map { Data($0.bytes) } }
  override func reverseTransformedValue(_ value: Any?) -> Any? { (value as? Data).map { Picture(bytes: Array($0)) } }
}

/// Data that is never empty.
private struct Scan: RawRepresentable, Codable, Equatable {
  var rawValue: Data
  init?(rawValue: Data) {
    guard !rawValue.isEmpty else { return nil }
    self.rawValue = rawValue
  }
}

private enum Shown {
  @Model final class Slide {
    var name: String
    @Attribute(.externalStorage, .transformable(by: PictureTransformer.self)) var picture: Picture?
    @Attribute(.externalStorage) var scan: Scan?
    init(_ name: String) { self.name = name }
  }

  @Model final class Photo {
    var name: String
    @Attribute(.externalStorage, .preserveValueOnDeletion) var image: Data?
    init(_ name: String, _ image: Data?) { (self.name, self.image) = (name, image) }
  }
}

/// The same class after its program dropped `.externalStorage`.
private enum Plain {
  @Model final class Photo {
    var name: String
    @Attribute(.preserveValueOnDeletion) var image: Data?
    init(_ name: String, _ image: Data?) { (self.name, self.image) = (name, image) }
  }
}

@Suite("External files") struct ExternalFileTests {
  private let store: TemporaryStore
  private static let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
  private static let secret = Data("a file outside the store".utf8)
  private var folder: URL { store.folder.appendingPathComponent(".test.store_external") }
  private var victim: URL { store.folder.appendingPathComponent("victim") }

  init() throws { store = try TemporaryStore() }

  private func files() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] }

  private func tombstones<M: PersistentModel>(_ context: ModelContext, of _: M.Type) throws -> [HistoryTombstone<M>] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes).compactMap { change in
      if case .delete(let deletion as DefaultHistoryDelete<M>) = change { deletion.tombstone } else { nil }
    }
  }

  @Test("keep values that a transformer stores, and raw values that are data")
  func otherEncodings() throws {
    let picture = Picture(bytes: Array(Self.large))
    do {
      let context = ModelContext(try store.container(Shown.Slide.self))
      let slide = Shown.Slide("a")
      (slide.picture, slide.scan) = (picture, Scan(rawValue: Self.large))
      context.insert(slide)
      context.insert(Shown.Slide("b"))
      try context.save()
      #expect(files().count == 2)
    }
    let context = ModelContext(try store.container(Shown.Slide.self))
    let slides = try context.fetch(FetchDescriptor<Shown.Slide>(sortBy: [SortDescriptor(\.name)]))
    #expect(slides.map(\.picture) == [picture, nil])
    #expect(slides.map(\.scan) == [Scan(rawValue: Self.large), nil])
    let scan = Scan(rawValue: Self.large)
    // The row has the name of a file, which SQL must not compare with the value.
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.fetch(FetchDescriptor<Shown.Slide>(predicate: #Predicate { $0.scan == scan }))
    }
    slides[0].picture = nil
    context.delete(slides[0])
    try context.save()
    #expect(files().isEmpty)
  }

  /// A store whose only row names a file outside the folder.
  private func hostile(_ name: String = "../victim") throws -> ModelContext {
    try Self.secret.write(to: victim)
    do {
      let context = ModelContext(try store.container(Shown.Photo.self))
      context.insert(Shown.Photo("a", Self.large))
      context.insert(Shown.Photo("b", nil))
      try context.save()
    }
    #expect(try store.shell("UPDATE Photo SET image = '\(name)' WHERE name = 'a'") == "")
    return ModelContext(try store.container(Shown.Photo.self))
  }

  @Test("are none outside the store's folder: a replaced value removes no other file")
  func replacedOutside() throws {
    let context = try hostile()
    var names = FetchDescriptor<Shown.Photo>(predicate: #Predicate { $0.name == "a" })
    names.propertiesToFetch = [\.name]
    let photo = try #require(try context.fetch(names).first)
    photo.image = nil
    // The value that is replaced cannot be read.
    #expect(throws: SwiftDataError.unreadableValue) { try context.save() }
    #expect(try Data(contentsOf: victim) == Self.secret)
  }

  @Test("are none outside the store's folder: a deleted row removes no other file, and the history has no bytes of one")
  func deletedOutside() throws {
    let context = try hostile()
    try context.delete(model: Shown.Photo.self)
    try context.save()
    #expect(try Data(contentsOf: victim) == Self.secret)
    #expect(try store.shell("SELECT count(*) FROM Photo") == "0")
    let history = try store.shell("SELECT group_concat(changes) FROM _swiftdata_history")
    #expect(!history.contains(Self.secret.base64EncodedString()))
    #expect(!history.contains(Self.secret.map { String(format: "%02x", $0) }.joined()))
    #expect(try tombstones(context, of: Shown.Photo.self).allSatisfy { $0[\.image] as? Data != Self.secret })
  }

  @Test("are none outside the store's folder: a text with a zero byte in it is no name")
  func zeroByte() throws {
    let context = try hostile()
    try Self.secret.write(to: folder.appendingPathComponent("6F9619FF-8B86-D011-B42D-00C04FC964FF"))
    #expect(
      try store.shell(
        "UPDATE Photo SET image = '6F9619FF-8B86-D011-B42D-00C04FC964FF' || char(0) || 'x' WHERE name = 'a'") == "")
    let photo = try #require(
      try context.fetch(FetchDescriptor<Shown.Photo>(predicate: #Predicate { $0.name == "a" })).first)
    #expect(photo.image == nil)
    photo.name = "c"
    #expect(throws: SwiftDataError.unreadableValue) { try context.save() }
  }

  @Test("move into the rows when the property is not external any more")
  func internalized() throws {
    let small = Data([1, 2, 3])
    do {
      let context = ModelContext(try store.container(Shown.Photo.self))
      for (name, image) in [("large", Self.large), ("none", nil), ("small", small)] {
        context.insert(Shown.Photo(name, image))
      }
      try context.save()
      #expect(files().count == 1)
    }
    let context = ModelContext(try store.container(Plain.Photo.self))
    #expect(files().isEmpty)
    #expect(try store.shell("SELECT typeof(image) FROM Photo ORDER BY name") == "blob\nnull\nblob")
    let large: Data? = Self.large
    let found = try context.fetch(FetchDescriptor<Plain.Photo>(predicate: #Predicate { $0.image == large }))
    #expect(found.map(\.name) == ["large"])
    context.delete(try #require(found.first))
    try context.save()
    #expect(try tombstones(context, of: Plain.Photo.self).map { $0[\.image] as? Data } == [Self.large])
    // A later program may store such data in files again.
    let external = ModelContext(try store.container(Shown.Photo.self))
    external.insert(Shown.Photo("again", Self.large))
    try external.save()
    #expect(files().count == 1)
    #expect(try external.fetch(FetchDescriptor<Shown.Photo>()).compactMap(\.image?.count).sorted() == [3, 200_000])
  }

  @Test("stay if the row that names them cannot move them in, because they are missing")
  func missingFile() throws {
    do {
      let context = ModelContext(try store.container(Shown.Photo.self))
      context.insert(Shown.Photo("large", Self.large))
      try context.save()
    }
    let name = try #require(files().first)
    try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    _ = try store.container(Plain.Photo.self)
    #expect(try store.shell("SELECT image FROM Photo") == name)
  }

  @Test("that no row names stay until the log of the commit that dropped them is on the disk")
  func sweptUnsynced() throws {
    // A link to itself cannot be opened, so that the log cannot be synced.
    let log = store.url.path + "-wal"
    try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: log)
    let storage = ExternalStorage(ModelConfiguration(url: store.url))
    let names = [UUID().uuidString, "unfinished-\(UUID().uuidString)"].sorted()
    try FileManager.default.createDirectory(at: storage.directory, withIntermediateDirectories: true)
    for name in names { try Data([1]).write(to: storage.directory.appendingPathComponent(name)) }
    func left() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: storage.directory.path).sorted()
    }
    storage.sweep { [] }
    #expect(try left() == names)
    unlink(log)
    storage.sweep { [] }
    #expect(try left() == [])
  }
}
