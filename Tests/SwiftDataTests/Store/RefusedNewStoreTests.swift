import Foundation
import Testing

@testable import SwiftData

private enum Models {
  @Model final class Page {
    var number: Int
    init(_ number: Int) { self.number = number }
  }
  /// SQLite cannot tell the two columns apart.
  @Model final class Twin {
    var text: String = ""
    var Text: String = ""
    init() {}
  }
}

private enum Planned: VersionedSchema {
  @Model final class Planned {
    var number: Int = 0
    init() {}
  }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Planned.self] }
}

private enum Plan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Planned.self] }
  static var stages: [MigrationStage] { [] }
}

@Suite("A new store whose models are refused")
struct RefusedNewStoreTests {
  private let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: store.folder.path) }
  }

  private func isRefused(_ body: () throws -> ModelContainer) throws {
    #expect(throws: SwiftDataError.self) { _ = try body() }
    #expect(try names == [])
  }

  @Test("leaves no file, whatever the reason")
  func reasons() throws {
    try isRefused { try store.container(Models.Twin.self) }
    try isRefused { try store.container(Models.Page.self, allowsSave: false) }
    // The plan does not know the models.
    try isRefused {
      try ModelContainer(
        for: Schema([Models.Page.self]), migrationPlan: Plan.self, configurations: ModelConfiguration(url: store.url))
    }
  }

  @Test("leaves no file of another store of its container")
  func several() throws {
    try isRefused {
      try ModelContainer(
        for: Schema([Models.Page.self, Models.Twin.self]),
        configurations: ModelConfiguration("pages", schema: Schema([Models.Page.self]), url: store.url),
        ModelConfiguration(
          "twins", schema: Schema([Models.Twin.self]), url: store.folder.appendingPathComponent("twins.store")))
    }
  }

  @Test("can be made by the same program with other models")
  func again() throws {
    try isRefused { try store.container(Models.Twin.self) }
    let context = ModelContext(try store.container(Models.Page.self))
    context.insert(Models.Page(1))
    try context.save()
    #expect(try ModelContext(store.container(Models.Page.self)).fetchCount(FetchDescriptor<Models.Page>()) == 1)
  }

  @Test("leaves a file as it is that was there before")
  func former() throws {
    try Data().write(to: store.url)
    #expect(throws: SwiftDataError.self) { try store.container(Models.Twin.self) }
    #expect(try names == ["test.store"])
    #expect(try Data(contentsOf: store.url).isEmpty)
    do { _ = try store.container(Models.Page.self) }
    let before = try Data(contentsOf: store.url)
    #expect(throws: SwiftDataError.self) { try store.container(Models.Twin.self) }
    #expect(try Data(contentsOf: store.url) == before)
  }
}
