import Foundation
import SwiftData
import Testing

@Suite("Article: Coming from Realm")
struct ComingFromRealm {
  @Model
  final class Person {
    @Attribute(.unique) var id: UUID
    var name: String
    var address: Address?
    @Relationship(inverse: \Dog.owner) var dogs: [Dog] = []

    init(id: UUID = UUID(), name: String) {
      self.id = id
      self.name = name
    }
  }

  @Model
  final class Dog {
    var name: String
    var age: Int
    var owner: Person?

    init(name: String, age: Int) {
      self.name = name
      self.age = age
    }
  }

  struct Address: Codable {
    var city: String
    var street: String
  }

  @Test("A write transaction is a save, and there is no other place in which objects may change")
  func writing() throws {
    let container = try memoryContainer(Person.self)
    let context = ModelContext(container)

    let ann = Person(name: "Ann")
    ann.dogs.append(Dog(name: "Rex", age: 3))
    ann.address = Address(city: "Bern", street: "Marktgasse")
    context.insert(ann)
    try context.save()

    ann.name = "Anna"
    context.rollback()
    #expect(ann.name == "Ann")

    context.insert(Person(id: ann.id, name: "Anne"))
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Person>()).map(\.name) == ["Anne"])
    let inBern = FetchDescriptor<Person>(predicate: #Predicate { $0.address?.city == "Bern" })
    #expect(try context.fetchCount(inBern) == 0, "the insert replaced all properties")
  }

  @Test("A query is a fetch, and a live one a loop", .timeLimit(.minutes(20)))
  func queries() async throws {
    let container = try memoryContainer(Person.self)
    let context = ModelContext(container)
    context.insert(Dog(name: "Rex", age: 3))
    context.insert(Dog(name: "Bo", age: 5))
    try context.save()

    let old = FetchDescriptor<Dog>(
      predicate: #Predicate { $0.age > 2 && $0.name.hasPrefix("R") },
      sortBy: [SortDescriptor(\.age, order: .reverse)])
    print(try context.fetch(old).map(\.name))  // ["Rex"]

    #expect(try context.fetch(old).map(\.name) == ["Rex"])
    async let saved: Void = container.perform { other in
      other.insert(Dog(name: "Rocky", age: 9))
      try other.save()
    }

    for try await update in context.values(for: old) {
      for change in update.changes {
        switch change {
        case .insert(let dog, let index): print("insert \(dog.name) at \(index)")
        case .delete(_, let index): print("delete at \(index)")
        case .move(_, let from, let to): print("move from \(from) to \(to)")
        case .update(let dog, let index): print("update \(dog.name) at \(index)")
        }
      }
      if update.results.count > 1 { break }
    }

    try await saved
    #expect(try context.fetch(old).map(\.name) == ["Rocky", "Rex"])
  }

  @Test("An identifier crosses threads, as a thread-safe reference does")
  func references() async throws {
    let container = try memoryContainer(Person.self)
    let context = ModelContext(container)
    let ann = Person(name: "Ann")
    context.insert(ann)
    try context.save()

    let id = ann.persistentModelID
    let name = try await container.perform { context in
      (context.model(for: id) as? Person)?.name
    }

    #expect(name == "Ann")
  }

  @Test("Objects can be read after they were deleted, and after their context is gone")
  func invalidation() throws {
    let container = try memoryContainer(Person.self)
    var context: ModelContext? = ModelContext(container)
    let dog = Dog(name: "Rex", age: 3)
    context?.insert(dog)
    try context?.save()
    context?.delete(dog)
    try context?.save()
    context = nil
    #expect(dog.name == "Rex")
  }
}
