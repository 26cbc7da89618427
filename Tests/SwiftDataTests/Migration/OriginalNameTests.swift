import Foundation
import SwiftData
import Testing

private enum V1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Song.self] }

  @Model final class Song {
    var title: String
    var rating: Int = 5
    init(title: String) { self.title = title }
  }
}

private enum V2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Song.self] }

  /// `rating` is dropped, and another property added under its name; `title` is renamed.
  @Model final class Song {
    @Attribute(originalName: "title") var name: String
    @Attribute(originalName: "stars") var rating: Int = 0
    init(name: String) { self.name = name }
  }
}

private enum V3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Song.self] }

  @Model final class Song {
    @Attribute(originalName: "title") var name: String
    @Attribute(originalName: "stars") var rating: Int = 0
    var note: String?
    init(name: String) { self.name = name }
  }
}

private enum Plan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V3.self] }
  static var stages: [MigrationStage] { [] }
}

@Suite("An original name that the old schema does not have")
struct OriginalNameTests {
  private func open(_ store: TemporaryStore, _ schema: any VersionedSchema.Type, _ isPlanned: Bool) throws
    -> ModelContext
  {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: schema), migrationPlan: isPlanned ? Plan.self : nil,
        configurations: ModelConfiguration(url: store.url)))
  }

  @Test("makes the property a new one, once", arguments: [false, true])
  func dropped(_ isPlanned: Bool) throws {
    let store = try TemporaryStore()
    do {
      let context = try open(store, V1.self, isPlanned)
      context.insert(V1.Song(title: "Blue"))
      try context.save()
    }
    do {
      let context = try open(store, V2.self, isPlanned)
      let song = try #require(try context.fetch(FetchDescriptor<V2.Song>()).first)
      #expect(song.rating == 0)
      #expect(song.name == "Blue")
      song.rating = 4
      try context.save()
    }
    do {
      let context = try open(store, V2.self, isPlanned)
      #expect(try context.fetch(FetchDescriptor<V2.Song>()).map(\.rating) == [4])
      #expect(context.container.migrations.isEmpty)
    }
    // The names that are original to both versions stay what they were.
    let songs = try open(store, V3.self, isPlanned).fetch(FetchDescriptor<V3.Song>())
    #expect(songs.map(\.rating) == [4])
    #expect(songs.map(\.name) == ["Blue"])
  }
}

@Model private final class Membership {
  @Attribute(.unique) var name: String
  @Attribute(.unique) var number: Int
  init(name: String, number: Int) {
    self.name = name
    self.number = number
  }
}

@Suite("Collisions of unique values")
struct UniqueCollisionTests {
  private let context: ModelContext

  init() throws {
    context = try memoryContext(Membership.self)
    context.insert(Membership(name: "a", number: 1))
    context.insert(Membership(name: "b", number: 2))
    try context.save()
  }

  private func accounts() throws -> [String] {
    try ModelContext(context.container).fetch(FetchDescriptor<Membership>(sortBy: [SortDescriptor(\.name)]))
      .map { "\($0.name)\($0.number)" }
  }

  @Test("An insert that meets two rows is refused, and changes neither")
  func twoRows() throws {
    context.insert(Membership(name: "a", number: 2))
    let error = #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
    #expect(error?.entity == "Membership")
    context.rollback()
    #expect(try accounts() == ["a1", "b2"])
  }

  @Test("A stored object that takes another's value is refused, and changes neither")
  func change() throws {
    let account = try #require(
      try context.fetch(FetchDescriptor<Membership>(predicate: #Predicate { $0.name == "a" })).first)
    account.number = 2
    #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
    context.rollback()
    #expect(account.number == 1)
    #expect(try accounts() == ["a1", "b2"])
  }

  @Test("An insert that meets one row updates it")
  func upsert() throws {
    context.insert(Membership(name: "a", number: 3))
    try context.save()
    #expect(try accounts() == ["a3", "b2"])
  }
}
