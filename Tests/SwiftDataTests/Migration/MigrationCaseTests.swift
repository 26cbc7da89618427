import Foundation
import MigrationCases
import SwiftData
import SwiftDataRecovery
import Testing

/// The files of a case, or of several openings of it.
private struct FileStore: CaseStore {
  let store: TemporaryStore

  func open(
    _ types: [any PersistentModel.Type], version: Schema.Version?, plan: (any SchemaMigrationPlan.Type)?
  ) throws -> ModelContext {
    let schema = version.map { Schema(types, version: $0) } ?? Schema(types)
    return ModelContext(
      try ModelContainer(
        for: schema, migrationPlan: plan, configurations: ModelConfiguration(schema: schema, url: store.url)))
  }
}

@Suite("The changes of models that both databases migrate alike")
struct MigrationCaseTests {
  private func check(_ known: MigrationCase) throws {
    let store = try TemporaryStore()
    let found = try known.run(FileStore(store: store))
    #expect(found == known.expected)
    #expect(try store.shell("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
  }

  @Test("Family 1: renames", arguments: MigrationCase.renames)
  func renames(_ known: MigrationCase) throws { try check(known) }

  @Test("Family 2: siblings of a hierarchy", arguments: MigrationCase.siblings)
  func siblings(_ known: MigrationCase) throws { try check(known) }

  @Test("Family 3: names that the store makes", arguments: MigrationCase.names)
  func names(_ known: MigrationCase) throws { try check(known) }

  @Test("Changes of a property's type", arguments: MigrationCase.typeChanges)
  func typeChanges(_ known: MigrationCase) throws { try check(known) }
}

private enum Full {
  @Model class Event {
    var title: String
    init(_ title: String) { self.title = title }
  }
  @Model final class Party: Event {
    var guests: Int = 1
    var place: String?
    var host: Event?
    var tags: [Event] = []
    override init(_ title: String) { super.init(title) }
  }
}

private enum Bare {
  @Model class Event {
    init() {}
  }
  @Model final class Party: Event {
    override init() { super.init() }
  }
}

@Suite("Properties that a migration removes")
struct RemovedPropertyTests {
  @Test("are named in the log with the number of their values")
  func warned() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(Full.Event.self, Full.Party.self))
      let (event, first, second) = (Full.Event("e"), Full.Party("1"), Full.Party("2"))
      for object in [event, first, second] { context.insert(object) }
      (first.place, first.host, first.tags) = ("garden", event, [event, second])
      try context.save()
    }
    let lines = try TaskLogHandler.logged(.warning) { _ = try store.container(Bare.Event.self, Bare.Party.self) }
    let warnings = lines.map(\.message).filter { $0.contains("not in the models") }
    func values(_ name: String) -> String? {
      warnings.first { $0.contains(name) }?.components(separatedBy: "deletes its ").last
    }
    #expect(warnings.count == 5)
    #expect(values("Event.title") == "3 values")
    #expect(values("Party.guests") == "2 values")
    #expect(values("Party.place") == "value")
    #expect(values("Party.host") == "link")
    #expect(values("Party.tags") == "2 links")
  }

  @Test("are not named if the migration is refused")
  func refused() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(Full.Event.self))
      context.insert(Full.Event("e"))
      try context.save()
    }
    let lines = TaskLogHandler.logged(.warning) {
      #expect(throws: SwiftDataError.unknownDataStoreSchema) { _ = try store.container(Demanding.Event.self) }
    }
    #expect(lines.map(\.message) == [])
    #expect(
      try ModelContext(store.container(Full.Event.self)).fetch(FetchDescriptor<Full.Event>()).map(\.title) == ["e"])
  }
}

/// `Bare` with a property that the rows of `Full` have no value for.
private enum Demanding {
  @Model class Event {
    var day: Date
    init(_ day: Date) { self.day = day }
  }
}

/// `Full` with another name.
private enum Renamed {
  @Model class Event {
    @Attribute(originalName: "title") var name: String
    init(_ name: String) { self.name = name }
  }
}

private enum Narrow {
  struct Size: Codable { var width = 1 }
  @Model final class Box {
    var size: Size = Size()
    init() {}
  }
}

private enum Wide {
  struct Size: Codable {
    var width = 1
    var height = 1
  }
  @Model final class Box {
    var size: Size = Size()
    init() {}
  }
}

@Suite("A struct that gains a member with a default")
struct GainedMemberTests {
  @Test("is refused with the name of the member and what to do")
  func refused() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(Narrow.Box.self))
      context.insert(Narrow.Box())
      try context.save()
    }
    let error = #expect(throws: SwiftDataError.unreadableValue) { _ = try store.container(Wide.Box.self) }
    #expect(error?.property == "size")
    #expect(error?.message?.contains(#"it has no "height"; make that member optional"#) == true, "\(error as Any)")
  }
}

private enum Pair {
  @Model final class Note {
    var title: String = ""
    var subtitle: String = ""
    init(_ title: String, _ subtitle: String) { (self.title, self.subtitle) = (title, subtitle) }
  }
}

/// `Pair` with the names exchanged, and a further property.
private enum Exchanged {
  @Model final class Note {
    @Attribute(originalName: "subtitle") var title: String = ""
    @Attribute(originalName: "title") var subtitle: String = ""
    var rank: Int = 1
    init() {}
  }
}

/// `Pair` whose title takes over the subtitle.
private enum TakenOver {
  @Model final class Note {
    @Attribute(originalName: "subtitle") var title: String = ""
    init() {}
  }
}

@Suite("An older version of a program")
struct OlderProgramTests {
  @Test("does not make the newer one follow its renames again")
  func followedOnce() throws {
    for isExchange in [true, false] {
      let store = try TemporaryStore()
      do {
        let context = ModelContext(try store.container(Pair.Note.self))
        context.insert(Pair.Note("t", "s"))
        try context.save()
      }
      func title() throws -> [String] {
        try isExchange
          ? ModelContext(store.container(Exchanged.Note.self)).fetch(FetchDescriptor<Exchanged.Note>()).map(\.title)
          : ModelContext(store.container(TakenOver.Note.self)).fetch(FetchDescriptor<TakenOver.Note>()).map(\.title)
      }
      #expect(try title() == ["s"])
      _ = try store.container(Pair.Note.self)
      #expect(try title() == ["s"], "exchanged: \(isExchange)")
    }
  }

  @Test("learns that a later one gave the property another name")
  func renamed() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(Full.Event.self))
      context.insert(Full.Event("e"))
      try context.save()
    }
    _ = try store.container(Renamed.Event.self)
    let error = #expect(throws: SwiftDataError.unknownDataStoreSchema) { _ = try store.container(Full.Event.self) }
    #expect(error?.property == "title")
    #expect(error?.message?.contains("a later version of the program named it name") == true, "\(error as Any)")
    #expect(
      try ModelContext(store.container(Renamed.Event.self)).fetch(FetchDescriptor<Renamed.Event>()).map(\.name) == ["e"]
    )
  }
}

@Suite("A store of the release before the present format")
struct FormerFormatTests {
  private static func former(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../MigrationCases/Former/\(name)").standardizedFileURL
  }

  private func store() throws -> TemporaryStore {
    let store = try TemporaryStore()
    _ = try store.shell(".read '\(Self.former("format2.sql").path)'")
    return store
  }

  private func open(_ store: TemporaryStore, allowsSave: Bool = true) throws -> ModelContext {
    let schema = Schema(Former.models)
    return ModelContext(
      try ModelContainer(
        for: schema, configurations: ModelConfiguration(schema: schema, url: store.url, allowsSave: allowsSave)))
  }

  @Test("keeps all values, lists, orders, words and the history, and gets the present names once")
  func opened() throws {
    let store = try store()
    let context = try open(store)
    #expect(try Former.describe(context) == Former.contents)
    #expect(context.container.migrations.isEmpty)
    #expect(try Former.change(context) == Former.changed)
    #expect(try store.shell("SELECT value FROM _swiftdata WHERE key = 'format'") == "4")
    let columns = try store.shell("SELECT group_concat(name) FROM pragma_table_info('Event')").split(separator: ",")
    #expect(Set(columns).isSuperset(of: ["title", "Work.cost", "Party.cost", "Gala.value", "Fair.value"]))
    #expect(
      try store.shell("SELECT count(*) FROM sqlite_master WHERE name IN ('Work_tags', 'Event_code_unique')") == "0")
    #expect(try store.shell("SELECT typeof(\"Fair.value\") FROM Event WHERE _entity = 'Fair'") == "integer")
    #expect(try store.shell("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
  }

  @Test("is refused for reading only and stays as it was")
  func readOnly() throws {
    let store = try store()
    let before = try store.shell(".dump")
    #expect(throws: SwiftDataError.storeReadOnly) { try open(store, allowsSave: false) }
    #expect(try store.shell(".dump") == before)
  }

  @Test("is recovered and then opened, also where its description is lost", arguments: [false, true])
  func recovered(isForgotten: Bool) throws {
    let (store, copy) = (try store(), try TemporaryStore())
    if isForgotten { _ = try store.shell("DELETE FROM _swiftdata WHERE key <> 'identifier'") }
    _ = try ModelContainer.recover(from: store.url, to: copy.url, for: Schema(Former.models))
    // The history is lost.
    #expect(try Former.describe(open(copy)) == Array(Former.contents.dropLast()))
  }
}
