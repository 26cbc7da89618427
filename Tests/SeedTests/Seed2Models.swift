import Foundation
import SwiftData

// The models, repositories and actors of the tests of document 2, in its shapes.

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
  var destination: String
  var startDate: Date
  var endDate: Date

  init(name: String, day: Double) {
    self.name = name
    self.destination = name + " town"
    self.startDate = Date(timeIntervalSince1970: day * 86_400)
    self.endDate = Date(timeIntervalSince1970: (day + 1) * 86_400)
  }
}

@Model
class BusinessTrip2: Trip2 {
  var purpose: String
  var expenseCode: String

  init(name: String, day: Double, purpose: String, expenseCode: String) {
    self.purpose = purpose
    self.expenseCode = expenseCode
    super.init(name: name, day: day)
  }
}

@Model
class PersonalTrip2: Trip2 {
  var reason: String

  init(name: String, day: Double, reason: String) {
    self.reason = reason
    super.init(name: name, day: day)
  }
}

@Model
final class Versioned2 {
  var content: String
  var lastModified: Date
  var deviceID: String
  var version: Int

  init(content: String, at seconds: Double) {
    self.content = content
    self.lastModified = Date(timeIntervalSince1970: seconds)
    self.deviceID = content
    self.version = 1
  }

  func merge(with other: Versioned2) -> Versioned2 { lastModified > other.lastModified ? self : other }
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

// Document 2 leaves the protocol without an isolation, which Swift 6 refuses for an implementation on the main actor:
// models are not Sendable, so they cannot cross over to it.
@MainActor
protocol Repository2<T>: Sendable {
  associatedtype T: PersistentModel

  func fetch(predicate: Predicate<T>?, sortBy: [SortDescriptor<T>]) async throws -> [T]
  func fetchOne(predicate: Predicate<T>) async throws -> T?
  func insert(_ item: T) async throws
  func delete(_ item: T) async throws
  func save() async throws
}

extension Repository2 {
  func fetch(sortBy: [SortDescriptor<T>] = []) async throws -> [T] {
    try await fetch(predicate: nil, sortBy: sortBy)
  }
}

@MainActor
final class SwiftDataRepository2<T: PersistentModel>: Repository2 {
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
    try await save()
  }
  func delete(_ item: T) async throws {
    modelContext.delete(item)
    try await save()
  }
  func save() async throws { try modelContext.save() }
}

@MainActor
final class MockItemRepository2: Repository2 {
  typealias T = Item2

  var items: [Item2] = []
  var insertCalled = false
  var deleteCalled = false

  func fetch(predicate: Predicate<Item2>?, sortBy: [SortDescriptor<Item2>]) async throws -> [Item2] { items }
  func fetchOne(predicate: Predicate<Item2>) async throws -> Item2? { items.first }
  func insert(_ item: Item2) async throws {
    insertCalled = true
    items.append(item)
  }
  func delete(_ item: Item2) async throws {
    deleteCalled = true
    items.removeAll { $0.id == item.id }
  }
  func save() async throws {}
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
