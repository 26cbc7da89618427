import Foundation
import SwiftData
import Testing

private enum V1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Person.self] }

  @Model final class Person {
    var name: String
    var visits: [Visit] = []
    init(name: String) { self.name = name }
  }

  @Model final class Visit {
    var day: Int
    init(day: Int) { self.day = day }
  }
}

private enum V2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Person.self] }

  @Model final class Person {
    @Attribute(.unique) var name: String
    var note: String?
    @Relationship(deleteRule: .cascade, inverse: \Visit.person) var visits: [Visit] = []
    init(name: String) { self.name = name }
  }

  @Model final class Visit {
    var day: Int
    var person: Person?
    init(day: Int) { self.day = day }
  }
}

private enum V3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Person.self] }

  @Model final class Person {
    @Attribute(.unique) var name: String
    var first: String = ""
    var last: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Visit.person) var visits: [Visit] = []
    init(name: String) { self.name = name }
  }

  @Model final class Visit {
    var day: Int
    var person: Person?
    init(day: Int) { self.day = day }
  }
}

/// What a stage's closures saw, or are to do.
private enum Stages {
  @TaskLocal static var fault: (@Sendable (String) throws -> Void)?

  /// People of one name become one, which keeps all visits.
  static func mergeNamesakes(_ context: ModelContext) throws {
    let people = try context.fetch(FetchDescriptor<V1.Person>(sortBy: [SortDescriptor(\.name)]))
    for (_, namesakes) in Dictionary(grouping: people, by: \.name) {
      for other in namesakes.dropFirst() {
        namesakes[0].visits += other.visits
        context.delete(other)
      }
    }
    try context.save()
    try fault?("willMigrate")
  }

  static func splitNames(_ context: ModelContext) throws {
    for person in try context.fetch(FetchDescriptor<V3.Person>()) {
      let parts = person.name.split(separator: " ", maxSplits: 1)
      person.first = String(parts[0])
      person.last = parts.count > 1 ? String(parts[1]) : ""
    }
    try context.save()
    try fault?("didMigrate")
  }
}

private enum Plan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V3.self] }
  static var stages: [MigrationStage] { [merge, split] }
  static let merge = MigrationStage.custom(
    fromVersion: V1.self, toVersion: V2.self, willMigrate: Stages.mergeNamesakes, didMigrate: nil)
  static let split = MigrationStage.custom(
    fromVersion: V2.self, toVersion: V3.self, willMigrate: nil, didMigrate: Stages.splitNames)
}

private enum PlanOfTwo: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
  static var stages: [MigrationStage] { [Plan.merge] }
}

@Suite struct MigrationPlanTests {
  private struct Fault: Error {}

  private func open(
    _ store: TemporaryStore, _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = Plan.self
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: version), migrationPlan: plan, configurations: [ModelConfiguration(url: store.url)])
  }

  private func fill(_ store: TemporaryStore, plan: (any SchemaMigrationPlan.Type)? = Plan.self) throws {
    let context = ModelContext(try open(store, V1.self, plan))
    for (name, days) in [("Ada Lovelace", [1, 2]), ("Alan", [3]), ("Ada Lovelace", [4])] {
      let person = V1.Person(name: name)
      context.insert(person)
      person.visits = days.map { V1.Visit(day: $0) }
    }
    try context.save()
  }

  private func expectNewest(_ container: ModelContainer) throws {
    let people = try ModelContext(container).fetch(FetchDescriptor<V3.Person>(sortBy: [SortDescriptor(\.name)]))
    #expect(people.map(\.first) == ["Ada", "Alan"])
    #expect(people.map(\.last) == ["Lovelace", ""])
    #expect(people.map { $0.visits.map(\.day) } == [[1, 2, 4], [3]])
    #expect(people[0].visits.map { $0.person === people[0] } == [true, true, true])
  }

  @Test("A chain of versions runs from the oldest to the newest: willMigrate over old models, didMigrate over new ones")
  func chain() throws {
    let store = try TemporaryStore()
    try fill(store)
    let container = try open(store, V3.self)
    #expect(container.migrations.first?.steps.map(\.isCustom) == [true, true])
    #expect(container.migrations.first?.steps.map(\.toVersion.major) == [2, 3])
    try expectNewest(container)
    #expect(try store.shell("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
    let again = try open(store, V3.self)
    #expect(again.migrations.isEmpty)
    try expectNewest(again)
  }

  @Test("A chain starts at any of its versions, and ends at that of the container")
  func middle() throws {
    let store = try TemporaryStore()
    try fill(store)
    let second = try open(store, V2.self)
    #expect(second.migrations.first?.steps.count == 1)
    let people = try ModelContext(second).fetch(FetchDescriptor<V2.Person>(sortBy: [SortDescriptor(\.name)]))
    #expect(people.map { $0.visits.map(\.day) } == [[1, 2, 4], [3]])
    let third = try open(store, V3.self)
    #expect(third.migrations.first?.steps.map(\.fromVersion.major) == [2])
    try expectNewest(third)
  }

  @Test("A store that was made without a plan is known by its shape")
  func withoutPlan() throws {
    let store = try TemporaryStore()
    try fill(store, plan: nil)
    try expectNewest(try open(store, V3.self))
  }

  @Test(
    "A container for the models themselves, as most apps make it, is known by their shape", arguments: [true, false])
  func namedModels(isNew: Bool) throws {
    let store = try TemporaryStore()
    if !isNew { try fill(store) }
    let container = try ModelContainer(
      for: V3.Person.self, migrationPlan: Plan.self, configurations: ModelConfiguration(url: store.url))
    if !isNew { try expectNewest(container) }
    // The store has the plan's version and not the number that a list of models gets.
    #expect(try store.shell("SELECT value FROM _swiftdata WHERE key = 'version'").contains("\"major\":3"))
  }

  @Test(
    "A stage that throws leaves the old version whole, and the next try succeeds",
    arguments: ["willMigrate", "didMigrate"])
  func fault(place: String) throws {
    let store = try TemporaryStore()
    try fill(store)
    #expect(throws: Fault.self) {
      try Stages.$fault.withValue({ if $0 == place { throw Fault() } }) { _ = try open(store, V3.self) }
    }
    let people = try ModelContext(try open(store, V1.self)).fetch(FetchDescriptor<V1.Person>())
    #expect(people.map(\.name) == ["Ada Lovelace", "Alan", "Ada Lovelace"])
    #expect(people.map { $0.visits.map(\.day) } == [[1, 2], [3], [4]])
    try expectNewest(try open(store, V3.self))
  }

  @Test("An older program is told both versions, and the store stays as it is")
  func backward() throws {
    let store = try TemporaryStore()
    try fill(store)
    _ = try open(store, V3.self)
    let error = #expect(throws: SwiftDataError.backwardMigration) { try open(store, V2.self) }
    #expect(error?.description.contains("version 3.0.0") == true)
    #expect(error?.description.contains("version 2.0.0") == true)
    // A plan that does not know the version at all.
    let newer = #expect(throws: SwiftDataError.newerSchema) { try open(store, V2.self, PlanOfTwo.self) }
    #expect(newer?.description.contains("3.0.0") == true)
    try expectNewest(try open(store, V3.self))
  }

  @Test("A store of a schema that is not in the plan is refused with the differences named")
  func unknown() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Artist.self))
    context.insert(Artist(name: "A"))
    try context.save()
    let error = #expect(throws: SwiftDataError.unknownDataStoreSchema) { try open(store, V3.self) }
    #expect(error?.description.contains("Artist: the model is removed") == true)
    #expect(error?.description.contains("Person: the model is new") == true)
    #expect(try store.shell("SELECT count(*) FROM Artist") == "1")
  }

  @Test("Models that are no version of the plan are refused with the differences named")
  func foreignModels() throws {
    let store = try TemporaryStore()
    let error = #expect(throws: SwiftDataError.unknownSchema) {
      try ModelContainer(
        for: Artist.self, migrationPlan: Plan.self, configurations: ModelConfiguration(url: store.url))
    }
    #expect(error?.description.contains("not a version of Plan") == true)
  }

  @Test(
    "An object that leaves its stage keeps its values, and what needs the store is an error and no trap",
    arguments: [false, true])
  func escaping(isFailing: Bool) throws {
    let store = try TemporaryStore()
    try fill(store)
    // Safe: the stage runs on this thread, before the lines that read it.
    nonisolated(unsafe) var kept: [(ModelContext, V1.Person)] = []
    enum Keeping {
      @TaskLocal static var keep: (@Sendable (ModelContext) throws -> Void)?
    }
    enum KeepingPlan: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
      static var stages: [MigrationStage] {
        [
          .custom(
            fromVersion: V1.self, toVersion: V2.self,
            willMigrate: { context in
              try Keeping.keep?(context)
              try Stages.mergeNamesakes(context)
            }, didMigrate: nil)
        ]
      }
    }
    func migrate() throws {
      try Keeping.$keep.withValue({ context in
        kept = try context.fetch(FetchDescriptor<V1.Person>()).map { (context, $0) }
        if isFailing { throw Fault() }
      }) { _ = try open(store, V2.self, KeepingPlan.self) }
    }
    if isFailing { #expect(throws: Fault.self) { try migrate() } } else { try migrate() }
    #expect(kept.map(\.1.name).sorted() == ["Ada Lovelace", "Ada Lovelace", "Alan"])
    let error = #expect(throws: SwiftDataError.missingContainer) {
      try kept[0].0.fetch(FetchDescriptor<V1.Person>())
    }
    #expect(error?.description.contains("after the stage") == true)
  }
}
