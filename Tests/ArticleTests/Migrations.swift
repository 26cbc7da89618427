import Foundation
import SwiftData
import Testing

@Suite("Article: Migrations")
struct Migrations {
  enum SchemaV1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Person.self] }

    @Model
    final class Person {
      var name: String

      init(name: String) { self.name = name }
    }
  }

  enum SchemaV2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Person.self] }

    @Model
    final class Person {
      @Attribute(originalName: "name") var fullName: String
      var family: String = ""

      init(fullName: String) { self.fullName = fullName }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [SchemaV1.self, SchemaV2.self] }
    static var stages: [MigrationStage] { [addFamilyNames] }

    static let addFamilyNames = MigrationStage.custom(
      fromVersion: SchemaV1.self, toVersion: SchemaV2.self, willMigrate: nil
    ) { context in
      for person in try context.fetch(FetchDescriptor<SchemaV2.Person>()) {
        person.family = person.fullName.split(separator: " ").last.map(String.init) ?? ""
      }
    }
  }

  enum Later {
    @Model
    final class Person {
      @Attribute(originalName: "name") var fullName: String
      var nickname: String?
      var token: UUID = UUID()

      init(fullName: String) { self.fullName = fullName }
    }
  }

  enum Strict {
    @Model
    final class Person {
      var name: Int

      init(name: Int) { self.name = name }
    }
  }

  private let folder: TemporaryFolder
  private var file: URL { folder.file("people.store") }

  init() throws {
    folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Schema(versionedSchema: SchemaV1.self), configurations: ModelConfiguration(url: folder.file("people.store")))
    let context = ModelContext(container)
    for name in ["Ada Lovelace", "Grace Hopper"] { context.insert(SchemaV1.Person(name: name)) }
    try context.save()
  }

  @Test("Without a plan a new property gets its default, and a renamed one keeps its values")
  func lightweight() throws {
    let container = try ModelContainer(for: Later.Person.self, configurations: ModelConfiguration(url: file))
    for summary in container.migrations { print(summary) }

    let people = try ModelContext(container).fetch(
      FetchDescriptor<Later.Person>(sortBy: [SortDescriptor(\.fullName)]))
    #expect(people.map(\.fullName) == ["Ada Lovelace", "Grace Hopper"])
    #expect(people.allSatisfy { $0.nickname == nil })
    #expect(people[0].token != people[1].token, "the default is evaluated for each row")
    #expect(Set(container.migrations.flatMap(\.steps).flatMap(\.changes).map(\.kind)) == [.added, .renamed])
  }

  @Test("A stage of a plan runs code over the new models")
  func plan() throws {
    let container = try ModelContainer(
      for: Schema(versionedSchema: SchemaV2.self),
      migrationPlan: Plan.self,
      configurations: ModelConfiguration(url: file))

    let people = try ModelContext(container).fetch(
      FetchDescriptor<SchemaV2.Person>(sortBy: [SortDescriptor(\.family)]))
    #expect(people.map(\.family) == ["Hopper", "Lovelace"])
    #expect(container.migrations.flatMap(\.steps).map(\.isCustom) == [true])
  }

  @Test("A preview says what would be done, and does nothing")
  func preview() throws {
    let preview = try ModelContainer.migrationPreview(
      for: Schema(versionedSchema: SchemaV2.self),
      migrationPlan: Plan.self,
      configurations: [ModelConfiguration(url: file)])
    for summary in preview { print(summary) }

    #expect(preview.flatMap(\.steps).count == 1)
    let old = try ModelContainer(
      for: Schema(versionedSchema: SchemaV1.self), configurations: ModelConfiguration(url: file))
    #expect(old.migrations.isEmpty)
    #expect(try ModelContext(old).fetchCount(FetchDescriptor<SchemaV1.Person>()) == 2)
  }

  @Test("A change that would lose values is refused, and leaves the file as it was")
  func refusal() throws {
    let preview = try ModelContainer.migrationPreview(
      for: Schema([Strict.Person.self]), configurations: [ModelConfiguration(url: file)])
    #expect(preview.flatMap(\.refusals).map(\.property) == ["name"])
    let error = #expect(throws: SwiftDataError.self) {
      _ = try ModelContainer(for: Strict.Person.self, configurations: ModelConfiguration(url: file))
    }
    #expect(error?.description.contains("name") == true)
    let old = try ModelContainer(
      for: Schema(versionedSchema: SchemaV1.self), configurations: ModelConfiguration(url: file))
    #expect(try ModelContext(old).fetch(FetchDescriptor<SchemaV1.Person>()).map(\.name).count == 2)
  }

  @Test("A program with an older version is refused")
  func older() throws {
    _ = try ModelContainer(
      for: Schema(versionedSchema: SchemaV2.self), migrationPlan: Plan.self,
      configurations: ModelConfiguration(url: file))
    #expect(throws: SwiftDataError.newerSchema) {
      _ = try ModelContainer(
        for: Schema(versionedSchema: SchemaV1.self), configurations: ModelConfiguration(url: file))
    }
    #expect(throws: SwiftDataError.backwardMigration) {
      _ = try ModelContainer(
        for: Schema(versionedSchema: SchemaV1.self), migrationPlan: Plan.self,
        configurations: ModelConfiguration(url: file))
    }
  }

  @Test("A stage that throws leaves the old version")
  func failure() throws {
    enum Failing: SchemaMigrationPlan {
      struct Fault: Error {}
      static var schemas: [any VersionedSchema.Type] { [SchemaV1.self, SchemaV2.self] }
      static var stages: [MigrationStage] {
        [
          .custom(fromVersion: SchemaV1.self, toVersion: SchemaV2.self, willMigrate: nil) { context in
            for person in try context.fetch(FetchDescriptor<SchemaV2.Person>()) { person.family = "lost" }
            try context.save()
            throw Fault()
          }
        ]
      }
    }
    #expect(throws: (any Error).self) {
      _ = try ModelContainer(
        for: Schema(versionedSchema: SchemaV2.self), migrationPlan: Failing.self,
        configurations: ModelConfiguration(url: file))
    }
    let old = try ModelContainer(
      for: Schema(versionedSchema: SchemaV1.self), configurations: ModelConfiguration(url: file))
    #expect(old.migrations.isEmpty)
  }
}
