import Foundation
import SwiftData
import Testing

private enum Batches {
  @Model final class Row {
    var number: Int
    var group: Group?
    init(_ number: Int) { self.number = number }
  }

  @Model final class Group {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Row.group) var rows: [Row] = []
    @Relationship(deleteRule: .deny, inverse: \Guard.group) var guards: [Guard] = []
    init(name: String) { self.name = name }
  }

  @Model final class Guard {
    var group: Group?
    init() {}
  }
}

@Suite struct BatchTests {
  private let context: ModelContext

  init() throws { context = try memoryContext(Batches.Row.self) }

  private func fill(_ count: Int) throws {
    let writer = ModelContext(context.container)
    for number in 0..<count { writer.insert(Batches.Row(number)) }
    try writer.save()
  }

  @Test("Enumerating visits each object in order and lets go of each batch")
  func enumerate() throws {
    try fill(12_001)
    var numbers = [Int]()
    var kept = [() -> Batches.Row?]()
    try context.enumerate(FetchDescriptor<Batches.Row>(sortBy: [SortDescriptor(\.number, order: .reverse)])) { row in
      numbers.append(row.number)
      if numbers.count % 1_000 == 1 {
        kept.append { [weak row] in row }
        let alive = kept.filter { $0() != nil }.count
        #expect(alive <= 5, "one batch of 5,000 at a time")
      }
    }
    #expect(numbers == Array((0..<12_001).reversed()))
    #expect(kept.allSatisfy { $0() == nil })
  }

  @Test("Enumerating lets go of what each batch loaded, and leaves alone what was there before and what is unsaved")
  func enumerateRelationships() throws {
    let writer = ModelContext(context.container)
    for number in 0..<4 {
      let group = Batches.Group(name: "\(number)")
      writer.insert(group)
      group.rows = [Batches.Row(number), Batches.Row(number + 10)]
    }
    try writer.save()
    let groups = FetchDescriptor<Batches.Group>(sortBy: [SortDescriptor(\.name)])
    let first = try #require(try context.fetch(groups).first)
    #expect(first.rows.count == 2)
    var kept = [() -> Batches.Row?]()
    var held: Batches.Group?
    try context.enumerate(groups, batchSize: 2, allowEscapingMutations: true) { group in
      #expect(kept.count { $0() != nil } <= 4, "those of one batch and of the group that was there")
      for row in group.rows {
        #expect(row.group === group)
        kept.append { [weak row] in row }
      }
      if group.name == "2" { held = group }
      if group.name == "3" { group.rows[0].number = 100 }
    }
    // Those of the group that was there, and the changed one.
    #expect(kept.count == 8 && kept.count { $0() != nil } == 3)
    let (_, statements) = SQLTrace.record { #expect(first.rows.map(\.number) == [0, 10]) }
    #expect(statements == [])
    #expect(held?.rows.map(\.number) == [2, 12] && held?.rows.first?.group === held)
    try context.save()
    #expect(try writer.fetch(FetchDescriptor<Batches.Row>()).map(\.number).sorted() == [0, 1, 2, 10, 11, 12, 13, 100])
  }

  @Test("Enumerating keeps to limit, offset and predicate, and to a batch size of one's own")
  func enumerateWithBounds() throws {
    try fill(20)
    var descriptor = FetchDescriptor<Batches.Row>(predicate: #Predicate { $0.number % 2 == 0 })
    descriptor.fetchOffset = 2
    descriptor.fetchLimit = 5
    for size in [1, 2, 5, 100, 0, -1] {
      var numbers = [Int]()
      try context.enumerate(descriptor, batchSize: size) { numbers.append($0.number) }
      #expect(numbers == [4, 6, 8, 10, 12])
    }
  }

  @Test("Enumerating refuses a context with unsaved changes, and changes that a batch leaves unsaved")
  func enumerateDirty() throws {
    try fill(4)
    context.insert(Batches.Row(99))
    var calls = 0
    let error = #expect(throws: SwiftDataError.self) {
      try context.enumerate(FetchDescriptor<Batches.Row>()) { _ in calls += 1 }
    }
    #expect(error?.description.contains("allowEscapingMutations") == true)
    #expect(calls == 0)
    try context.enumerate(FetchDescriptor<Batches.Row>(), allowEscapingMutations: true) { _ in calls += 1 }
    #expect(calls == 4)
    context.rollback()
    calls = 0
    #expect(throws: SwiftDataError.self) {
      try context.enumerate(FetchDescriptor<Batches.Row>(), batchSize: 2) { row in
        calls += 1
        row.number += 1
      }
    }
    #expect(calls == 2)
    context.rollback()
    try context.enumerate(FetchDescriptor<Batches.Row>(), batchSize: 2) { row in
      row.number += 100
      try context.save()
    }
    #expect(try context.fetch(FetchDescriptor<Batches.Row>()).map(\.number) == [100, 101, 102, 103])
  }

  @Test("What the block throws ends the enumeration and comes through")
  func enumerateThrows() throws {
    struct Enough: Error {}
    try fill(10)
    var calls = 0
    #expect(throws: Enough.self) {
      try context.enumerate(FetchDescriptor<Batches.Row>()) { _ in
        calls += 1
        if calls == 3 { throw Enough() }
      }
    }
    #expect(calls == 3)
  }

  @Test("A collection of batches is random access and loads what is asked for")
  func collection() throws {
    try fill(1_000)
    let rows = try context.fetch(FetchDescriptor<Batches.Row>(sortBy: [SortDescriptor(\.number)]), batchSize: 50)
    #expect(rows.count == 1_000 && rows.startIndex == 0 && rows.endIndex == 1_000)
    #expect(rows[999].number == 999 && rows[0].number == 0 && rows[500].number == 500)
    #expect(rows.reduce(0) { $0 + $1.number } == 499_500)
    #expect(rows[7] === rows[7])
    #expect(Array(rows[10..<13].map(\.number)) == [10, 11, 12])
    #expect(rows.reversed().prefix(2).map(\.number) == [999, 998])
    let identifiers = try context.fetchIdentifiers(
      FetchDescriptor<Batches.Row>(sortBy: [SortDescriptor(\.number)]), batchSize: 50)
    #expect(identifiers.count == 1_000 && identifiers[3] == rows[3].persistentModelID)
    let none = try context.fetch(FetchDescriptor<Batches.Row>(predicate: #Predicate { $0.number < 0 }), batchSize: 5)
    #expect(none.isEmpty)
  }

  @Test("An element of a batch whose row is gone meanwhile is a placeholder without a context, and nothing traps")
  func collectionOfDeleted() throws {
    try fill(10)
    let rows = try context.fetch(FetchDescriptor<Batches.Row>(), batchSize: 2)
    let other = ModelContext(context.container)
    try other.delete(model: Batches.Row.self, where: #Predicate { $0.number >= 4 })
    try other.save()
    #expect(rows[3].number == 3)
    #expect(rows[6].modelContext == nil)
  }

  @Test("A batch delete follows the delete rules and takes only what matches")
  func batchDelete() throws {
    let (a, b) = (Batches.Group(name: "a"), Batches.Group(name: "b"))
    context.insert(a)
    context.insert(b)
    a.rows = (0..<3).map { Batches.Row($0) }
    b.rows = (3..<5).map { Batches.Row($0) }
    try context.save()
    try context.delete(model: Batches.Group.self, where: #Predicate { $0.name == "a" })
    #expect(a.isDeleted && !b.isDeleted)
    #expect(context.deletedModelsArray.count == 4)
    context.rollback()
    #expect(try context.fetchCount(FetchDescriptor<Batches.Row>()) == 5)
    try context.delete(model: Batches.Group.self, where: #Predicate { $0.name == "a" })
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Batches.Row>()).map(\.number) == [3, 4])
    #expect(a.modelContext == nil)
    let post = Batches.Guard()
    post.group = b
    context.insert(post)
    try context.save()
    try context.delete(model: Batches.Group.self)
    #expect(throws: SwiftDataError.deleteDenied) { try context.save() }
    context.rollback()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Batches.Group>()) == 1)
    try context.delete(model: Batches.Group.self)
    try context.delete(model: Batches.Guard.self)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Batches.Row>()) == 0)
  }

  @Test("A batch delete sees unsaved changes: new objects go, changed ones by their new values")
  func batchDeletePending() throws {
    try fill(3)
    let rows = try context.fetch(FetchDescriptor<Batches.Row>())
    rows[0].number = 50
    context.insert(Batches.Row(60))
    try context.delete(model: Batches.Row.self, where: #Predicate { $0.number >= 50 })
    #expect(context.insertedModelsArray.isEmpty)
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Batches.Row>()).map(\.number) == [1, 2])
  }

  @Test("A transaction saves what its block changed, and saves nothing if the block throws")
  func transaction() throws {
    struct Stop: Error {}
    try context.transaction { context.insert(Batches.Row(1)) }
    #expect(!context.hasChanges)
    #expect(throws: Stop.self) {
      try context.transaction {
        context.insert(Batches.Row(2))
        throw Stop()
      }
    }
    #expect(context.insertedModelsArray.count == 1)
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Batches.Row>()) == 1)
  }
}
