import Foundation
import SwiftData
import Testing

private enum Storage {
  @Model final class Shelf {
    var number: Int
    @Relationship(deleteRule: .cascade, inverse: \Box.shelf) var boxes: [Box] = []
    init(_ number: Int) { self.number = number }
  }

  @Model final class Box {
    var shelf: Shelf?
    @Relationship(deleteRule: .cascade, inverse: \Item.box) var items: [Item] = []
    init() {}
  }

  @Model final class Item {
    var number: Int
    var box: Box?
    init(_ number: Int) { self.number = number }
  }
}

/// How a save deletes many rows.
@Suite struct DeletionOrderTests {
  private let container: ModelContainer

  init() throws {
    container = try memoryContext(Storage.Shelf.self, Storage.Box.self, Storage.Item.self).container
    let context = ModelContext(container)
    for number in 0..<20 {
      let shelf = Storage.Shelf(number)
      context.insert(shelf)
      shelf.boxes = (0..<2).map { _ in Storage.Box() }
      for box in shelf.boxes { box.items = (0..<3).map { Storage.Item($0) } }
    }
    try context.save()
  }

  private func deletions(_ body: (ModelContext) throws -> Void) throws -> [String] {
    let context = ModelContext(container)
    let (_, statements) = try SQLTrace.record {
      try body(context)
      try context.save()
    }
    return statements.filter { $0.hasPrefix("DELETE") }
  }

  @Test("Rows are deleted before those that they refer to, so that the store clears no reference in vain")
  func order() throws {
    let marked = try deletions { try $0.delete(model: Storage.Shelf.self, where: #Predicate { $0.number < 5 }) }
    let held = try deletions { context in
      for shelf in try context.fetch(FetchDescriptor<Storage.Shelf>()) { context.delete(shelf) }
    }
    for statements in [marked, held] {
      let tables = statements.map { $0.split(separator: "\"")[1] }
      #expect(tables == ["Item", "Box", "Shelf"])
    }
    let left = ModelContext(container)
    #expect(try left.fetchCount(FetchDescriptor<Storage.Item>()) == 0)
    let history = try left.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map { $0.changes.count } == [180, 45, 135])
    #expect(history[1].changes.prefix(5).allSatisfy { $0.changedPersistentIdentifier.entityName == "Shelf" })
  }

  @Test("Consecutive keys are one range, others are a list")
  func ranges() throws {
    let some = try deletions { try $0.delete(model: Storage.Item.self, where: #Predicate { $0.number == 1 }) }
    #expect(some.map { $0.contains("json_each") } == [true])
    let all = try deletions { context in
      let shelves = try context.fetch(
        FetchDescriptor<Storage.Shelf>(sortBy: [SortDescriptor(\.number, order: .reverse)]))
      for shelf in shelves { context.delete(shelf) }
    }
    #expect(all.map { $0.contains("BETWEEN") } == [false, true, true], "a third of the items is gone")
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Storage.Box>()) == 0)
    let numbers = (0..<40).map(Int64.init)
    #expect(numbers.range == 0...39)
    #expect(numbers.reversed().range == nil && (numbers + [41]).range == nil && [3, 4].range == nil)
    #expect((numbers.dropLast(2) + [37, 39]).range == nil)
  }
}
