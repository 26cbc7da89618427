import Foundation
import SwiftData
import Testing

/// Advanced patterns: attribute synonyms, constraints, descriptors, upsert, rollback.
@Suite struct Seed3AdvancedPatternsTests {
  @Test("Attribute synonyms: indexed makes an index, transient stores nothing, originalName is kept in the schema")
  func synonyms() throws {
    let folder = try SeedFolder()
    let container = try folder.container([Task3.self])
    let context = ModelContext(container)
    let task = Task3(title: "t")
    task.tempValue = 5
    task.image = Data(repeating: 1, count: 10)
    context.insert(task)
    try context.save()
    let loaded = try #require(try ModelContext(container).fetch(FetchDescriptor<Task3>()).first)
    #expect(loaded.tempValue == 0)
    #expect(loaded.newName == "n" && loaded.image == task.image)
    let attributes = try #require(container.schema.entitiesByName["Task3"]?.attributesByName)
    #expect(attributes["newName"]?.originalName == "old_name")
    let project = task.projectID
    let (found, statements) = try SQLTrace.record {
      try context.fetch(FetchDescriptor<Task3>(predicate: #Predicate { $0.projectID == project }))
    }
    #expect(found == [task])
    #expect(try folder.plan(of: #require(statements.first)).contains("USING INDEX"))
    let columns = try folder.shell("SELECT group_concat(name) FROM pragma_table_info('Task3')").split(separator: ",")
    #expect(columns.contains("newName") && columns.contains("projectID"))
    #expect(!columns.contains("tempValue"))
  }

  @Test("One-to-many with inverse, and many-to-many with the delete rule none")
  func relationships() throws {
    let folder = try SeedFolder()
    let container = try folder.container([Project3.self, Tag3.self])
    let context = ModelContext(container)
    let project = Project3(name: "p")
    let task = Task3(title: "t")
    let tag = Tag3(name: "x")
    context.insert(project)
    project.tasks.append(task)
    task.tags.append(tag)
    #expect(task.project === project && tag.tasks.first === task)
    try context.save()
    let again = ModelContext(try folder.container([Project3.self, Tag3.self]))
    let stored = try #require(try again.fetch(FetchDescriptor<Task3>()).first)
    #expect(stored.project?.name == "p" && stored.tags.map(\.name) == ["x"] && stored.tags[0].tasks == [stored])
    context.delete(tag)
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Task3>()).first?.tags.isEmpty == true)
    context.delete(project)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Task3>()) == 0)
  }

  @Test("Relationship constraints are checked by the save")
  func constraints() throws {
    let context = ModelContext(try inMemory(Sprint3.self))
    let sprint = Sprint3()
    context.insert(sprint)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    sprint.stories = (0..<11).map { Story3(number: $0) }
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    sprint.stories.removeLast()
    try context.save()
  }

  @Test("A dynamic predicate combines captured conditions")
  func dynamicPredicate() throws {
    let context = ModelContext(try inMemory(Task3.self))
    for number in 0..<4 {
      let task = Task3(title: "\(number)")
      task.completed = number % 2 == 0
      task.priority = number
      context.insert(task)
    }
    func titles(showCompleted: Bool, minimum: Int) throws -> [String] {
      let descriptor = FetchDescriptor<Task3>(
        predicate: #Predicate { task in
          (showCompleted || !task.completed) && (minimum == 0 || task.priority >= minimum)
        }, sortBy: [SortDescriptor(\.priority, order: .reverse), SortDescriptor(\.dueDate)])
      return try context.fetch(descriptor).map(\.title)
    }
    #expect(try titles(showCompleted: true, minimum: 0) == ["3", "2", "1", "0"])
    #expect(try titles(showCompleted: false, minimum: 2) == ["3"])
    try context.save()
    #expect(try titles(showCompleted: true, minimum: 0) == ["3", "2", "1", "0"])
    #expect(try titles(showCompleted: false, minimum: 2) == ["3"])
  }

  @Test("A compound search combines a text, an optional enum and a minimum, each of which may be absent")
  func compoundPredicate() throws {
    let context = ModelContext(try inMemory(Task3.self))
    for (title, domain, priority) in [("Buy milk", Domain3.home, 1), ("Call", .work, 2), ("Plan", .home, 3)] {
      let task = Task3(title: title)
      task.notes = title == "Call" ? "about milk" : ""
      task.domain = domain
      task.priority = priority
      context.insert(task)
    }
    try context.save()
    func titles(_ text: String, _ domain: Domain3?, _ minimum: Int) throws -> [String] {
      let found = #Predicate<Task3> { task in
        let matchesSearch =
          text.isEmpty || task.title.localizedStandardContains(text) || task.notes.localizedStandardContains(text)
        let matchesDomain = domain == nil || task.domain == domain
        let matchesPriority = minimum == 0 || task.priority >= minimum
        return matchesSearch && matchesDomain && matchesPriority
      }
      return try context.fetch(FetchDescriptor(predicate: found, sortBy: [SortDescriptor(\.priority)])).map(\.title)
    }
    #expect(try titles("", nil, 0) == ["Buy milk", "Call", "Plan"])
    #expect(try titles("milk", nil, 0) == ["Buy milk", "Call"])
    #expect(try titles("", .home, 0) == ["Buy milk", "Plan"])
    #expect(try titles("milk", .work, 2) == ["Call"])
    #expect(try titles("milk", .home, 2) == [])
  }

  @Test("Optional dates with force unwraps, a limit, and a partial fetch")
  func upcoming() throws {
    let container = try inMemory(Task3.self)
    let setup = ModelContext(container)
    let now = Date.now
    for day in -2..<12 {
      let task = Task3(title: "\(day)")
      task.dueDate = day % 5 == 0 ? nil : now.addingTimeInterval(Double(day) * 86_400)
      setup.insert(task)
    }
    try setup.save()
    let nextWeek = now.addingTimeInterval(7 * 86_400)
    var descriptor = FetchDescriptor<Task3>(
      predicate: #Predicate { task in
        task.dueDate != nil && task.dueDate! >= now && task.dueDate! <= nextWeek
      },
      sortBy: [SortDescriptor(\.dueDate)])
    descriptor.fetchLimit = 20
    descriptor.propertiesToFetch = [\.title, \.dueDate]
    let context = ModelContext(container)
    let (tasks, statements) = try SQLTrace.record { try context.fetch(descriptor) }
    #expect(tasks.map(\.title) == ["1", "2", "3", "4", "6", "7"])
    #expect(statements.count == 1 && !statements[0].contains("newName"))
    #expect(tasks.allSatisfy { $0.newName == "n" })
  }

  @Test("Inserting an object with a known unique id updates the stored one, also after the store was closed")
  func upsert() throws {
    let folder = try SeedFolder()
    func receive(_ id: String, _ title: String) throws -> PersistentIdentifier {
      let context = ModelContext(try folder.container([ServerEntity3.self]))
      let entity = ServerEntity3(serverID: id, title: title)
      context.insert(entity)
      try context.save()
      #expect(
        try context.fetch(FetchDescriptor<ServerEntity3>(predicate: #Predicate { $0.serverID == id })) == [entity])
      return entity.persistentModelID
    }
    let first = try receive("s", "old")
    #expect(try receive("s", "From Server") == first)
    #expect(try receive("t", "Another") != first)
    let context = ModelContext(try folder.container([ServerEntity3.self]))
    let all = try context.fetch(FetchDescriptor<ServerEntity3>(sortBy: [SortDescriptor(\.serverID)]))
    #expect(all.map(\.title) == ["From Server", "Another"])
  }

  @Test("A batch of changes through a relationship is one save, and rollback reverts what was not saved")
  func batchAndRollback() throws {
    let context = ModelContext(try inMemory(Project3.self))
    let project = Project3(name: "p")
    project.tasks = (0..<3).map { Task3(title: "\($0)") }
    context.insert(project)
    try context.save()
    for task in project.tasks { task.completed = true }
    let (_, statements) = try SQLTrace.record { try context.save() }
    #expect(statements.count { $0.hasPrefix("UPDATE") } == 3)
    project.tasks[0].title = "New Title"
    context.rollback()
    #expect(project.tasks[0].title == "0")
    #expect(project.tasks.allSatisfy { $0.completed })
  }

  @Test("A save that fails is caught and rolled back; the stored values are back in memory")
  func rollbackAfterFailure() throws {
    let container = try inMemory(Sprint3.self)
    let context = ModelContext(container)
    let sprint = Sprint3()
    sprint.stories = [Story3(number: 1)]
    context.insert(sprint)
    try context.save()
    do {
      sprint.goal = "New goal"
      sprint.stories.append(contentsOf: (2...11).map { Story3(number: $0) })
      try context.save()
      Issue.record("eleven stories are one too many")
    } catch {
      context.rollback()
    }
    #expect(sprint.goal == "" && sprint.stories.map(\.number) == [1])
    #expect(!context.hasChanges)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Story3>()) == 1)
  }

  @Test("A container is made from an array of models, with a CloudKit database whose rules it checks")
  func cloudKit() throws {
    func open(_ types: [any PersistentModel.Type]) throws -> ModelContainer {
      let config = ModelConfiguration(
        isStoredInMemoryOnly: true, cloudKitDatabase: .private("iCloud.com.example.tasks"))
      return try ModelContainer(for: types, configurations: [config])
    }
    let container = try open([Bookmark3.self])
    #expect(container.configurations.first?.cloudKitContainerIdentifier == "iCloud.com.example.tasks")
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) { try open([ServerEntity3.self]) }
    #expect(error?.description.contains("ServerEntity3.title") == true)
    #expect(error?.description.contains("uniqueness of these: ServerEntity3.serverID") == true)
    #expect(error?.description.contains("localID") == false)
  }

  @Test("Sample data in a shared container in memory")
  @MainActor func sampleData() throws {
    let context = SampleData3.shared.modelContainer.mainContext
    let projects = try context.fetch(FetchDescriptor<Project3>())
    #expect(projects.map(\.name) == ["Podcast"])
    #expect(projects.first?.organization?.name == "Hacker Valley")
  }
}

// MARK: - Models

@Model
final class Task3 {
  @Attribute(.unique) var id: UUID
  @Attribute(.spotlight) var title: String
  @Attribute(.transient) var tempValue: Int = 0
  @Attribute(.externalStorage) var image: Data?
  @Attribute(.indexed) var projectID: UUID
  @Attribute(.originalName("old_name")) var newName: String
  var notes = ""
  var domain: Domain3? = Domain3.home
  var completed = false
  var priority = 0
  var dueDate: Date?
  var project: Project3?
  @Relationship(deleteRule: .none, inverse: \Tag3.tasks)
  var tags: [Tag3] = []

  init(title: String) {
    self.id = UUID()
    self.title = title
    self.projectID = UUID()
    self.newName = "n"
  }
}

enum Domain3: String, Codable {
  case home, work
}

@Model
final class Organization3 {
  var name: String
  init(name: String) { self.name = name }
}

@Model
final class Project3 {
  var name: String
  var organization: Organization3?
  @Relationship(deleteRule: .cascade, inverse: \Task3.project)
  var tasks: [Task3] = []

  init(name: String, organization: Organization3? = nil) {
    self.name = name
    self.organization = organization
  }
}

@Model
final class Bookmark3 {
  var title = ""
  var note: String?
  init() {}
}

@Model
final class Tag3 {
  var name: String
  @Relationship(deleteRule: .none)
  var tasks: [Task3] = []
  init(name: String) { self.name = name }
}

@Model
final class Sprint3 {
  @Relationship(deleteRule: .cascade, minimumModelCount: 1, maximumModelCount: 10, inverse: \Story3.sprint)
  var stories: [Story3] = []
  var goal = ""
  init() {}
}

@Model
final class Story3 {
  var number: Int
  var sprint: Sprint3?
  init(number: Int) { self.number = number }
}

@Model
final class ServerEntity3 {
  @Attribute(.unique) var serverID: String
  var localID: UUID = UUID()
  var title: String
  init(serverID: String, title: String) {
    self.serverID = serverID
    self.title = title
  }
}

@MainActor
final class SampleData3 {
  static let shared = SampleData3()
  let modelContainer: ModelContainer
  var context: ModelContext { modelContainer.mainContext }

  private init() {
    let schema = Schema([Organization3.self, Project3.self, Task3.self])
    let config = ModelConfiguration(isStoredInMemoryOnly: true)
    do {
      modelContainer = try ModelContainer(for: schema, configurations: [config])
      let organization = Organization3(name: "Hacker Valley")
      context.insert(organization)
      context.insert(Project3(name: "Podcast", organization: organization))
      try context.save()
    } catch {
      fatalError("Failed: \(error)")
    }
  }
}
