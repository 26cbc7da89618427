import Foundation
import SwiftData
import Testing

// Changes of a store's shape beyond single properties: classes, external data, composite values.

private enum Flat {
  @Model class Asset {
    var name: String
    @Attribute(.externalStorage) var bytes: Data?
    @Attribute(.externalStorage) var preview: Data?
    var place: Place
    init(name: String, place: Place) {
      self.name = name
      self.place = place
    }
  }

  struct Place: Codable {
    var x: Int
    var y: Int?
  }
}

private enum Tall {
  @Model class Asset {
    var name: String
    @Attribute(.externalStorage, originalName: "bytes") var content: Data?
    var place: Place
    init(name: String, place: Place) {
      self.name = name
      self.place = place
    }
  }

  @Model final class Photo: Asset {
    var width: Int = 10
    init(name: String, width: Int) {
      self.width = width
      super.init(name: name, place: Place(x: 0))
    }
  }

  @Model final class Song: Asset {
    var seconds: Int = 1
    var cover: Photo?
    init(name: String, cover: Photo?) {
      self.cover = cover
      super.init(name: name, place: Place(x: 0))
    }
  }

  struct Place: Codable, Equatable {
    var x: Int
    var z: String?
  }
}

private enum Shorn {
  @Model class Asset {
    var name: String
    init(name: String) { self.name = name }
  }

  @Model final class Song: Asset {
    var seconds: Int?
    var bpm: Int = 120
    init(name: String, bpm: Int) {
      self.bpm = bpm
      super.init(name: name)
    }
  }
}

private enum Strict {
  struct Place: Codable {
    var x: Int
    var z: Int
  }
  @Model class Asset {
    var name: String
    var place: Place
    init(name: String, place: Place) {
      self.name = name
      self.place = place
    }
  }
}

private enum NumberedV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [ItemV1.self] }
  @Model final class ItemV1 {
    var title: String
    var parent: ItemV1?
    @Relationship(inverse: \ItemV1.parent) var children: [ItemV1] = []
    init(title: String) { self.title = title }
  }
}

private enum NumberedV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Item.self] }
  @Model final class Item {
    var title: String
    var isDone = false
    var parent: Item?
    @Relationship(inverse: \Item.parent) var children: [Item] = []
    init(title: String) { self.title = title }
  }
}

private enum NumberedPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [NumberedV1.self, NumberedV2.self] }
  static var stages: [MigrationStage] {
    [.lightweight(fromVersion: NumberedV1.self, toVersion: NumberedV2.self)]
  }
}

private enum TallVersion: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Tall.Photo.self, Tall.Song.self] }
}

private enum ShornVersion: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Shorn.Song.self] }
}

private enum ShearingPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [TallVersion.self, ShornVersion.self] }
  static var stages: [MigrationStage] { [] }
}

@Suite struct ShapeMigrationTests {
  private static let large = Data(repeating: 7, count: 200_000)

  private func files(_ store: TemporaryStore) throws -> Int {
    let folder = store.folder.appendingPathComponent(".test.store_external")
    return (try? FileManager.default.contentsOfDirectory(atPath: folder.path).count) ?? 0
  }

  private func fill(_ store: TemporaryStore) throws {
    let context = ModelContext(try store.container(Flat.Asset.self))
    let asset = Flat.Asset(name: "A", place: Flat.Place(x: 1, y: 2))
    asset.bytes = Self.large
    asset.preview = Self.large
    context.insert(asset)
    try context.save()
    #expect(try files(store) == 2)
  }

  @Test("A model gains subclasses: its rows stay what they are, and its external data stays where it is")
  func subclasses() throws {
    let store = try TemporaryStore()
    try fill(store)
    let context = ModelContext(try store.container(Tall.Photo.self, Tall.Song.self))
    let asset = try #require(try context.fetch(FetchDescriptor<Tall.Asset>()).first)
    #expect(type(of: asset) == Tall.Asset.self)
    #expect(asset.content == Self.large)
    #expect(asset.place == Tall.Place(x: 1, z: nil))
    // The file of the property that is gone went after the commit.
    #expect(try files(store) == 1)
    context.insert(Tall.Song(name: "S", cover: Tall.Photo(name: "P", width: 3)))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Tall.Asset>()) == 3)
    #expect(try context.fetchCount(FetchDescriptor<Tall.Photo>()) == 1)
  }

  @Test("A stage that removes a subclass removes its rows, and a sibling's required property takes its default")
  func removedSubclass() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Tall.Photo.self, Tall.Song.self))
    context.insert(Tall.Song(name: "S", cover: Tall.Photo(name: "P", width: 3)))
    context.insert(Tall.Asset(name: "A", place: Tall.Place(x: 0)))
    try context.save()
    // Without a plan, nobody said that the photos are to go.
    let error = #expect(throws: SwiftDataError.unknownDataStoreSchema) { try store.container(Shorn.Song.self) }
    #expect(error?.entity == "Photo")

    let container = try ModelContainer(
      for: Shorn.Song.self, migrationPlan: ShearingPlan.self, configurations: ModelConfiguration(url: store.url))
    let changes = try #require(container.migrations.first?.steps.first).changes
    #expect(changes.contains { $0.kind == .removed && $0.entity == "Photo" && $0.property == nil })
    let after = ModelContext(container)
    let assets = try after.fetch(FetchDescriptor<Shorn.Asset>(sortBy: [SortDescriptor(\.name)]))
    #expect(assets.map(\.name) == ["A", "S"])
    #expect((assets[1] as? Shorn.Song)?.bpm == 120)
    #expect((assets[1] as? Shorn.Song)?.seconds == 1)
    // Only the rows of the class have its property.
    #expect(try store.shell("SELECT name FROM Asset WHERE \"Song.bpm\" IS NULL") == "A")
    #expect(try store.shell("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
  }

  @Test("A composite value that the new struct cannot read is refused, and the external files stay")
  func composite() throws {
    let store = try TemporaryStore()
    try fill(store)
    let error = #expect(throws: SwiftDataError.unreadableValue) { try store.container(Strict.Asset.self) }
    #expect(error?.description.contains("Asset.place") == true)
    #expect(try files(store) == 2)
    let asset = try ModelContext(try store.container(Flat.Asset.self)).fetch(FetchDescriptor<Flat.Asset>()).first
    #expect(asset?.bytes == Self.large)
    #expect(asset?.preview == Self.large)
  }

  @Test("A class whose name has a version's number keeps its rows under its name without it, as in the seeds")
  func numberedNames() throws {
    let store = try TemporaryStore()
    let configuration = ModelConfiguration(url: store.url)
    let old = ModelContext(
      try ModelContainer(for: Schema(versionedSchema: NumberedV1.self), configurations: configuration))
    let parent = NumberedV1.ItemV1(title: "parent")
    old.insert(parent)
    parent.children = [NumberedV1.ItemV1(title: "b"), NumberedV1.ItemV1(title: "a")]
    try old.save()
    let container = try ModelContainer(
      for: NumberedV2.Item.self, migrationPlan: NumberedPlan.self, configurations: configuration)
    let context = ModelContext(container)
    let items = try context.fetch(FetchDescriptor<NumberedV2.Item>(predicate: #Predicate { $0.parent == nil }))
    #expect(items.map(\.title) == ["parent"])
    #expect(items[0].children.map(\.title) == ["b", "a"])
    context.insert(NumberedV2.Item(title: "new"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<NumberedV2.Item>()) == 4)
  }

  @Test("Text that is not in normal form is compared as Swift does after its column was renamed")
  func nonNFC() throws {
    let store = try TemporaryStore()
    let old = ModelContext(try store.container(Renaming.Before.Word.self))
    old.insert(Renaming.Before.Word(text: "cafe\u{301}"))
    try old.save()
    let context = ModelContext(try store.container(Renaming.After.Word.self))
    let composed = "caf\u{e9}"
    let predicate = #Predicate<Renaming.After.Word> { $0.word == composed }
    #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == 1)
  }

  @Test("A default text that is not in normal form is compared as Swift does, and one that is costs no index")
  func nonNFCDefault() throws {
    let store = try TemporaryStore()
    let old = ModelContext(try store.container(Renaming.Before.Word.self))
    old.insert(Renaming.Before.Word(text: "w"))
    try old.save()
    let context = ModelContext(try store.container(Renaming.Filled.Word.self))
    let composed = "caf\u{e9}"
    let predicate = #Predicate<Renaming.Filled.Word> { $0.place == composed }
    #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == 1)
    #expect(try store.shell("SELECT column_name FROM _swiftdata_denormalized") == "Word.place")
  }

  @Test("Two stores of one container migrate each by itself")
  func severalStores() throws {
    let first = try TemporaryStore()
    let second = try TemporaryStore()
    func container(_ a: any PersistentModel.Type, _ b: any PersistentModel.Type) throws -> ModelContainer {
      try ModelContainer(
        for: Schema([a, b]),
        configurations: ModelConfiguration("first", schema: Schema([a]), url: first.url),
        ModelConfiguration("second", schema: Schema([b]), url: second.url))
    }
    let old = ModelContext(try container(Renaming.Before.Word.self, NumberedV1.ItemV1.self))
    old.insert(Renaming.Before.Word(text: "w"))
    old.insert(NumberedV1.ItemV1(title: "i"))
    try old.save()
    let new = try container(Renaming.After.Word.self, NumberedV1.ItemV1.self)
    #expect(new.migrations.map(\.configuration) == ["first"])
    let context = ModelContext(new)
    #expect(try context.fetch(FetchDescriptor<Renaming.After.Word>()).map(\.word) == ["w"])
    #expect(try context.fetch(FetchDescriptor<NumberedV1.ItemV1>()).map(\.title) == ["i"])
  }
}

private enum Renaming {
  enum Filled {
    @Model final class Word {
      var text: String
      var place: String = "cafe\u{301}"
      var kind: String = "plain"
      init(text: String) { self.text = text }
    }
  }

  enum Before {
    @Model final class Word {
      var text: String
      init(text: String) { self.text = text }
    }
  }

  enum After {
    @Model final class Word {
      @Attribute(originalName: "text") var word: String
      init(word: String) { self.word = word }
    }
  }
}
