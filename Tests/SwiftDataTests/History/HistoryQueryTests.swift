import Foundation
import SwiftDataTesting
import Testing

@testable import SwiftData

private enum Ledger {
  @Model final class Line {
    var number: Int
    init(number: Int) { self.number = number }
  }
}

private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>
private typealias Order = SortDescriptor<DefaultHistoryTransaction>

@Suite("Fetches of some of a long history") struct HistoryQueryTests {
  private let store: TemporaryStore
  private let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    context = ModelContext(try store.container(Ledger.Line.self))
  }

  /// Saves as many transactions, by two authors in turns.
  private func save(_ count: Int) throws {
    for number in 0..<count {
      context.author = number.isMultiple(of: 2) ? "even" : "odd"
      context.insert(Ledger.Line(number: number))
      try context.save()
    }
  }

  private static func limited(
    _ limit: UInt64, _ predicate: Predicate<DefaultHistoryTransaction>? = nil, _ order: Order...
  ) -> Descriptor {
    var descriptor = Descriptor(predicate: predicate, sortBy: order)
    descriptor.fetchLimit = limit
    return descriptor
  }

  private static let newestOnes = [
    limited(20, nil, Order(\.transactionIdentifier, order: .reverse)),
    limited(20, nil, Order(\.token, order: .reverse)),
    limited(20, nil, Order(\.id, order: .reverse), Order(\.author)),
    limited(20, #Predicate { $0.author == "even" }, Order(\.transactionIdentifier, order: .reverse)),
  ]

  @Test("The newest transactions cost the same, however long the history is", arguments: newestOnes.indices)
  func newest(_ index: Int) throws {
    func cost() throws -> (statements: Int, steps: Int) {
      let (found, statements) = try SQLTrace.record { try context.fetchHistory(Self.newestOnes[index]) }
      #expect(found.count == 20 && found.allSatisfy { $0.changes.count == 1 })
      return (statements.count, try SQLTrace.steps { _ = try context.fetchHistory(Self.newestOnes[index]) })
    }
    try save(100)
    let small = try cost()
    try save(900)
    let large = try cost()
    #expect(small.statements == 2)
    #expect(large == small)
  }

  @Test("A token and a number bound what is read from both sides")
  func between() throws {
    try save(1000)
    let all = try context.fetchHistory(Descriptor())
    let (first, last) = (all[500].token, all[509].token)
    let descriptors = [
      Descriptor(predicate: #Predicate { $0.token > first && $0.token <= last }),
      Descriptor(predicate: #Predicate { $0.transactionIdentifier > 501 && $0.transactionIdentifier < 511 }),
    ]
    for descriptor in descriptors {
      // The first run takes over the steps that the prepared statements have counted so far.
      let found = try SQLTrace.record { try context.fetchHistory(descriptor) }.result
      let steps = try SQLTrace.steps { _ = try context.fetchHistory(descriptor) }
      #expect(found.map(\.token) == all[501...509].map(\.token))
      #expect(steps < 1000)
    }
  }

  @Test("Only the changes of selected transactions are read, in whatever order, and none to delete transactions")
  func heads() throws {
    try save(30)
    let all = try context.fetchHistory(Descriptor())
    let (time, first) = (all[9].timestamp, all[0].token)
    // Reading the changes of any of these would throw.
    _ = try store.shell("UPDATE _swiftdata_history SET changes = 'damaged' WHERE id <= 10 OR id % 2 = 0")
    let descriptors = [
      Self.limited(1, #Predicate { $0.author == "even" }, Order(\.timestamp, order: .reverse)),
      Self.limited(1, #Predicate { $0.timestamp > time }),
      Self.limited(1, nil, Order(\.author), Order(\.token, order: .reverse)),
      Descriptor(predicate: #Predicate { $0.author == "even" && $0.transactionIdentifier > 10 }),
    ]
    #expect(
      try descriptors.map { try context.fetchHistory($0).map(\.transactionIdentifier) } == [
        [29], [11], [29], [11, 13, 15, 17, 19, 21, 23, 25, 27, 29],
      ])
    try context.deleteHistory(Self.limited(3, #Predicate { $0.token > first }, Order(\.timestamp)))
    #expect(try store.shell("SELECT min(id), count(*) FROM _swiftdata_history WHERE id > 1") == "5|26")
  }

  @Test("A fetch is what Swift computes, also where times are equal or go back")
  func law() throws {
    try save(12)
    _ = try store.shell("UPDATE _swiftdata_history SET timestamp = 1000 + id * 7 % 5, author = nullif(author, 'odd')")
    try HistoryLaw.verify(context)
  }

  @Test("A predicate that rejects most transactions reads pages of growing size")
  func sparse() throws {
    try save(1000)
    _ = try store.shell("UPDATE _swiftdata_history SET author = 'e' || char(769) WHERE id = 3")
    let descriptor = Self.limited(1, #Predicate { $0.author == "é" }, Order(\.token, order: .reverse))
    let (found, statements) = try SQLTrace.record { try context.fetchHistory(descriptor) }
    #expect(found.map(\.transactionIdentifier) == [3])
    // One for the head, because authors in ASCII are compared by the database, and one for the changes.
    #expect(statements.count == 2)
    let process = Self.limited(1, #Predicate { $0.processIdentifier == "none" })
    // 1, 2, 4, … 256 transactions, then the rest.
    #expect(try SQLTrace.record { try context.fetchHistory(process) }.statements.count == 10)
  }
}
