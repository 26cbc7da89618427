import Foundation
import SwiftData
import Testing

private enum Split {
  @Model final class Setting {
    @Attribute(.unique) var key: String
    var value: String
    init(key: String, value: String) { (self.key, self.value) = (key, value) }
  }

  @Model final class Draft {
    var text: String
    @Relationship(deleteRule: .cascade, inverse: \Note.draft) var notes: [Note] = []
    init(text: String) { self.text = text }
  }

  @Model final class Note {
    var text: String
    var draft: Draft?
    init(text: String) { self.text = text }
  }
}

extension Split {
  @Model final class Other {
    init() {}
  }
}

/// Several configurations in one container: each model has the store that names it.
@Suite struct SeveralStoresTests {
  private let folder: TemporaryStore
  private var settingsURL: URL { folder.folder.appendingPathComponent("settings.store") }

  init() throws { folder = try TemporaryStore() }

  private func container(settingsAllowSave: Bool = true, throwing: Bool = false) throws -> ModelContainer {
    var settings = ModelConfiguration(
      "settings", schema: Schema([Split.Setting.self]), url: settingsURL, allowsSave: settingsAllowSave)
    if throwing { settings.uniquenessPolicy = .reject }
    let drafts = ModelConfiguration("drafts", schema: Schema([Split.Draft.self]), url: folder.url)
    return try ModelContainer(
      for: Schema([Split.Setting.self, Split.Draft.self]), configurations: drafts, settings)
  }

  @Test("Each model is in the store whose configuration names it, and one context serves both")
  func split() throws {
    let container = try container()
    let context = ModelContext(container)
    context.insert(Split.Setting(key: "k", value: "v"))
    let draft = Split.Draft(text: "d")
    draft.notes = [Split.Note(text: "n")]
    context.insert(draft)
    try context.save()
    #expect(try folder.shell("SELECT text FROM Draft UNION SELECT text FROM Note ORDER BY 1") == "d\nn")
    #expect(try folder.shell("SELECT count(*) FROM sqlite_master WHERE name = 'Setting'") == "0")
    let reader = ModelContext(try self.container())
    #expect(try reader.fetch(FetchDescriptor<Split.Setting>()).map(\.value) == ["v"])
    #expect(try reader.fetch(FetchDescriptor<Split.Draft>()).first?.notes.map(\.text) == ["n"])
    let identifiers = try [
      #require(reader.fetchIdentifiers(FetchDescriptor<Split.Setting>()).first),
      #require(reader.fetchIdentifiers(FetchDescriptor<Split.Draft>()).first),
    ]
    #expect(identifiers[0].storeIdentifier != identifiers[1].storeIdentifier)
    #expect((reader.model(for: identifiers[0]) as? Split.Setting)?.key == "k")
    #expect((reader.model(for: identifiers[1]) as? Split.Draft)?.text == "d")
  }

  @Test("A container says which configuration opened which store")
  func names() throws {
    let container = try container()
    let identifiers = ["settings", "drafts"].map(container.storeIdentifier)
    #expect(Set(identifiers.compactMap(\.self)).count == 2)
    #expect(identifiers.map { $0.flatMap(container.configurationName) } == ["settings", "drafts"])
    #expect(container.storeIdentifier(forConfigurationNamed: "none") == nil)
    #expect(container.configurationName(forStoreIdentifier: "none") == nil)
  }

  @Test("A save that one store refuses writes nothing to the other", arguments: [true, false])
  func refusal(readOnly: Bool) throws {
    do {
      let setup = ModelContext(try container())
      setup.insert(Split.Setting(key: "k", value: "old"))
      setup.insert(Split.Draft(text: "old"))
      try setup.save()
    }
    let context = ModelContext(try container(settingsAllowSave: !readOnly, throwing: true))
    let draft = try #require(try context.fetch(FetchDescriptor<Split.Draft>()).first)
    draft.text = "new"
    let second = Split.Draft(text: "second")
    context.insert(second)
    let clash = Split.Setting(key: "k", value: "new")
    context.insert(clash)
    let expected = readOnly ? SwiftDataError.storeReadOnly : SwiftDataError.uniquenessViolation
    #expect(throws: expected) { try context.save() }
    #expect(try folder.shell("SELECT text FROM Draft") == "old")
    #expect(second.persistentModelID.isTemporary && context.hasChanges)
    context.delete(clash)
    try context.save()
    #expect(try folder.shell("SELECT text FROM Draft ORDER BY _pk") == "new\nsecond")
    #expect(try ModelContext(container()).fetch(FetchDescriptor<Split.Setting>()).map(\.value) == ["old"])
  }

  @Test("deleteAllData and erase reach every store")
  func erasing() throws {
    let container = try container()
    let context = ModelContext(container)
    context.insert(Split.Setting(key: "k", value: "v"))
    context.insert(Split.Draft(text: "d"))
    try context.save()
    container.deleteAllData()
    let reader = ModelContext(container)
    #expect(try reader.fetchCount(FetchDescriptor<Split.Setting>()) == 0)
    #expect(try reader.fetchCount(FetchDescriptor<Split.Draft>()) == 0)
    try container.erase()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.folder.path).isEmpty)
  }

  @Test("A store in memory needs no name beside another, as configurations that name only their models have it")
  func unnamedInMemory() throws {
    for file in [nil, folder.url] {
      let first =
        file.map { ModelConfiguration("default", schema: Schema([Split.Setting.self]), url: $0) }
        ?? ModelConfiguration(for: Split.Setting.self, isStoredInMemoryOnly: true)
      let second = ModelConfiguration(for: Split.Draft.self, isStoredInMemoryOnly: true)
      let context = ModelContext(
        try ModelContainer(for: Split.Setting.self, Split.Draft.self, configurations: first, second))
      context.insert(Split.Setting(key: "k", value: "v"))
      context.insert(Split.Draft(text: "d"))
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Split.Draft>()) == 1)
    }
    #expect(try folder.shell("SELECT value FROM Setting") == "v")
    #expect(try folder.shell("SELECT count(*) FROM sqlite_master WHERE name = 'Draft'") == "0")
    let whole = ModelConfiguration(isStoredInMemoryOnly: true)
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(for: Split.Setting.self, configurations: whole, whole)
    }
  }

  @Test("erase leaves a file that is only read, alone or beside a store that is written")
  func erasingPacks() throws {
    let drafts = Schema([Split.Draft.self])
    let pack = folder.folder.appendingPathComponent("pack.store")
    _ = try ModelContainer(for: drafts, configurations: ModelConfiguration("pack", schema: drafts, url: pack))
    let read = ModelConfiguration("pack", schema: drafts, url: pack, allowsSave: false)
    let alone = try ModelContainer(for: drafts, configurations: read)
    #expect(throws: SwiftDataError.storeReadOnly) { try alone.erase() }
    #expect(try ModelContext(alone).fetchCount(FetchDescriptor<Split.Draft>()) == 0)
    let both = try ModelContainer(
      for: drafts, configurations: read, ModelConfiguration("own", schema: drafts, url: folder.url))
    try both.erase()
    #expect(!FileManager.default.fileExists(atPath: folder.url.path))
    #expect(FileManager.default.fileExists(atPath: pack.path))
  }

  @Test("A model that two configurations name is an error that names it and both of them")
  func conflicts() throws {
    let one = ModelConfiguration("one", schema: Schema([Split.Setting.self]), url: settingsURL)
    let two = ModelConfiguration(
      "two", schema: Schema([Split.Setting.self, Split.Draft.self]), url: folder.url)
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Schema([Split.Setting.self, Split.Draft.self]), configurations: one, two)
    }
    #expect(error?.entity == "Setting")
    #expect(error?.description.contains("\"one\" and \"two\"") == true)
  }

  @Test("A model that no configuration names is an error that names it")
  func unnamed() throws {
    let one = ModelConfiguration("one", schema: Schema([Split.Setting.self]), url: settingsURL)
    let two = ModelConfiguration("two", schema: Schema([Split.Draft.self]), url: folder.url)
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Schema([Split.Setting.self, Split.Draft.self, Split.Other.self]), configurations: one, two)
    }
    #expect(error?.entity == "Other")
  }
}
