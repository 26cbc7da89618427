import Foundation
import SwiftData
import Testing

/// Persistence patterns: attributes, repositories, configurations, fetching, inheritance, testing.
@Suite struct Seed2PersistencePatternsTests {
  @Test("Model definition: unique, transient, cascade and inverse")
  func modelDefinition() throws {
    let folder = try SeedFolder()
    let container = try folder.container([Project2.self])
    let context = ModelContext(container)
    let item = Item2(title: "a")
    item.isSelected = true
    item.tags = [Tag2(name: "x"), Tag2(name: "y")]
    let project = Project2(name: "p")
    project.items.append(item)
    context.insert(project)
    try context.save()
    #expect(item.project === project)
    let other = ModelContext(container)
    let loaded = try #require(try other.fetch(FetchDescriptor<Item2>()).first)
    #expect(!loaded.isSelected)
    #expect(loaded.identifier == item.identifier && loaded.timestamp == item.timestamp)
    #expect(loaded.tags.map(\.name) == ["x", "y"])
    other.delete(loaded)
    try other.save()
    #expect(try other.fetchCount(FetchDescriptor<Tag2>()) == 0)
    #expect(try other.fetchCount(FetchDescriptor<Project2>()) == 1)
  }

  @Test("Model attributes: external storage, cloud encryption, spotlight, preserved on deletion")
  func attributes() throws {
    let folder = try SeedFolder()
    let container = try folder.container([Document2.self])
    let context = ModelContext(container)
    let document = Document2(title: "t")
    document.imageData = Data(repeating: 7, count: 300_000)
    document.sensitiveData = "secret"
    context.insert(document)
    try context.save()
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: folder.store().path)[.size] as? Int)
    #expect(size < 200_000)
    let loaded = try #require(try ModelContext(container).fetch(FetchDescriptor<Document2>()).first)
    #expect(loaded.imageData == document.imageData)
    #expect(loaded.sensitiveData == "secret" && loaded.searchableTitle == "t")
  }

  @Test("Many-to-many collaborators without an inverse are shared")
  func collaborators() throws {
    let container = try inMemory(Project2.self)
    let context = ModelContext(container)
    let user = User2(name: "u")
    for name in ["a", "b"] {
      let project = Project2(name: name)
      project.owner = user
      project.collaborators = [user]
      context.insert(project)
    }
    try context.save()
    let projects = try ModelContext(container).fetch(FetchDescriptor<Project2>())
    #expect(projects.allSatisfy { $0.collaborators.map(\.name) == ["u"] && $0.owner?.name == "u" })
  }

  @Test("A generic repository fetches, inserts and deletes any model")
  @MainActor func repository() async throws {
    let container = try inMemory(Item2.self)
    let repository = Repository2<Item2>(modelContext: container.mainContext)
    for title in ["b", "a", "c"] { try await repository.insert(Item2(title: title)) }
    let all = try await repository.fetch(sortBy: [SortDescriptor(\.title)])
    #expect(all.map(\.title) == ["a", "b", "c"])
    let one = try await repository.fetchOne(predicate: #Predicate { $0.title == "b" })
    try await repository.delete(try #require(one))
    #expect(try await repository.fetch().count == 2)
  }

  @Test("Two configurations keep their models in two files")
  func configurations() throws {
    let folder = try SeedFolder()
    let local = ModelConfiguration(
      "Local", schema: Schema([Cached2.self]), url: folder.store("local.store"), cloudKitDatabase: .none)
    let synced = ModelConfiguration("Synced", schema: Schema([UserDocument2.self]), url: folder.store("synced.store"))
    let container = try ModelContainer(for: Schema([Cached2.self, UserDocument2.self]), configurations: local, synced)
    let context = ModelContext(container)
    context.insert(Cached2(key: "k"))
    context.insert(UserDocument2(title: "t"))
    try context.save()
    #expect(container.configurations.count == 2)
    let alone = try ModelContainer(
      for: Schema([UserDocument2.self]),
      configurations: ModelConfiguration(schema: Schema([UserDocument2.self]), url: folder.store("synced.store")))
    #expect(try ModelContext(alone).fetchCount(FetchDescriptor<UserDocument2>()) == 1)
  }

  @Test("A CloudKit configuration is accepted for models that keep CloudKit's rules, and names what does not")
  func cloudKit() throws {
    let folder = try SeedFolder()
    func open(_ type: any PersistentModel.Type) throws -> ModelContainer {
      let schema = Schema([type])
      return try ModelContainer(
        for: schema,
        configurations: ModelConfiguration(
          schema: schema, url: folder.store("\(type).store"), cloudKitDatabase: .private("iCloud.com.example.app")))
    }
    _ = try open(UserDocument2.self)
    let error = #expect(throws: SwiftDataError.self) { try open(Item2.self) }
    #expect(error?.description.contains("identifier") == true)
    #expect(error?.description.contains("title") == true)
  }

  @Test("Fetch descriptors filter by a captured date, sort, and page")
  func fetchDescriptors() throws {
    let context = ModelContext(try inMemory(Item2.self))
    for day in 0..<30 {
      let item = Item2(title: "\(day)")
      item.timestamp = .now.addingTimeInterval(Double(-day) * 86_400 + 60)
      context.insert(item)
    }
    try context.save()
    let oneWeekAgo = try #require(Calendar.current.date(byAdding: .day, value: -7, to: .now))
    let recent = FetchDescriptor<Item2>(
      predicate: #Predicate { $0.timestamp > oneWeekAgo }, sortBy: [SortDescriptor(\.timestamp, order: .reverse)])
    #expect(try context.fetch(recent).map(\.title) == (0...7).map(String.init))
    var page = FetchDescriptor<Item2>(sortBy: [SortDescriptor(\.timestamp, order: .reverse)])
    page.fetchOffset = 2 * 10
    page.fetchLimit = 10
    #expect(try context.fetch(page).map(\.title) == (20..<30).map(String.init))
  }

  @Test("A batch insert is one save, a batch delete takes a predicate")
  func batches() throws {
    let context = ModelContext(try inMemory(Item2.self))
    for number in 0..<100 { context.insert(Item2(title: number % 2 == 0 ? "even" : "odd")) }
    try context.save()
    try context.delete(model: Item2.self, where: #Predicate { $0.title == "odd" })
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Item2>()) == 50)
  }

  @Test("Prefetched relationships are there")
  func prefetching() throws {
    let container = try inMemory(Project2.self)
    let setup = ModelContext(container)
    for name in ["a", "b"] {
      let project = Project2(name: name)
      project.items = [Item2(title: "1"), Item2(title: "2")]
      setup.insert(project)
    }
    try setup.save()
    var descriptor = FetchDescriptor<Project2>()
    descriptor.relationshipKeyPathsForPrefetching = [\Project2.items]
    let context = ModelContext(container)
    let (projects, fetching) = try SQLTrace.record { try context.fetch(descriptor) }
    #expect(fetching.count == 2)
    let (count, reading) = SQLTrace.record { projects.reduce(0) { $0 + $1.items.count } }
    #expect(count == 4 && reading.isEmpty)
  }

  @Test("An actor imports in the background with a context of its own")
  func background() async throws {
    let container = try inMemory(Item2.self)
    try await BackgroundPersistence2(container: container).importData((0..<10).map(String.init))
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Item2>()) == 10)
  }

  @Test("Subclasses share a table: deep and shallow fetches, type predicates, polymorphic relationships")
  func inheritance() throws {
    let container = try inMemory(TravelPlanner2.self, BusinessTrip2.self, PersonalTrip2.self)
    let context = ModelContext(container)
    let planner = TravelPlanner2(name: "p")
    planner.trips = [
      BusinessTrip2(name: "fair", purpose: "sales"), PersonalTrip2(name: "sea", reason: "vacation"),
      PersonalTrip2(name: "aunt", reason: "family"), Trip2(name: "somewhere"),
    ]
    context.insert(planner)
    try context.save()
    let fresh = ModelContext(container)
    let loaded = try #require(try fresh.fetch(FetchDescriptor<TravelPlanner2>()).first)
    #expect(loaded.trips.map { "\(type(of: $0))" } == ["BusinessTrip2", "PersonalTrip2", "PersonalTrip2", "Trip2"])
    #expect((loaded.trips[0] as? BusinessTrip2)?.purpose == "sales")
    #expect(try fresh.fetchCount(FetchDescriptor<Trip2>()) == 4)
    #expect(try fresh.fetch(FetchDescriptor<PersonalTrip2>()).map(\.reason) == ["vacation", "family"])
    let business = FetchDescriptor<Trip2>(predicate: #Predicate { $0 is BusinessTrip2 })
    #expect(try fresh.fetch(business).map(\.name) == ["fair"])
    let vacation = FetchDescriptor<Trip2>(
      predicate: #Predicate {
        if let personal = $0 as? PersonalTrip2 { personal.reason == "vacation" } else { false }
      })
    #expect(try fresh.fetch(vacation).map(\.name) == ["sea"])
    fresh.delete(loaded)
    try fresh.save()
    #expect(try fresh.fetchCount(FetchDescriptor<Trip2>()) == 0)
  }

  @Test("A new optional property needs no migration")
  func newOptionalProperty() throws {
    let folder = try SeedFolder()
    do {
      let context = ModelContext(try folder.container([Versions2.Old.Note.self]))
      context.insert(Versions2.Old.Note(text: "kept"))
      try context.save()
    }
    let notes = try ModelContext(try folder.container([Versions2.New.Note.self]))
      .fetch(FetchDescriptor<Versions2.New.Note>())
    #expect(notes.map(\.text) == ["kept"])
    #expect(notes[0].author == nil)
  }
}

// MARK: - Models

@Model
final class Item2 {
  var title: String
  var timestamp: Date
  var isCompleted: Bool
  @Transient var isSelected: Bool = false
  @Attribute(.unique) var identifier: UUID
  @Relationship(deleteRule: .cascade) var tags: [Tag2]
  @Relationship(inverse: \Project2.items) var project: Project2?

  init(title: String) {
    self.identifier = UUID()
    self.title = title
    self.timestamp = .now
    self.isCompleted = false
    self.tags = []
  }
}

@Model
final class Tag2 {
  var name: String
  init(name: String) { self.name = name }
}

@Model
final class Project2 {
  var name: String
  @Relationship(deleteRule: .cascade)
  var items: [Item2] = []
  @Relationship
  var owner: User2?
  @Relationship
  var collaborators: [User2] = []

  init(name: String) { self.name = name }
}

@Model
final class User2 {
  var name: String
  init(name: String) { self.name = name }
}

@Model
final class Document2 {
  @Attribute(.unique) var id: UUID
  @Attribute(.externalStorage) var imageData: Data?
  @Attribute(.allowsCloudEncryption) var sensitiveData: String?
  @Attribute(.spotlight) var searchableTitle: String
  @Attribute(.preserveValueOnDeletion) var deletedAt: Date?

  init(title: String) {
    self.id = UUID()
    self.searchableTitle = title
  }
}

@Model
final class Cached2 {
  var key: String
  init(key: String) { self.key = key }
}

@Model
final class UserDocument2 {
  var title: String = ""
  var body: String?
  init(title: String) { self.title = title }
}

@Model
class Trip2 {
  var name: String
  init(name: String) { self.name = name }
}

@Model
class BusinessTrip2: Trip2 {
  var purpose: String
  init(name: String, purpose: String) {
    self.purpose = purpose
    super.init(name: name)
  }
}

@Model
class PersonalTrip2: Trip2 {
  var reason: String
  init(name: String, reason: String) {
    self.reason = reason
    super.init(name: name)
  }
}

@Model
class TravelPlanner2 {
  var name: String
  @Relationship(deleteRule: .cascade)
  var trips: [Trip2] = []
  init(name: String) { self.name = name }
}

enum Versions2 {
  enum Old {
    @Model final class Note {
      var text: String
      init(text: String) { self.text = text }
    }
  }
  enum New {
    @Model final class Note {
      var text: String
      var author: String?
      init(text: String) { self.text = text }
    }
  }
}

@MainActor
final class Repository2<T: PersistentModel> {
  private let modelContext: ModelContext
  init(modelContext: ModelContext) { self.modelContext = modelContext }

  func fetch(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) async throws -> [T] {
    try modelContext.fetch(FetchDescriptor<T>(predicate: predicate, sortBy: sortBy))
  }
  func fetchOne(predicate: Predicate<T>) async throws -> T? {
    var descriptor = FetchDescriptor<T>(predicate: predicate)
    descriptor.fetchLimit = 1
    return try modelContext.fetch(descriptor).first
  }
  func insert(_ item: T) async throws {
    modelContext.insert(item)
    try modelContext.save()
  }
  func delete(_ item: T) async throws {
    modelContext.delete(item)
    try modelContext.save()
  }
}

actor BackgroundPersistence2 {
  private let container: ModelContainer
  init(container: ModelContainer) { self.container = container }

  func importData(_ titles: [String]) async throws {
    let context = ModelContext(container)
    for title in titles { context.insert(Item2(title: title)) }
    try context.save()
  }
}
