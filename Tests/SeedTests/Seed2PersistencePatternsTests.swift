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
    let attributes = try #require(container.schema.entitiesByName["Document2"]?.attributesByName)
    #expect(attributes["sensitiveData"]?.options.contains(.allowsCloudEncryption) == true)
    #expect(attributes["searchableTitle"]?.options.contains(.spotlight) == true)
    #expect(attributes["deletedAt"]?.options.contains(.preserveValueOnDeletion) == true)
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

  @Test("A generic repository fetches, inserts and deletes any model, each as a save of its own")
  @MainActor func repository() async throws {
    let container = try inMemory(Item2.self)
    let repository: any Repository2<Item2> = SwiftDataRepository2<Item2>(modelContext: container.mainContext)
    for title in ["b", "a", "c"] { try await repository.insert(Item2(title: title)) }
    let all = try await repository.fetch(sortBy: [SortDescriptor(\.title)])
    #expect(all.map(\.title) == ["a", "b", "c"])
    let one = try await repository.fetchOne(predicate: #Predicate { $0.title == "b" })
    try await repository.delete(try #require(one))
    #expect(try await repository.fetchOne(predicate: #Predicate { $0.title == "b" }) == nil)
    #expect(!container.mainContext.hasChanges)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Item2>()) == 2)
  }

  @Test("A mock repository takes models that no context knows, and tells them apart by id")
  @MainActor func mockRepository() async throws {
    let mock = MockItemRepository2()
    let repository: any Repository2<Item2> = mock
    let (kept, dropped) = (Item2(title: "kept"), Item2(title: "dropped"))
    #expect(kept.id != dropped.id)
    try await repository.insert(kept)
    try await repository.insert(dropped)
    try await repository.delete(dropped)
    #expect(mock.insertCalled && mock.deleteCalled)
    #expect(try await repository.fetch(sortBy: []).map(\.title) == ["kept"])
    #expect(kept.modelContext == nil)
  }

  @Test("Two configurations keep their models in two files")
  func configurations() throws {
    let folder = try SeedFolder()
    let local = ModelConfiguration(
      "Local", schema: Schema([Cached2.self]), url: folder.store("local.store"), cloudKitDatabase: .none)
    let synced = ModelConfiguration(
      "Synced", schema: Schema([UserDocument2.self]), url: folder.store("synced.store"),
      cloudKitDatabase: .private("iCloud.com.example.app"))
    let container = try ModelContainer(for: Schema([Cached2.self, UserDocument2.self]), configurations: local, synced)
    let context = ModelContext(container)
    context.insert(Cached2(key: "k"))
    context.insert(UserDocument2(title: "t"))
    try context.save()
    #expect(container.configurations.count == 2)
    func tables(_ store: String) throws -> String {
      try folder.shell(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('Cached2', 'UserDocument2')", store: store)
    }
    #expect(try tables("local.store") == "Cached2")
    #expect(try tables("synced.store") == "UserDocument2")
    let unplaced = ModelConfiguration("Local", schema: Schema([Cached2.self]), cloudKitDatabase: .none)
    #expect(unplaced.url.lastPathComponent == "Local.store")
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
    let container = try open(UserDocument2.self)
    #expect(container.configurations.first?.cloudKitContainerIdentifier == "iCloud.com.example.app")
    let context = ModelContext(container)
    context.insert(UserDocument2(title: "kept"))
    try context.save()
    #expect(try ModelContext(open(UserDocument2.self)).fetch(FetchDescriptor<UserDocument2>()).map(\.title) == ["kept"])
    let error = #expect(throws: SwiftDataError.self) { try open(Item2.self) }
    #expect(error?.description.contains("identifier") == true)
    #expect(error?.description.contains("title") == true)
    #expect(!FileManager.default.fileExists(atPath: folder.store("Item2.store").path))
  }

  @Test("A dynamic query has a predicate or none")
  func dynamicQuery() throws {
    let context = ModelContext(try inMemory(Item2.self))
    for number in 0..<4 {
      let item = Item2(title: "\(number)")
      item.timestamp = Date(timeIntervalSince1970: Double(number))
      item.isCompleted = number % 2 == 0
      context.insert(item)
    }
    try context.save()
    func titles(showCompleted: Bool) throws -> [String] {
      let predicate: Predicate<Item2>? = showCompleted ? nil : #Predicate { $0.isCompleted == false }
      let descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.timestamp, order: .reverse)])
      return try context.fetch(descriptor).map(\.title)
    }
    #expect(try titles(showCompleted: true) == ["3", "2", "1", "0"])
    #expect(try titles(showCompleted: false) == ["3", "1"])
  }

  @Test("A merge of two versions of a document keeps the one that was modified last")
  func merging() throws {
    let context = ModelContext(try inMemory(Versioned2.self))
    let (mine, theirs) = (Versioned2(content: "mine", at: 1), Versioned2(content: "theirs", at: 2))
    context.insert(mine)
    context.insert(theirs)
    try context.save()
    #expect(mine.merge(with: theirs) === theirs && theirs.merge(with: mine) === theirs)
    mine.lastModified = Date(timeIntervalSince1970: 3)
    mine.version += 1
    #expect(mine.merge(with: theirs) === mine)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Versioned2>(predicate: #Predicate { $0.version > 1 })) == [mine])
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
    let saves = SaveCount(of: context)
    for number in 0..<100 { context.insert(Item2(title: number % 2 == 0 ? "even" : "odd")) }
    try context.save()
    #expect(saves.count == 1)
    let predicate: Predicate<Item2> = #Predicate { $0.title == "odd" }
    try context.delete(model: Item2.self, where: predicate)
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
    let folder = try SeedFolder()
    let types: [any PersistentModel.Type] = [TravelPlanner2.self, Trip2.self, BusinessTrip2.self, PersonalTrip2.self]
    let context = ModelContext(try folder.container(types))
    let planner = TravelPlanner2(name: "p")
    planner.trips = [
      BusinessTrip2(name: "fair", day: 1, purpose: "sales", expenseCode: "sales-1"),
      PersonalTrip2(name: "sea", day: 2, reason: "vacation"), PersonalTrip2(name: "aunt", day: 3, reason: "family"),
      Trip2(name: "somewhere", day: 4),
    ]
    context.insert(planner)
    try context.save()
    let fresh = ModelContext(try folder.container(types))
    let byStart = FetchDescriptor<Trip2>(sortBy: [SortDescriptor(\Trip2.startDate)])
    #expect(try fresh.fetch(byStart).map(\.name) == ["fair", "sea", "aunt", "somewhere"])
    let loaded = try #require(try fresh.fetch(FetchDescriptor<TravelPlanner2>()).first)
    #expect(loaded.trips.map { "\(type(of: $0))" } == ["BusinessTrip2", "PersonalTrip2", "PersonalTrip2", "Trip2"])
    #expect((loaded.trips[0] as? BusinessTrip2)?.purpose == "sales")
    #expect(try fresh.fetchCount(FetchDescriptor<Trip2>()) == 4)
    #expect(try fresh.fetch(FetchDescriptor<PersonalTrip2>()).map(\.reason) == ["vacation", "family"])
    let sales = FetchDescriptor<BusinessTrip2>(predicate: #Predicate { $0.purpose == "sales" && $0.name == "fair" })
    #expect(try fresh.fetch(sales).map(\.expenseCode) == ["sales-1"])
    let business = FetchDescriptor<Trip2>(predicate: #Predicate { $0 is BusinessTrip2 })
    #expect(try fresh.fetch(business).map(\.name) == ["fair"])
    let vacation = FetchDescriptor<Trip2>(
      predicate: #Predicate {
        if let personal = $0 as? PersonalTrip2 {
          return personal.reason == "vacation"
        }
        return false
      })
    #expect(try fresh.fetch(vacation).map(\.name) == ["sea"])
    fresh.delete(loaded)
    try fresh.save()
    #expect(try fresh.fetchCount(FetchDescriptor<Trip2>()) == 0)
  }

  @Test("A preview container is made for one model, with sample data in the main context")
  @MainActor func previewContainer() throws {
    func makePreviewContainer() throws -> ModelContainer {
      let config = ModelConfiguration(isStoredInMemoryOnly: true)
      let container = try ModelContainer(for: Item2.self, configurations: config)
      let context = container.mainContext
      context.insert(Item2(title: "Sample Item"))
      try context.save()
      return container
    }
    let (one, other) = (try makePreviewContainer(), try makePreviewContainer())
    one.mainContext.insert(Item2(title: "Only here"))
    try one.mainContext.save()
    #expect(try ModelContext(one).fetchCount(FetchDescriptor<Item2>()) == 2)
    #expect(try ModelContext(other).fetch(FetchDescriptor<Item2>()).map(\.title) == ["Sample Item"])
    #expect(one.schema.entitiesByName["Project2"] != nil)
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
