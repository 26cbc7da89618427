import Foundation
import SwiftData
import Testing

/// Models of the tests of stores that somebody else wrote.
enum CustomStored {
  @Model final class Shelf {
    var label: String
    @Relationship(inverse: \Volume.shelf) var volumes: [Volume] = []
    init(_ label: String) { self.label = label }
  }

  @Model final class Volume {
    var title: String
    var pages: Int
    var shelf: Shelf?
    init(_ title: String, pages: Int = 0, shelf: Shelf? = nil) {
      self.title = title
      self.pages = pages
      self.shelf = shelf
    }
  }

  @Model final class Coin {
    @Attribute(.spotlight) var name: String
    var value: Int
    init(_ name: String, _ value: Int = 0) {
      self.name = name
      self.value = value
    }
  }

  @Model final class Stamp {
    var name: String
    init(_ name: String) { self.name = name }
  }
}

@Suite("A store of somebody else") struct CustomStoreTests {
  private typealias Shelf = CustomStored.Shelf
  private typealias Volume = CustomStored.Volume
  private typealias Coin = CustomStored.Coin
  private typealias Stamp = CustomStored.Stamp

  private let script = Script()

  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Shelf.self, Coin.self, Stamp.self, configurations: ScriptedConfiguration(script))
  }

  @Test("It is told of contexts, and gets the container's schema where its configuration has none")
  func states() throws {
    let container = try container()
    do {
      let context = ModelContext(container)
      #expect(script.takeLog() == ["begin"])
      #expect(try context.fetchCount(FetchDescriptor<Coin>()) == 0)
    }
    #expect(script.takeLog() == ["fetch Coin", "end"])
    #expect(script.state.schema?.entitiesByName.keys.sorted() == ["Coin", "Shelf", "Stamp", "Volume"])
  }

  @Test("What it will not filter or sort is filtered and sorted in memory, for counts and identifiers too")
  func inMemory() throws {
    let container = try container()
    let writer = ModelContext(container)
    for value in [3, 1, 2, 5, 4] { writer.insert(Coin("c\(value)", value)) }
    try writer.save()
    let context = ModelContext(container)
    _ = script.takeLog()
    var descriptor = FetchDescriptor<Coin>(
      predicate: #Predicate { $0.value > 1 }, sortBy: [SortDescriptor(\.value, order: .reverse)])
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 1
    #expect(try context.fetch(descriptor).map(\.value) == [4, 3])
    #expect(script.takeLog() == ["fetch Coin filtered sorted", "fetch Coin sorted", "fetch Coin"])
    #expect(try context.fetchCount(descriptor) == 2)
    #expect(try context.fetchIdentifiers(descriptor).compactMap { (context.model(for: $0) as? Coin)?.value } == [4, 3])
  }

  @Test("Limits are handed on with the offset in them, so that a store may know no offset")
  func bounds() throws {
    let container = try container()
    let context = ModelContext(container)
    for value in 0..<5 { context.insert(Coin("", value)) }
    try context.save()
    var descriptor = FetchDescriptor<Coin>()
    (descriptor.fetchOffset, descriptor.fetchLimit) = (2, 2)
    #expect(try context.fetch(descriptor).map(\.value) == [2, 3])
    #expect(try context.fetchCount(descriptor) == 2)
    descriptor.fetchOffset = 4
    #expect(try context.fetchCount(descriptor) == 1)
    #expect(try context.fetchIdentifiers(descriptor).count == 1)
  }

  @Test("Relationships are loaded for many objects in a few requests")
  func batchedFaults() throws {
    let container = try container()
    let writer = ModelContext(container)
    for number in 0..<200 { writer.insert(Volume("v\(number)", shelf: Shelf("s\(number)"))) }
    try writer.save()
    let context = ModelContext(container)
    let volumes = try context.fetch(FetchDescriptor<Volume>())
    _ = script.takeLog()
    #expect(volumes.allSatisfy { $0.shelf?.label.dropFirst() == $0.title.dropFirst() })
    // One request with the identifiers, refused, and one for all.
    #expect(script.takeLog() == ["fetch Shelf filtered", "fetch Shelf"])
    let shelves = try ModelContext(container).fetch(FetchDescriptor<Shelf>())
    _ = script.takeLog()
    #expect(shelves.reduce(0) { $0 + $1.volumes.count } == 200)
    // 1, 8, 64 and the rest; each reads the owners and their targets.
    #expect(script.takeLog().count <= 16)
  }

  @Test("What comes along with a fetch is not fetched again")
  func related() throws {
    let container = try container()
    let writer = ModelContext(container)
    writer.insert(Volume("v", shelf: Shelf("s")))
    try writer.save()
    script.change { $0.returnsRelated = true }
    // Relationships that are loaded are faults again when their context is gone.
    let context = ModelContext(container)
    let volume = try context.fetch(FetchDescriptor<Volume>())[0]
    _ = script.takeLog()
    #expect(volume.shelf?.label == "s")
    #expect(script.takeLog() == [])
  }

  @Test("A save that it refuses leaves all changes unsaved, and its own error is thrown")
  func refusal() throws {
    let context = ModelContext(try container())
    let coin = Coin("a")
    context.insert(coin)
    script.change { $0.refusal = Script.Refusal() }
    #expect(throws: Script.Refusal.self) { try context.save() }
    #expect(context.hasChanges && coin.persistentModelID.isTemporary)
    script.change { $0.refusal = nil }
    try context.save()
    #expect(!coin.persistentModelID.isTemporary)
  }

  @Test("A save that gives no identifiers is an error that says so")
  func missingIdentifiers() throws {
    let context = ModelContext(try container())
    context.insert(Coin("a"))
    script.change { $0.forgetsIdentifiers = true }
    let error = #expect(throws: SwiftDataError.io) { try context.save() }
    #expect("\(try #require(error))".contains("remappedIdentifiers"))
  }

  @Test("A new model that it writes over one of another class is an error that names both classes")
  func upsertOfAnotherClass() throws {
    let context = ModelContext(try container())
    let stamp = Stamp("a")
    context.insert(stamp)
    try context.save()
    let coin = Coin("a")
    context.insert(coin)
    script.change { $0.mergesInto = stamp.persistentModelID }
    let error = #expect(throws: SwiftDataError.io) { try context.save() }
    #expect(error?.entity == "Coin")
    #expect("\(try #require(error))".contains("saved a new Coin as a Stamp"))
    #expect(coin.persistentModelID.isTemporary && stamp.name == "a")
  }

  @Test("A new model that it writes over a stored one takes over that one's identity")
  func upsert() throws {
    let container = try container()
    let context = ModelContext(container)
    let stored = Coin("a", 1)
    context.insert(stored)
    try context.save()
    let other = ModelContext(container)
    let new = Coin("a", 2)
    other.insert(new)
    script.change { $0.mergesInto = stored.persistentModelID }
    try other.save()
    #expect(new.persistentModelID == stored.persistentModelID)
    #expect(try other.fetch(FetchDescriptor<Coin>()).map(\.value) == [2])
    context.state.takeInSaves()
    #expect(stored.value == 2)
  }

  @Test("A batch delete of unrelated models is one request; of others it is a save")
  func batchDelete() throws {
    let container = try container()
    let writer = ModelContext(container)
    for number in 0..<3 { writer.insert(Stamp("\(number)")) }
    writer.insert(Shelf("s"))
    try writer.save()
    let context = ModelContext(container)
    _ = script.takeLog()
    try context.delete(model: Stamp.self)
    #expect(context.hasChanges)
    try context.save()
    #expect(script.takeLog() == ["fetch Stamp", "delete Stamp"])
    try context.delete(model: Shelf.self)
    try context.save()
    #expect(script.takeLog().last == "save 0 0 1")
  }

  @Test("A batch delete that it refuses to filter is a save of single deletions")
  func refusedBatchDelete() throws {
    let container = try container()
    let writer = ModelContext(container)
    for number in 0..<3 { writer.insert(Stamp("\(number)")) }
    try writer.save()
    script.change { $0.refusesBatches = true }
    let context = ModelContext(container)
    try context.delete(model: Stamp.self, where: #Predicate { $0.name != "1" })
    try context.save()
    #expect(script.takeLog().last == "save 0 0 2")
    #expect(try ModelContext(container).fetch(FetchDescriptor<Stamp>()).map(\.name) == ["1"])
  }

  @Test("Search, explanations and history of the default type name the store that does not offer them")
  func unsupported() throws {
    let context = ModelContext(try container())
    let search = #expect(throws: SwiftDataError.unsupportedFeature) { try context.search(Coin.self, matching: "a") }
    #expect("\(try #require(search))".contains("scripted"))
    #expect(throws: SwiftDataError.unsupportedFeature) { try context.explain(FetchDescriptor<Coin>()) }
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
    #expect(throws: SwiftDataError.unsupportedFeature) { try context.container.erase() }
  }

  @Test("A custom and a default store in one container save together, and a refusal undoes both")
  func mixed() throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(
      for: Schema([Shelf.self, Coin.self]),
      configurations: [
        ModelConfiguration("rows", schema: Schema([Coin.self]), url: store.url),
        ScriptedConfiguration(script, schema: Schema([Shelf.self])),
      ])
    #expect(container.configurations.map(\.name) == ["rows"])
    let context = ModelContext(container)
    context.insert(Coin("a"))
    context.insert(Volume("v", shelf: Shelf("s")))
    try context.save()
    #expect(try store.shell("SELECT count(*) FROM Coin") == "1")
    context.insert(Coin("b"))
    context.insert(Shelf("t"))
    script.change { $0.refusal = Script.Refusal() }
    #expect(throws: Script.Refusal.self) { try context.save() }
    #expect(try store.shell("SELECT count(*) FROM Coin") == "1")
    script.change { $0.refusal = nil }
    try context.save()
    let reader = ModelContext(container)
    #expect(try reader.fetchCount(FetchDescriptor<Coin>()) == 2)
    #expect(try reader.fetch(FetchDescriptor<Shelf>(sortBy: [SortDescriptor(\.label)])).map(\.label) == ["s", "t"])
    #expect(try reader.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 2)
  }

  @Test("Two configurations of one name are refused, of whatever kind they are")
  func duplicates() {
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(
        for: Schema([Coin.self]),
        configurations: [ScriptedConfiguration(Script()), ScriptedConfiguration(Script())])
    }
  }

  @Test("A list that it cannot read while a context saves is not stored as an empty one")
  func unreadableList() throws {
    let container = try container()
    let writer = ModelContext(container)
    let shelf = Shelf("A")
    writer.insert(Volume("one", shelf: shelf))
    try writer.save()
    let context = ModelContext(container)
    let same = try #require(try context.fetch(FetchDescriptor<Shelf>()).first)
    context.insert(Volume("two", shelf: same))
    script.change { $0.unreadable = "Volume" }
    _ = script.takeLog()
    #expect(throws: SwiftDataError.io) { try context.save() }
    #expect(!script.takeLog().contains { $0.hasPrefix("save") })
    script.change { $0.unreadable = nil }
    try context.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Shelf>())
    #expect(found.map { $0.volumes.map(\.title) } == [["one", "two"]])
  }
}
