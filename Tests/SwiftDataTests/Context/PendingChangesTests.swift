import Foundation
import SwiftData
import Testing

private enum Pending {
  @Model final class Line {
    var text: String
    var rank: Int
    init(_ text: String, _ rank: Int) { (self.text, self.rank) = (text, rank) }
  }
}

/// Fetches in a context with unsaved changes: four stored lines, of which one is changed, one deleted, and one new.
@Suite struct PendingChangesTests {
  private let context: ModelContext

  init() throws {
    context = try memoryContext(Pending.Line.self)
    for (index, text) in ["a", "b", "c", "d"].enumerated() { context.insert(Pending.Line(text, index * 10)) }
    try context.save()
    let lines = try context.fetch(FetchDescriptor<Pending.Line>())
    lines[0].rank = 35
    context.delete(lines[1])
    context.insert(Pending.Line("e", 15))
  }

  private func texts(_ descriptor: FetchDescriptor<Pending.Line>) throws -> [String] {
    let found = try context.fetch(descriptor)
    #expect(try context.fetchCount(descriptor) == found.count)
    #expect(try context.fetchIdentifiers(descriptor) == found.map(\.persistentModelID))
    return found.map(\.text)
  }

  @Test("A fetch has new objects, not deleted ones, in the order of age")
  func all() throws {
    #expect(try texts(FetchDescriptor()) == ["a", "c", "d", "e"])
  }

  @Test("Predicates and orders see the unsaved values")
  func predicateAndOrder() throws {
    let byRank = [SortDescriptor(\Pending.Line.rank)]
    #expect(try texts(FetchDescriptor(sortBy: byRank)) == ["e", "c", "d", "a"])
    #expect(try texts(FetchDescriptor(sortBy: [SortDescriptor(\.rank, order: .reverse)])) == ["a", "d", "c", "e"])
    #expect(try texts(FetchDescriptor(predicate: #Predicate { $0.rank > 20 }, sortBy: byRank)) == ["d", "a"])
    #expect(try texts(FetchDescriptor(predicate: #Predicate { $0.rank == 0 })) == [])
    #expect(try texts(FetchDescriptor(predicate: #Predicate { $0.text == "b" })) == [])
  }

  @Test("Limit and offset come after all of that")
  func limitAndOffset() throws {
    var descriptor = FetchDescriptor<Pending.Line>(sortBy: [SortDescriptor(\.rank)])
    descriptor.fetchLimit = 2
    #expect(try texts(descriptor) == ["e", "c"])
    descriptor.fetchOffset = 1
    #expect(try texts(descriptor) == ["c", "d"])
    descriptor.fetchOffset = 3
    #expect(try texts(descriptor) == ["a"])
    descriptor.fetchOffset = 10
    #expect(try texts(descriptor) == [])
    descriptor.fetchLimit = 0
    descriptor.fetchOffset = nil
    #expect(try texts(descriptor) == [])
    descriptor.fetchLimit = nil
    descriptor.fetchOffset = 2
    #expect(try texts(descriptor) == ["d", "a"])
  }

  @Test("Without pending changes, a fetch asks the store alone, and objects keep their unsaved values")
  func without() throws {
    var descriptor = FetchDescriptor<Pending.Line>(sortBy: [SortDescriptor(\.rank)])
    descriptor.includePendingChanges = false
    #expect(try texts(descriptor) == ["a", "b", "c", "d"])
    #expect(try context.fetch(descriptor).map(\.rank) == [35, 10, 20, 30])
    descriptor.predicate = #Predicate { $0.rank < 5 }
    #expect(try texts(descriptor) == ["a"])
  }

  @Test("Bounds that make no sense trap nowhere, with and without pending changes")
  func bounds() throws {
    for pending in [true, false] {
      for (limit, offset) in [(-1, nil), (nil, -3), (-5, -5), (.max, 1), (.max, .max), (.min, .min)] as [(Int?, Int?)] {
        var descriptor = FetchDescriptor<Pending.Line>()
        descriptor.includePendingChanges = pending
        descriptor.fetchLimit = limit
        descriptor.fetchOffset = offset
        let all = pending ? ["a", "c", "d", "e"] : ["a", "b", "c", "d"]
        let expected = all.dropFirst(max(0, offset ?? 0)).prefix(limit.flatMap { $0 < 0 ? nil : $0 } ?? .max)
        #expect(try texts(descriptor) == Array(expected), "limit \(limit as Any), offset \(offset as Any)")
      }
    }
  }

  @Test("A fetch in batches refuses to include unsaved changes, and does without")
  func batches() throws {
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
      try context.fetch(FetchDescriptor<Pending.Line>(), batchSize: 2)
    }
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
      try context.fetchIdentifiers(FetchDescriptor<Pending.Line>(), batchSize: 2)
    }
    var descriptor = FetchDescriptor<Pending.Line>(sortBy: [SortDescriptor(\.text, order: .reverse)])
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor, batchSize: 3).map(\.text) == ["d", "c", "b", "a"])
    #expect(try context.fetchIdentifiers(descriptor, batchSize: 3).count == 4)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Pending.Line>(), batchSize: 0).map(\.text) == ["a", "c", "d", "e"])
  }

  @Test("A repeated fetch beside many unsaved objects has a changed one that another context deleted, until a rollback")
  func deletedElsewhere() throws {
    for rank in 0..<100 { context.insert(Pending.Line("new", rank)) }
    #expect(try texts(FetchDescriptor()).count == 104)
    let other = ModelContext(context.container)
    for line in try other.fetch(FetchDescriptor<Pending.Line>()) where line.text == "a" { other.delete(line) }
    try other.save()
    #expect(try texts(FetchDescriptor()).sorted().prefix(4) == ["a", "c", "d", "e"])
    #expect(try texts(FetchDescriptor()).count == 104)
    #expect(throws: SwiftDataError.staleObject) { try context.save() }
    context.rollback()
    #expect(try texts(FetchDescriptor()) == ["b", "c", "d"])
  }

  @Test("After the save the same fetches give the same results from the store")
  func saved() throws {
    let byRank = FetchDescriptor<Pending.Line>(sortBy: [SortDescriptor(\.rank)])
    let before = try texts(byRank)
    try context.save()
    #expect(try texts(byRank) == before)
    #expect(try ModelContext(context.container).fetch(byRank).map(\.text) == before)
  }
}
