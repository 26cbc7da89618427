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
  @Model final class Secret {
    @Attribute(.allowsCloudEncryption) var text: String = ""
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

@Suite("A new store that is refused")
struct RefusedNewStoreTests {
  private let store: TemporaryStore
  private var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: store.folder.path).sorted()) ?? []
  }

  init() throws { store = try TemporaryStore() }

  private func isRefused(_ body: () throws -> ModelContainer) {
    #expect(throws: SwiftDataError.self) { _ = try body() }
    #expect(names.isEmpty)
  }

  @Test("leaves no file, whatever the reason")
  func reasons() throws {
    isRefused { try store.container(Models.Twin.self) }
    isRefused { try store.container(Models.Page.self, allowsSave: false) }
    isRefused { try store.container(Models.Secret.self) { $0.encryptionKey = nil } }
    isRefused {
      try ModelContainer(
        for: Schema([Models.Page.self]), migrationPlan: Plan.self, configurations: ModelConfiguration(url: store.url))
    }
    #expect(throws: SwiftDataError.self) { try ModelConfiguration.EncryptionKey(Data(count: 31)) }
    #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Models.Page.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: "/proc/new.store")))
    }
    #expect(names.isEmpty)
  }

  @Test("can be made by the same program with other models")
  func again() throws {
    #expect(throws: SwiftDataError.self) { try store.container(Models.Twin.self) }
    let context = ModelContext(try store.container(Models.Page.self))
    context.insert(Models.Page(1))
    try context.save()
    #expect(try ModelContext(store.container(Models.Page.self)).fetchCount(FetchDescriptor<Models.Page>()) == 1)
  }

  @Test("leaves no file of another store of its container")
  func several() throws {
    isRefused {
      try ModelContainer(
        for: Schema([Models.Page.self, Models.Twin.self]),
        configurations: [
          ModelConfiguration("pages", schema: Schema([Models.Page.self]), url: store.url),
          ModelConfiguration(
            "twins", schema: Schema([Models.Twin.self]), url: store.folder.appendingPathComponent("twins.store")),
        ])
    }
  }

  @Test("leaves a file alone that was there before")
  func former() throws {
    try Data().write(to: store.url)
    #expect(throws: SwiftDataError.self) { try store.container(Models.Twin.self) }
    #expect(names.first == "test.store")
    try FileManager.default.removeItem(at: store.url)
    _ = try store.container(Models.Page.self)
    let before = try Data(contentsOf: store.url)
    #expect(throws: SwiftDataError.self) { try store.container(Models.Twin.self) }
    #expect(try Data(contentsOf: store.url) == before)
  }

  @Test("leaves the file in which another process made a store meanwhile")
  func meanwhile() throws {
    // The file is there, and has no table.
    let refused = try StoreFile.open(ModelConfiguration(url: store.url))
    do {
      let context = ModelContext(try store.container(Models.Page.self))
      // The other container is open.
      refused.refuse()
      context.insert(Models.Page(1))
      try context.save()
    }
    #expect(try ModelContext(store.container(Models.Page.self)).fetchCount(FetchDescriptor<Models.Page>()) == 1)
  }

  @Test("leaves the file in which another process saved meanwhile")
  func savedMeanwhile() throws {
    let refused = try StoreFile.open(ModelConfiguration(url: store.url))
    do {
      let context = ModelContext(try store.container(Models.Page.self))
      context.insert(Models.Page(1))
      try context.save()
    }
    refused.refuse()
    #expect(try ModelContext(store.container(Models.Page.self)).fetchCount(FetchDescriptor<Models.Page>()) == 1)
  }
}
