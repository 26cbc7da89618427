import Foundation
import SwiftData
import Testing

@Suite("Article: Coming from Core Data")
struct ComingFromCoreData {
  @Model
  final class Employee {
    @Attribute(.unique) var badge: Int
    var name: String
    var salary: Int = 0
    var isActive: Bool = true
    var department: Department?

    init(badge: Int, name: String) {
      self.badge = badge
      self.name = name
    }
  }

  @Model
  final class Department {
    var title: String
    @Relationship(deleteRule: .nullify, inverse: \Employee.department) var employees: [Employee] = []

    init(title: String) { self.title = title }
  }

  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try memoryContainer(Employee.self)
    context = ModelContext(container)
    let research = Department(title: "Research")
    for number in 0..<10 {
      let employee = Employee(badge: number, name: "name \(9 - number)")
      employee.salary = number * 100
      employee.department = number < 4 ? research : nil
      context.insert(employee)
    }
    try context.save()
  }

  @Test("A fetch request becomes a descriptor")
  func fetching() throws {
    let minimum = 200
    let wellPaid = FetchDescriptor<Employee>(
      predicate: #Predicate { $0.salary >= minimum && $0.department?.title == "Research" },
      sortBy: [SortDescriptor(\.name)])
    for employee in try context.fetch(wellPaid) { print(employee.name) }

    #expect(try context.fetch(wellPaid).map(\.badge) == [3, 2])
  }

  @Test("A background task becomes a block of perform, with identifiers instead of objects")
  func background() async throws {
    let ids = try await container.perform { context in
      let temporary = Employee(badge: 99, name: "Zoe")
      context.insert(temporary)
      try context.save()
      return [temporary.persistentModelID]
    }
    let names = ids.compactMap { (context.model(for: $0) as? Employee)?.name }

    #expect(names == ["Zoe"])
  }

  @Test("Batch requests become calls of the context")
  func batches() throws {
    let more = (100..<200).map { Employee(badge: $0, name: "new") }
    context.insert(contentsOf: more)
    try context.save()
    try context.update(
      model: Employee.self, where: #Predicate { $0.badge >= 150 }, set: .assign(\.isActive, false))
    try context.delete(model: Employee.self, where: #Predicate { !$0.isActive })
    try context.save()

    #expect(try context.fetchCount(FetchDescriptor<Employee>()) == 60)
  }

  @Test("A fetched results controller becomes an observer")
  @MainActor func observer() throws {
    let container = try memoryContainer(Employee.self)
    let context = container.mainContext
    context.autosaveEnabled = false

    let observer = try ResultsObserver<Employee, Never>(
      filterBy: #Predicate { $0.isActive }, sortBy: [SortDescriptor(\.name)], modelContext: context)
    print(observer.results.count)

    context.insert(Employee(badge: 1, name: "a"))
    #expect(observer.results.map(\.name) == ["a"])
  }

  @Test("Grouped expressions become aggregates")
  func aggregates() throws {
    let byDepartment = try context.fetch(
      FetchDescriptor<Employee>(), groupedBy: \.department?.title, computing: .count, .average(\.salary))
    for (title, count, salary) in byDepartment { print(title ?? "none", count, salary ?? 0) }

    #expect(byDepartment.count == 2)
    #expect(byDepartment.first { $0.0 == "Research" }?.1 == 4)
  }

  @Test("Undo works as with an undo manager of Core Data")
  func undo() throws {
    context.undoManager = UndoManager()
    let employee = try #require(try context.fetch(FetchDescriptor<Employee>()).first)
    context.delete(employee)
    context.processPendingChanges()
    context.undoManager?.undo()
    #expect(!employee.isDeleted)
    #expect(try context.fetchCount(FetchDescriptor<Employee>()) == 10)
  }
}
