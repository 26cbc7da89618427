import Foundation
import Testing

@testable import SwiftData

/// Models whose names contain, quote or shadow one another's.
enum Reading {
  @Model final class Item {
    var name = ""
    var rank = 0
    @Relationship(inverse: \ItemNote.owner) var notes: [ItemNote] = []
    @Relationship(inverse: \Order.items) var orders: [Order] = []
    init() {}
  }

  @Model final class ItemNote {
    /// Named as a table.
    var Item = ""
    var text = ""
    var owner: Item?
    init() {}
  }

  /// Named as a keyword of SQL.
  @Model final class Order {
    var group = ""
    var items: [Item] = []
    var parent: Order?
    @Relationship(inverse: \Order.parent) var parts: [Order] = []
    init() {}
  }
}

@Suite("Lowering reports what a statement reads")
struct StatementReadsTests {
  private let context: ModelContext

  init() throws {
    context = ModelContext(
      try ModelContainer(
        for: Reading.Item.self, Reading.ItemNote.self, Reading.Order.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  private func query<M: PersistentModel>(
    _ predicate: Predicate<M>?, _ sort: [SortDescriptor<M>] = []
  ) throws -> StoreQuery {
    try context.state.queries.lower(FetchDescriptor(predicate: predicate, sortBy: sort))
  }

  private func table(_ type: any PersistentModel.Type) throws -> EntityTable {
    try context.state.core.table(for: type.__entity)
  }

  @Test("A column named as a table is a column")
  func columnNamedAsTable() throws {
    let query = try query(#Predicate<Reading.ItemNote> { $0.Item == "a" && $0.text == "\"Item\"" })
    #expect(try !query.reads(table(Reading.Item.self)))
    #expect(query.reads.condition.own == ["Item", "text"])
    #expect(query.reads.all.related.isEmpty)
  }

  @Test("A table whose name begins with another's is not the other")
  func prefixOfName() throws {
    let query = try query(#Predicate<Reading.ItemNote> { $0.text == "Item" })
    #expect(try query.reads(table(Reading.ItemNote.self)))
    #expect(try !query.reads(table(Reading.Item.self)))
  }

  @Test("A to-one is read by the column of its key and the columns of its target")
  func toOne() throws {
    let query = try query(
      #Predicate<Reading.ItemNote> { $0.owner?.name == "a" }, [SortDescriptor(\Reading.ItemNote.owner?.rank)])
    #expect(query.reads.condition.own == ["owner"])
    #expect(query.reads.condition.related == ["Item": ["name"]])
    #expect(query.reads.order.related == ["Item": ["rank"]])
    #expect(!query.readsOwnTableAgain)
  }

  @Test("A to-many is read by the key that leads back and by what the closure asks")
  func toMany() throws {
    let query = try query(#Predicate<Reading.Item> { item in item.notes.contains { $0.text == "a" } })
    #expect(query.reads.condition.related == ["ItemNote": ["owner", "text"]])
    #expect(query.reads.condition.pairs.isEmpty)
  }

  @Test("A many-to-many is read by its join table, in a table named as a keyword")
  func manyToMany() throws {
    let query = try query(#Predicate<Reading.Order> { order in order.items.contains { $0.rank > 1 } })
    #expect(query.reads.condition.related == ["Item": ["rank"]])
    #expect(query.reads.condition.pairs == ["Item.orders"])
    #expect(query.tables(of: context.state.core.tables) == ["Order", "Item"])
  }

  @Test("A relationship that leads back reads the table a second time")
  func ownTableAgain() throws {
    #expect(try query(#Predicate<Reading.Order> { $0.parent?.group == "a" }).readsOwnTableAgain)
    #expect(try query(#Predicate<Reading.Order> { order in order.parts.isEmpty }).readsOwnTableAgain)
    #expect(try !query(#Predicate<Reading.Order> { $0.group == "Order" }).readsOwnTableAgain)
  }

  @Test("An unsaved object of a class that is only named in a text leaves the fetch to the database")
  func unsavedObjectOfNamedClass() throws {
    context.insert(Reading.Item())
    let query = try query(#Predicate<Reading.ItemNote> { $0.Item == "Item" })
    #expect(!context.state.queries.pendingChangesMatter(to: query))
  }

  @Test("Interpolated SQL binds its values and quotes names")
  func interpolation() {
    let left: SQLFragment = "t0.\(name: "a\"b")"
    let sql: SQLFragment = "(\(left)) = \(bind: .text("x' OR 1")) AND n > \(3)"
    #expect(sql == SQLFragment("(t0.\"a\"\"b\") = ? AND n > 3", [.text("x' OR 1")]))
  }
}
