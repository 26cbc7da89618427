import Foundation
import SwiftData
import SwiftDataTesting
import Testing

@Suite("Article: Predicates")
struct Predicates {
  enum Status: String, Codable {
    case pending, active, done
  }

  @Model
  final class Task {
    var title: String
    var status: Status
    var due: Date?
    var points: Int
    var project: Project?
    var isLarge: Bool { points > 5 }

    init(title: String, status: Status = .pending, due: Date? = nil, points: Int = 1) {
      self.title = title
      self.status = status
      self.due = due
      self.points = points
    }
  }

  @Model
  final class Project {
    var name: String
    @Relationship(inverse: \Task.project) var tasks: [Task] = []

    init(name: String) { self.name = name }
  }

  private let context: ModelContext

  init() throws {
    context = ModelContext(try memoryContainer(Task.self))
    let house = Project(name: "House")
    let garden = Project(name: "Garden")
    house.tasks = [
      Task(title: "Paint the door", status: .active, due: .distantPast, points: 3),
      Task(title: "Fix the roof", status: .pending, due: .distantFuture, points: 8),
      Task(title: "Buy paint", status: .done, points: 1),
    ]
    garden.tasks = [Task(title: "Mow the lawn", points: 2)]
    context.insert(house)
    context.insert(garden)
    try context.save()
  }

  private func titles(_ predicate: Predicate<Task>) throws -> [String] {
    let all = try context.fetch(FetchDescriptor<Task>())
    let found = try context.fetch(FetchDescriptor(predicate: predicate))
    #expect(try found == all.filter { try predicate.evaluate($0) })
    return found.map(\.title).sorted()
  }

  @Test("Enum cases, optionals and texts are compared as in Swift")
  func values() throws {
    let now = Date.now

    let pending = #Predicate<Task> { $0.status == .pending }
    let overdue = #Predicate<Task> { $0.due != nil && $0.due! < now }
    let paint = #Predicate<Task> { $0.title.localizedStandardContains("PAINT") }
    let early = #Predicate<Task> { [.pending, .active].contains($0.status) && $0.title.hasPrefix("F") }

    #expect(try titles(pending) == ["Fix the roof", "Mow the lawn"])
    #expect(try titles(overdue) == ["Paint the door"])
    #expect(try titles(paint) == ["Buy paint", "Paint the door"])
    #expect(try titles(early) == ["Fix the roof"])
    let unset: Date? = nil
    #expect(try titles(#Predicate { $0.due != now }).count == 4, "nil differs from every value, as in Swift")
    #expect(try titles(#Predicate { $0.due == unset }) == ["Buy paint", "Mow the lawn"])
  }

  @Test("Several statements make one predicate")
  func statements() throws {
    let now = Date.now

    let urgent = #Predicate<Task> { task in
      guard let due = task.due else { return false }
      switch task.status {
      case .done: return false
      case .active: return due < now
      case .pending: return task.points > 5
      }
    }

    #expect(try titles(urgent) == ["Fix the roof", "Paint the door"])
  }

  @Test("Relationships are followed in both directions, and the store does it in one statement")
  func relationships() throws {
    let inHouse = #Predicate<Task> { $0.project?.name == "House" }
    let unfinished = #Predicate<Project> { $0.tasks.contains { $0.status != .done } }
    let large = #Predicate<Project> { $0.tasks.filter { $0.points > 2 }.count >= 2 }

    #expect(try titles(inHouse).count == 3)
    let found = try StatementTrace.record {
      try context.fetch(FetchDescriptor(predicate: large)).map(\.name)
    }
    #expect(found.result == ["House"] && found.statements.count == 1)
    #expect(try context.fetchCount(FetchDescriptor(predicate: unfinished)) == 2)
  }

  @Test("Predicates are built from captured values and from other predicates")
  func composition() throws {
    let words: String? = "the"
    let minimum = 3

    let matchesText = #Predicate<Task> { words == nil || $0.title.contains(words!) }
    let isLarge = #Predicate<Task> { $0.points >= minimum }
    let both = #Predicate<Task> { matchesText.evaluate($0) && isLarge.evaluate($0) }

    #expect(try titles(both) == ["Fix the roof", "Paint the door"])

    let tags = ["roof", "door"]

    let tagged = Predicate<Task>(any: tags.map { tag in #Predicate { $0.title.contains(tag) } })

    #expect(try titles(tagged) == ["Fix the roof", "Paint the door"])
  }

  @Test("A captured range with its bounds in the wrong order matters only where the condition needs it")
  func impossibleRange() throws {
    for (count, number) in [(0, 4), (2, 2), (-1, 0)] {

      let few = #Predicate<Task> { count == 0 || (1...count).contains($0.points) }

      #expect(try context.fetchCount(FetchDescriptor(predicate: few)) == number)
    }
  }

  @Test("An expression computes a value in the store")
  func expressions() throws {
    let open = #Expression<Project, Int> { $0.tasks.count { $0.status != .done } }
    let busy = #Predicate<Project> { open.evaluate($0) > 1 }

    #expect(try context.fetch(FetchDescriptor(predicate: busy)).map(\.name) == ["House"])
  }

  @Test("A sort leads through relationships, and nil comes first")
  func sorting() throws {
    let descriptor = FetchDescriptor<Task>(sortBy: [
      SortDescriptor(\.project?.name),
      SortDescriptor(\.due, order: .reverse),
    ])

    let order = ["Mow the lawn", "Fix the roof", "Paint the door", "Buy paint"]
    #expect(try context.fetch(descriptor).map(\.title) == order)
  }

  @Test("A computed property in a predicate is an error that names it")
  func unsupported() throws {
    let large = #Predicate<Task> { $0.isLarge }

    let error = #expect(throws: SwiftDataError.transientProperty) {
      _ = try context.fetch(FetchDescriptor(predicate: large))
    }
    #expect(error?.description.contains("isLarge") == true)
  }

  @Test("Long conditions compile when the parameter has a type")
  func longConditions() throws {
    let now = Date.now

    let long = #Predicate { (task: Task) in
      task.status == .pending && task.points > 1 && task.points < 100 && task.title != "" && task.due != now
        && task.project?.name != "Attic"
    }

    #expect(try titles(long) == ["Fix the roof", "Mow the lawn"])
  }

  @Composite struct Address: Codable {
    var city: String
    var number: Int?
  }

  @Test("A struct with @Composite is stored under the names of its properties")
  func composite() throws {
    let address = try JSONDecoder().decode(Address.self, from: Data(#"{"city":"Bern","number":7}"#.utf8))
    #expect(address.city == "Bern")
    #expect(address.number == 7)
  }
}
