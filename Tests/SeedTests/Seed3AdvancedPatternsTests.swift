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
    let (_, statements) = try SQLTrace.record {
      try context.fetch(FetchDescriptor<Task3>(predicate: #Predicate { $0.projectID == project }))
    }
    #expect(statements.count == 1)
  }

  @Test("One-to-many with inverse, and many-to-many with the delete rule none")
  func relationships() throws {
    let container = try inMemory(Project3.self, Tag3.self)
    let context = ModelContext(container)
    let project = Project3(name: "p")
    let task = Task3(title: "t")
    let tag = Tag3(name: "x")
    context.insert(project)
    project.tasks.append(task)
    task.tags.append(tag)
    #expect(task.project === project && tag.tasks.first === task)
    try context.save()
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
    let tasks = try ModelContext(container).fetch(descriptor)
    #expect(tasks.map(\.title) == ["1", "2", "3", "4", "6", "7"])
    #expect(tasks.allSatisfy { $0.newName == "n" })
  }

  @Test("Inserting an object with a known unique id updates the stored one")
  func upsert() throws {
    let context = ModelContext(try inMemory(ServerEntity3.self))
    context.insert(ServerEntity3(serverID: "s", title: "old"))
    try context.save()
    context.insert(ServerEntity3(serverID: "s", title: "From Server"))
    try context.save()
    #expect(try context.fetch(FetchDescriptor<ServerEntity3>()).map(\.title) == ["From Server"])
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
    #expect(statements.count == 3)
    project.tasks[0].title = "New Title"
    context.rollback()
    #expect(project.tasks[0].title == "0")
    #expect(project.tasks.allSatisfy { $0.completed })
  }

  @Test("Sample data in a shared container in memory")
  @MainActor func sampleData() throws {
    let context = SampleData3.shared.modelContainer.mainContext
    #expect(try context.fetch(FetchDescriptor<Project3>()).map(\.name) == ["Podcast"])
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

@Model
final class Project3 {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Task3.project)
  var tasks: [Task3] = []
  init(name: String) { self.name = name }
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
    let schema = Schema([Project3.self, Task3.self])
    let config = ModelConfiguration(isStoredInMemoryOnly: true)
    do {
      modelContainer = try ModelContainer(for: schema, configurations: [config])
      context.insert(Project3(name: "Podcast"))
      try context.save()
    } catch {
      fatalError("Failed: \(error)")
    }
  }
}
