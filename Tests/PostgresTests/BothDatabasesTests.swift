import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

// Where the two databases answered differently.

private enum Alike {
  enum Size: Float, Codable { case small = 0.1, large = 3.4e38 }
  struct Box: Codable {
    var single: Float
    var double: Double
    var size: Size
  }
  @Model final class Sample {
    var number: Int
    var box: Box
    var singles: [Float]
    init(_ number: Int, _ value: Float) {
      self.number = number
      box = Box(single: value, double: Double(value), size: value < 1 ? .small : .large)
      singles = [value, 100]
    }
  }

  enum V1 {
    @Model final class App {
      var number: Int
      init(_ number: Int) { self.number = number }
    }
  }
  enum V2 {
    @Model final class App {
      var number: Int
      var id: UUID = UUID()
      var token: UUID? = UUID()
      var title: String? = "none"
      var remark: String?
      init(_ number: Int) { self.number = number }
    }
  }
  enum V3 {
    @Model final class App {
      var number: Int
      @Attribute(.unique) var id: UUID = UUID()
      init(_ number: Int) { self.number = number }
    }
  }

  enum Whole {
    @Model class Base {
      var number: Int
      init(_ number: Int) { self.number = number }
    }
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Model final class Sub: Base {
      var text: String = "s"
      override init(_ number: Int) { super.init(number) }
    }
  }
  enum Part {
    @Model class Base {
      var number: Int
      init(_ number: Int) { self.number = number }
    }
  }
}

private enum Unknown {
  @Model final class Article {
    var id: UUID = UUID()
    var name: String = ""
    init(_ name: String) { self.name = name }
  }

  enum First: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Article.self, Purchase.self] }
    @Model final class Article {
      @Attribute(.unique) var id: UUID = UUID()
      var name: String = ""
      @Relationship(inverse: \Purchase.article) var purchases: [Purchase] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Purchase {
      var article: Article?
      init() {}
    }
  }

  enum Second: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Article.self, Purchase.self] }
    @Model final class Article {
      @Attribute(.unique) var id: UUID = UUID()
      var name: String = ""
      var price: Int = 0
      @Relationship(inverse: \Purchase.article) var purchases: [Purchase] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Purchase {
      var article: Article?
      init() {}
    }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: First.self, toVersion: Second.self, willMigrate: nil,
          didMigrate: { context in
            for article in try context.fetch(FetchDescriptor<Second.Article>()) { article.price = 5 }
          })
      ]
    }
  }
}

/// Classes whose own `==` says that several of their objects are equal.
private enum Equals {
  @Model final class Person: Hashable {
    var name: String
    var age: Int
    var crowd: Crowd?
    @Relationship(inverse: \Person.friendOf) var friends: [Person] = []
    var friendOf: [Person] = []
    init(_ name: String, _ age: Int) { (self.name, self.age) = (name, age) }
    static func == (left: Person, right: Person) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }
  @Model final class Crowd {
    @Relationship(deleteRule: .cascade, inverse: \Person.crowd) var people: [Person] = []
    var likes: [Person] = []
    init() {}
  }
}

/// Lists that are indexed by a column.
private enum Places {
  @Model final class Shelf {
    var number: Int
    var position: Int?
    var small: Int
    var items: [Item] = []
    var words: [String]
    var notes: [String?]
    init(_ number: Int, _ position: Int?, words: [String] = [], notes: [String?] = []) {
      (self.number, self.position, self.words, self.notes) = (number, position, words, notes)
      small = position ?? 0
    }
  }
  @Model final class Item {
    var name: String
    var place: Int?
    @Relationship(inverse: \Shelf.items) var shelf: Shelf?
    init(_ name: String, _ place: Int? = nil) { (self.name, self.place) = (name, place) }
  }
}

@Suite("Both databases answer alike", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct BothDatabasesTests {
  enum Database: CaseIterable { case sqlite, postgres }

  /// A store of its own in one of the databases.
  private final class Place {
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent("Both-\(UUID().uuidString)")
    private let server = TestStore()
    private let database: Database
    init(_ database: Database) { self.database = database }
    deinit { try? FileManager.default.removeItem(at: file) }

    func open(
      _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)? = nil
    ) throws -> ModelContainer {
      switch database {
      case .postgres:
        return try ModelContainer(for: schema, migrationPlan: plan, configurations: [server.configuration])
      case .sqlite:
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        let configuration = ModelConfiguration(schema: schema, url: file.appendingPathComponent("a.store"))
        return try ModelContainer(for: schema, migrationPlan: plan, configurations: [configuration])
      }
    }

    func open(_ types: any PersistentModel.Type...) throws -> ModelContext {
      ModelContext(try open(Schema(types)))
    }
  }

  @Test("Members of type Float compare as in Swift", arguments: Database.allCases)
  func floats(database: Database) throws {
    let place = Place(database)
    let context = try place.open(Alike.Sample.self)
    let values: [Float] = [-0.7, 0.1, 1.5, 16_777_216, 3.4e38]
    for (number, value) in values.enumerated() { context.insert(Alike.Sample(number, value)) }
    try context.save()
    func numbers(_ predicate: Predicate<Alike.Sample>) throws -> [Int] {
      try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)])).map(\.number)
    }
    for (number, value) in values.enumerated() {
      #expect(try numbers(#Predicate { $0.box.single == value }) == [number])
      #expect(try numbers(#Predicate { $0.box.single < value }) == Array(0..<number))
      #expect(try numbers(#Predicate { $0.singles.contains(value) }) == [number])
      let double = Double(value)
      #expect(try numbers(#Predicate { $0.box.double == double }) == [number])
    }
    #expect(try numbers(#Predicate { $0.box.size.rawValue == 0.1 }) == [0, 1])
    let byMember = FetchDescriptor<Alike.Sample>(sortBy: [SortDescriptor(\.box.single, order: .reverse)])
    #expect(try context.fetch(byMember).map(\.number) == [4, 3, 2, 1, 0])
  }

  @Test(
    "A new property gets its default in each old row, and UUID() gives each another one", arguments: Database.allCases)
  func defaults(database: Database) throws {
    func seeded() throws -> Place {
      let place = Place(database)
      let context = try place.open(Alike.V1.App.self)
      for number in 0..<5 { context.insert(Alike.V1.App(number)) }
      try context.save()
      return place
    }
    let second = try seeded()
    let apps = try second.open(Alike.V2.App.self).fetch(FetchDescriptor<Alike.V2.App>())
    #expect(Set(apps.map(\.id)).count == 5)
    #expect(Set(apps.compactMap(\.token)).count == 5)
    #expect(apps.allSatisfy { $0.title == "none" && $0.remark == nil })
    let third = try seeded()
    let unique = try third.open(Alike.V3.App.self).fetch(FetchDescriptor<Alike.V3.App>())
    #expect(Set(unique.map(\.id)).count == 5)
  }

  @Test("A store whose tables are in no version of the plan is refused and left alone", arguments: Database.allCases)
  func unknownShape(database: Database) throws {
    let place = Place(database)
    let writer = try place.open(Unknown.Article.self)
    writer.insert(Unknown.Article("milk"))
    try writer.save()
    #expect(throws: SwiftDataError.unknownDataStoreSchema) {
      try place.open(Schema(versionedSchema: Unknown.Second.self), Unknown.Plan.self)
    }
    let context = try place.open(Unknown.Article.self)
    #expect(try context.fetch(FetchDescriptor<Unknown.Article>()).map(\.name) == ["milk"])
  }

  @Test("Models without a subclass that has rows are refused", arguments: Database.allCases)
  func missingSubclass(database: Database) throws {
    let place = Place(database)
    let writer = try place.open(Alike.Whole.Base.self, Alike.Whole.Sub.self)
    writer.insert(Alike.Whole.Base(1))
    writer.insert(Alike.Whole.Sub(2))
    try writer.save()
    let error = #expect(throws: SwiftDataError.self) { try place.open(Alike.Part.Base.self) }
    #expect("\(String(describing: error))".contains("Sub"))
    for sub in try writer.fetch(FetchDescriptor<Alike.Whole.Sub>()) { writer.delete(sub) }
    try writer.save()
    let context = try place.open(Alike.Part.Base.self)
    #expect(try context.fetch(FetchDescriptor<Alike.Part.Base>()).map(\.number) == [1])
  }

  @Test("Deletions of objects that are equal are undone one after the other", arguments: Database.allCases)
  func undo(database: Database) throws {
    let place = Place(database)
    let context = try place.open(Equals.Crowd.self, Equals.Person.self)
    let crowd = Equals.Crowd()
    context.insert(crowd)
    let people = [("A", 1), ("B", 4), ("B", 5), ("A", 10)].map { Equals.Person($0.0, $0.1) }
    for person in people { crowd.people.append(person) }
    people[1].friends = [people[2], people[3], people[0]]
    try context.save()
    // Turns the lists into faults, which the deletions load.
    context.rollback()
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    for person in people[1...2] {
      manager.beginUndoGrouping()
      context.delete(person)
      manager.endUndoGrouping()
    }
    try context.save()
    manager.undo()
    #expect(crowd.people.map(\.age).sorted() == [1, 5, 10])
    manager.undo()
    #expect(crowd.people.map(\.age).sorted() == [1, 4, 5, 10])
    try context.save()
    let stored = try ModelContext(context.container).fetch(FetchDescriptor<Equals.Crowd>())[0]
    #expect(stored.people.map(\.age).sorted() == [1, 4, 5, 10])
  }

  @Test(
    "A list is indexed by a column, an optional one too, and a missing index or member matches no row",
    arguments: Database.allCases)
  func indices(database: Database) throws {
    let place = Place(database)
    let context = try place.open(Places.Shelf.self, Places.Item.self)
    let positions: [Int?] = [nil, 0, 1, 2, 3, -1, .max, .min]
    for (number, position) in positions.enumerated() {
      let shelf = Places.Shelf(
        number, position, words: ["a", "b", "c"], notes: number.isMultiple(of: 2) ? ["a", nil] : [nil, "b", nil])
      context.insert(shelf)
      // In another order than that of their names.
      shelf.items = [Places.Item("c", 1), Places.Item("a"), Places.Item("b", 0)]
    }
    context.insert(Places.Shelf(100, 0))
    try context.save()
    let none: Int? = nil
    let one = 1
    let predicates: [Predicate<Places.Shelf>] = [
      #Predicate { $0.items[$0.position!].name == "c" },
      #Predicate { $0.items[$0.position!].name != "c" },
      #Predicate { !($0.items[$0.position!].name == "c") },
      #Predicate { $0.number > 3 || $0.items[$0.position!].name == "c" },
      #Predicate { $0.items[$0.position ?? 1].name == "a" },
      #Predicate { $0.items[$0.small].name == "a" },
      #Predicate { $0.items[$0.items.count - 1].name == "b" },
      #Predicate { $0.items[$0.items[$0.small].place!].name == "a" },
      #Predicate { $0.items[$0.small].place == nil },
      #Predicate { $0.items[$0.small].place != nil },
      #Predicate { $0.items.filter { $0.name != "c" }[$0.small].name == "a" },
      #Predicate { $0.items[one].name == "a" },
      #Predicate { $0.items[none!].name == "c" },
      #Predicate { $0.words[$0.small] == "b" },
      #Predicate { $0.words[$0.position!] == "a" },
      #Predicate { $0.words[$0.position!] != "a" },
      #Predicate { $0.words[one] == "b" },
      #Predicate { $0.notes[$0.small] == nil },
      #Predicate { $0.notes[$0.position!] == "b" },
      #Predicate { $0.notes[$0.position!] != "b" },
    ]
    let shelves = try context.fetch(FetchDescriptor<Places.Shelf>(sortBy: [SortDescriptor(\.number)]))
    for (index, predicate) in predicates.enumerated() {
      let expected = shelves.filter { (try? predicate.evaluate($0)) ?? false }.map(\.number)
      let descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)])
      #expect(try context.fetch(descriptor).map(\.number) == expected, "predicate \(index)")
      #expect(try context.fetchCount(descriptor) == expected.count, "predicate \(index)")
    }
  }
}
