import Foundation
import SwiftData
import Testing

@Model private final class Item {
  var name: String
  var parent: Item?
  init(name: String) { self.name = name }
}

@Suite("A temporary identifier")
struct TemporaryIdentifierTests {
  private func context() throws -> ModelContext {
    ModelContext(try ModelContainer(for: Item.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  private func decoded(_ identifier: PersistentIdentifier) throws -> PersistentIdentifier {
    try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(identifier))
  }

  @Test("is encoded, and the decoded one finds the unsaved object")
  func coding() throws {
    let context = try context()
    let items = ["a", "b", "c"].map(Item.init(name:))
    for item in items { context.insert(item) }
    items[2].parent = items[1]
    let copy = try decoded(items[1].persistentModelID)
    #expect(copy == items[1].persistentModelID)
    #expect(copy.hashValue == items[1].persistentModelID.hashValue)
    #expect(copy.isTemporary)
    #expect(copy.entityName == "Item")
    #expect(context.model(for: copy) === items[1])
    let registered: Item? = context.registeredModel(for: copy)
    #expect(registered === items[1])
    let found = try context.fetch(FetchDescriptor<Item>(predicate: #Predicate { $0.persistentModelID == copy }))
    #expect(found.map(\.name) == ["b"])
    let children = try context.fetch(
      FetchDescriptor<Item>(predicate: #Predicate { $0.parent?.persistentModelID == copy }))
    #expect(children.map(\.name) == ["c"])
    let list = try [items[0].persistentModelID, copy].map(decoded)
    #expect(
      try context.fetchCount(FetchDescriptor<Item>(predicate: #Predicate { list.contains($0.persistentModelID) })) == 2)
  }

  @Test("of another process is that of no object")
  func anotherProcess() throws {
    let context = try context()
    let item = Item(name: "a")
    context.insert(item)
    var text = String(decoding: try JSONEncoder().encode(item.persistentModelID), as: UTF8.self)
    let process = try #require(text.firstRange(of: #/[0-9A-F]{8}-[0-9A-F-]{27}/#))
    text.replaceSubrange(process, with: UUID().uuidString)
    let foreign = try JSONDecoder().decode(PersistentIdentifier.self, from: Data(text.utf8))
    #expect(foreign.isTemporary)
    #expect(foreign != item.persistentModelID)
    let registered: Item? = context.registeredModel(for: foreign)
    #expect(registered == nil)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(
        PersistentIdentifier.self, from: Data(#"{"entityName":"Item","temporary":"nonsense"}"#.utf8))
    }
  }

  @Test("has a text that no other has, and an order that survives coding")
  func text() throws {
    let context = try context()
    let identifiers = (0..<100).map { _ in
      let item = Item(name: "a")
      context.insert(item)
      return item.persistentModelID
    }
    #expect(Set(identifiers.map { String(describing: $0) }).count == 100)
    #expect(Set(identifiers.map { "\($0.id)" }).count == 100)
    #expect(try identifiers.reversed().map(decoded).sorted() == identifiers)
    #expect(String(describing: try decoded(identifiers[3])) == String(describing: identifiers[3]))
  }
}
