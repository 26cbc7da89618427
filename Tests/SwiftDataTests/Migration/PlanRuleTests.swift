import Foundation
import SwiftData
import Testing

private enum V1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Person.self] }

  @Model final class Person {
    var name: String
    init(name: String) { self.name = name }
  }
}

private enum V2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Person.self] }

  @Model final class Person {
    var name: String
    var length: Int = 0
    init(name: String) { self.name = name }
  }
}

private enum V3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Person.self] }

  @Model final class Person {
    var name: String
    var length: Int = 0
    var note: String?
    init(name: String) { self.name = name }
  }
}

private func measure(_ context: ModelContext) throws {
  for person in try context.fetch(FetchDescriptor<V2.Person>()) { person.length = person.name.count }
}

/// Only the newest version is named; the stage names the other.
private enum StagesOnly: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [V2.self] }
  static var stages: [MigrationStage] {
    [.custom(fromVersion: V1.self, toVersion: V2.self, willMigrate: nil, didMigrate: { try measure($0) })]
  }
}

private enum NewestFirst: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [V3.self, V2.self, V1.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: V2.self, toVersion: V3.self),
      .custom(fromVersion: V1.self, toVersion: V2.self, willMigrate: nil, didMigrate: { try measure($0) }),
    ]
  }
}

private enum Nameless: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [] }
  static var stages: [MigrationStage] { [] }
}

/// It leads back, too.
private enum Back: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [V3.self, V1.self, V2.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: V2.self, toVersion: V1.self),
      .custom(
        fromVersion: V3.self, toVersion: V2.self,
        willMigrate: { context in
          for person in try context.fetch(FetchDescriptor<V3.Person>()) { person.name += "/" + (person.note ?? "-") }
        }, didMigrate: nil),
      .lightweight(fromVersion: V1.self, toVersion: V2.self),
    ]
  }
}

@Suite("A migration plan")
struct PlanRuleTests {
  private func open(
    _ store: TemporaryStore, _ schema: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)?
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: schema), migrationPlan: plan, configurations: ModelConfiguration(url: store.url)))
  }

  private func fill(_ store: TemporaryStore) throws {
    let context = try open(store, V1.self, nil)
    context.insert(V1.Person(name: "Ada"))
    try context.save()
  }

  @Test("knows the versions that only its stages name", arguments: [false, true])
  func stagesOnly(_ hasAllSchemas: Bool) throws {
    let store = try TemporaryStore()
    try fill(store)
    let context = try open(store, V2.self, hasAllSchemas ? NewestFirst.self : StagesOnly.self)
    #expect(try context.fetch(FetchDescriptor<V2.Person>()).map(\.length) == [3])
  }

  @Test("finds its way whatever the order of its schemas")
  func order() throws {
    let store = try TemporaryStore()
    try fill(store)
    let context = try open(store, V3.self, NewestFirst.self)
    #expect(try context.fetch(FetchDescriptor<V3.Person>()).map(\.length) == [3])
    #expect(
      context.container.migrations.flatMap(\.steps).map(\.toVersion) == [V2.versionIdentifier, V3.versionIdentifier])
  }

  @Test("leads back over the stages that do")
  func back() throws {
    let store = try TemporaryStore()
    do {
      let context = try open(store, V3.self, Back.self)
      context.insert(V3.Person(name: "Ada"))
      try context.save()
    }
    let context = try open(store, V1.self, Back.self)
    #expect(try context.fetch(FetchDescriptor<V1.Person>()).map(\.name) == ["Ada/-"])
    let versions = context.container.migrations.flatMap(\.steps).map(\.toVersion)
    #expect(versions == [V2.versionIdentifier, V1.versionIdentifier])
  }

  @Test("says that no stages lead back where none do, and touches nothing")
  func noWayBack() throws {
    let store = try TemporaryStore()
    try fill(store)
    _ = try open(store, V3.self, NewestFirst.self)
    let error = #expect(throws: SwiftDataError.backwardMigration) { try open(store, V1.self, NewestFirst.self) }
    #expect(error?.description.contains("no stages of the plan lead from the one to the other") == true)
    #expect(try open(store, V3.self, NewestFirst.self).fetchCount(FetchDescriptor<V3.Person>()) == 1)
  }

  @Test("that names no schemas is refused with what to add")
  func noSchemas() throws {
    let store = try TemporaryStore()
    let error = #expect(throws: SwiftDataError.unknownSchema) { try open(store, V1.self, Nameless.self) }
    #expect(error?.description.contains("Nameless names no schemas") == true)
    #expect(error?.description.contains("static var schemas") == true)
    #expect(error?.description.contains("nothing but the version") == false)
  }
}
