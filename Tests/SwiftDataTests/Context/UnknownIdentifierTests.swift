import Foundation
import SwiftData
import Testing

@Model private final class Item {
  var name: String
  init(name: String) { self.name = name }
}

@Model private final class Stranger {
  init() {}
}

@Suite("model(for:)")
struct UnknownIdentifierTests {
  private func container() throws -> ModelContainer {
    try ModelContainer(for: Item.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test("with an unknown identifier returns an object that has it")
  func unknown() throws {
    let container = try container()
    let context = ModelContext(container)
    let item = Item(name: "a")
    context.insert(item)
    let temporary = item.persistentModelID
    try context.save()
    let store = try #require(item.persistentModelID.storeIdentifier)
    let unknown = [
      try PersistentIdentifier.identifier(for: store, entityName: "Item", primaryKey: 12345),
      try PersistentIdentifier.identifier(for: "another store", entityName: "Item", primaryKey: 1),
      try PersistentIdentifier.identifier(for: store, entityName: "Item", primaryKey: "text"),
      try PersistentIdentifier.identifier(for: store, entityName: "Stranger", primaryKey: 1),
      temporary,
    ]
    for identifier in unknown {
      let object = ModelContext(container).model(for: identifier)
      #expect(object.persistentModelID == identifier)
      #expect(object.modelContext == nil)
    }
  }

  @Test("with an unknown identifier returns an object that can be inserted as a new one")
  func inserted() throws {
    let context = ModelContext(try container())
    let identifier = try PersistentIdentifier.identifier(for: "s", entityName: "Item", primaryKey: 9)
    let object = try #require(context.model(for: identifier) as? Item)
    context.insert(object)
    #expect(object.persistentModelID.isTemporary)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Item>()) == 1)
  }

  @Test("with a known one returns the registered object as it is")
  func registered() throws {
    let container = try container()
    let (first, second) = (ModelContext(container), ModelContext(container))
    let item = Item(name: "a")
    first.insert(item)
    try first.save()
    let other = try #require(second.model(for: item.persistentModelID) as? Item)
    other.name = "b"
    try second.save()
    #expect((first.model(for: item.persistentModelID) as? Item) === item)
    #expect(item.name == "a")
    _ = try first.fetch(FetchDescriptor<Item>())
    #expect(item.name == "b")
  }
}
