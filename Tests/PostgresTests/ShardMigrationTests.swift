import SwiftData
import Testing

@testable import SwiftDataPostgres

private enum First {
  @Model final class Box {
    var room: Int = 0
    var a: Int = 0
    var b: Int = 0
    init() {}
  }
}

private enum Exchanged {
  @Model final class Box {
    var room: Int = 0
    @Attribute(originalName: "b") var a: Int = 0
    @Attribute(originalName: "a") var b: Int = 0
    init() {}
  }
}

private enum Taking {
  @Model final class Box {
    var room: Int = 0
    @Attribute(originalName: "b") var a: Int = 0
    init() {}
  }
}

private enum Renamed {
  @Model final class Box {
    var room: Int = 0
    var a: Int = 0
    @Attribute(originalName: "b") var c: Int = 0
    init() {}
  }
}

private enum Added {
  @Model final class Box {
    var room: Int = 0
    var a: Int = 0
    var b: Int = 0
    var c: Int = 7
    init() {}
  }
}

@Suite(
  "A migration of a store with shards", .enabled(if: PostgresServer.isThere, PostgresServer.reason),
  .timeLimit(.minutes(20)))
struct ShardMigrationTests {
  private func layout(_ type: any PersistentModel.Type) -> StoreLayout {
    StoreLayout(tables: EntityTable.tables(of: Schema([type])) { _ in 0 })
  }

  /// The check that a migration makes before it changes anything.
  private func check(_ type: any PersistentModel.Type, shards: [String]) throws {
    let (store, layout) = (TestStore(), layout(type))
    let plan = LayoutPlan(from: self.layout(First.Box.self).record, to: layout, isPlanned: false)
    let divided = PartitionedTable(table: "Box", column: "room", count: 2, servers: shards)
    let change = LayoutChange(
      connection: try PostgresConnection(url: store.url, namespace: store.namespace), layout: layout, store: "test",
      namespace: store.namespace, partitions: PartitionedTables([divided]),
      shards: store.configuration.shards, isFormer: false, isRolling: false, log: MigrationLog())
    for table in plan.tables { try TableChange(change, plan, table).checkShards() }
  }

  @Test("is refused where it would rename a column there, because an attempt that fails cannot be repeated")
  func renames() throws {
    for (type, property) in [(Exchanged.Box.self, "a"), (Taking.Box.self, "a"), (Renamed.Box.self, "c")]
      as [(any PersistentModel.Type, String)]
    {
      let error = #expect(throws: SwiftDataError.self) { try check(type, shards: ["one", "two"]) }
      #expect(error?.property == property)
      #expect(error?.message?.contains("add a property with another name") == true)
      // Local partitions change in the migration's own transaction.
      #expect(throws: Never.self) { try check(type, shards: []) }
    }
    #expect(throws: Never.self) { try check(Added.Box.self, shards: ["one", "two"]) }
  }
}
