import Foundation
import SwiftData
import Testing

private enum Alone {
  @Model final class Item {
    var text: String
    init(_ text: String) { self.text = text }
  }
  @Model final class Box {
    var items: [Item] = []
    init() {}
  }
}

private enum Linked {
  @Model final class Item {
    var text: String
    var box: Box?
    init(_ text: String) { self.text = text }
  }
  @Model final class Box {
    @Relationship(inverse: \Item.box) var items: [Item] = []
    init() {}
  }
}

@Suite("A list that gains an inverse")
struct AddedInverseTests {
  private static func texts(_ context: ModelContext) throws -> [[String]] {
    try context.fetch(FetchDescriptor<Linked.Box>()).map { $0.items.map(\.text) }
  }

  @Test("keeps the order of its pairs, which differs from the order of the objects' keys, and can grow")
  func order() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(Alone.Box.self, Alone.Item.self))
      let items = ["a", "b", "c"].map(Alone.Item.init)
      for item in items { context.insert(item) }
      try context.save()
      let box = Alone.Box()
      context.insert(box)
      // The pairs have no places, because this is the order of their insertion.
      box.items = [items[2], items[0], items[1]]
      try context.save()
    }
    let context = ModelContext(try store.container(Linked.Box.self, Linked.Item.self))
    #expect(try Self.texts(context) == [["c", "a", "b"]])
    try #require(context.fetch(FetchDescriptor<Linked.Box>()).first).items.append(Linked.Item("d"))
    try context.save()
    #expect(try Self.texts(ModelContext(context.container)) == [["c", "a", "b", "d"]])
  }
}
