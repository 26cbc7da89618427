import Foundation
import SwiftData
import Testing

private enum First: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Book.self] }
  @Model final class Book {
    var title: String
    init(title: String) { self.title = title }
  }
}

private enum Second: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Book.self] }
  @Model final class Book {
    var title: String
    var pages = 0
    init(title: String) { self.title = title }
  }
}

private enum Plan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
  static var stages: [MigrationStage] { [.lightweight(fromVersion: First.self, toVersion: Second.self)] }
}

/// A widget, or a test, often names only the models of a store that the app opens with a plan.
@Suite("A container of models alone, without a version and a plan") struct WithoutPlanTests {
  private let store: TemporaryStore

  init() throws {
    store = try TemporaryStore()
    let context = ModelContext(try planned())
    context.insert(Second.Book(title: "T"))
    try context.save()
  }

  private func planned() throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: Second.self), migrationPlan: Plan.self,
      configurations: ModelConfiguration(url: store.url))
  }

  @Test("opens a store of a later version with the same models, and leaves it its version", arguments: [false, true])
  func same(allowsSave: Bool) throws {
    let configuration = ModelConfiguration(url: store.url, allowsSave: allowsSave)
    for schema in [Schema([Second.Book.self]), Schema(Second.Book.self)] {
      let container = try ModelContainer(for: schema, configurations: configuration)
      #expect(container.migrations.allSatisfy { $0.steps.isEmpty })
      #expect(try ModelContext(container).fetch(FetchDescriptor<Second.Book>()).map(\.title) == ["T"])
    }
    let context = ModelContext(try ModelContainer(for: Second.Book.self, configurations: configuration))
    #expect(try context.fetchCount(FetchDescriptor<Second.Book>()) == 1)
    #expect(try planned().migrations.allSatisfy { $0.steps.isEmpty })
    #expect(try store.shell("SELECT value FROM _swiftdata WHERE key = 'version'").contains("2"))
  }

  @Test("is refused a store of a later version whose models differ, with a remedy for each cause")
  func other() throws {
    let error = #expect(throws: SwiftDataError.newerSchema) {
      try ModelContainer(for: First.Book.self, configurations: ModelConfiguration(url: store.url))
    }
    #expect(error?.description.contains("2.0.0") == true)
    #expect(error?.description.contains("versionedSchema") == true)
    #expect(try store.shell("SELECT title, pages FROM Book") == "T|0")
  }

  @Test("gives a store of its own no more than the first version")
  func own() throws {
    let other = try TemporaryStore()
    _ = try other.container(First.Book.self)
    let container = try ModelContainer(
      for: Schema(versionedSchema: Second.self), migrationPlan: Plan.self,
      configurations: ModelConfiguration(url: other.url))
    #expect(container.migrations.first?.steps.map(\.toVersion) == [Schema.Version(2, 0, 0)])
  }
}
