// Opens a store that version 1 wrote with version 2 of the models. A custom stage splits names.
import Foundation
import SwiftData

enum SchemaV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Person.self] }

  @Model final class Person {
    var name: String
    init(name: String) { self.name = name }
  }
}

enum SchemaV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Person.self] }

  @Model final class Person {
    @Attribute(originalName: "name") var fullName: String
    var family: String = ""
    init(fullName: String) { self.fullName = fullName }
  }
}

enum Plan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [SchemaV1.self, SchemaV2.self] }
  static var stages: [MigrationStage] { [split] }

  /// Runs after the columns changed, in the same transaction: a failure leaves the file at version 1.
  static let split = MigrationStage.custom(
    fromVersion: SchemaV1.self, toVersion: SchemaV2.self, willMigrate: nil
  ) { context in
    for person in try context.fetch(FetchDescriptor<SchemaV2.Person>()) {
      person.family = person.fullName.split(separator: " ").last.map(String.init) ?? ""
    }
    try context.save()
  }
}

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("migration-example-\(UUID())")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let file = ModelConfiguration(url: folder.appendingPathComponent("people.store"))

do {
  let container = try ModelContainer(for: Schema(versionedSchema: SchemaV1.self), configurations: file)
  let context = ModelContext(container)
  for name in ["Ada Lovelace", "Grace Hopper"] { context.insert(SchemaV1.Person(name: name)) }
  try context.save()
}

let container = try ModelContainer(
  for: Schema(versionedSchema: SchemaV2.self), migrationPlan: Plan.self, configurations: file)
let people = FetchDescriptor<SchemaV2.Person>(sortBy: [SortDescriptor(\.family)])
for person in try ModelContext(container).fetch(people) { print("\(person.family): \(person.fullName)") }
