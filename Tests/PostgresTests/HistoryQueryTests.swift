import Foundation
import SwiftDataTesting
import Testing

@testable import SwiftData
@testable import SwiftDataPostgres

@Model private final class Line {
  var number: Int
  init(number: Int) { self.number = number }
}

private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

@Suite(
  "PostgreSQL: fetches of some of a long history", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct PostgresHistoryQueryTests {
  private let store = TestStore()

  /// A store with as many transactions.
  private func saved(_ count: Int) throws -> ModelContext {
    let context = ModelContext(try store.open(Line.self))
    for number in 0..<count {
      context.author = ["a", nil, "e\u{301}"][number % 3]
      context.insert(Line(number: number))
      try context.save()
    }
    return context
  }

  @Test("The newest transactions are two statements: one with the limit, and one for their changes")
  func newest() throws {
    let context = try saved(600)
    for order in [
      SortDescriptor(\DefaultHistoryTransaction.token, order: .reverse), .init(\.timestamp, order: .reverse),
    ] {
      var descriptor = Descriptor(sortBy: [order])
      descriptor.fetchLimit = 3
      let (found, statements) = try SQLTrace.record { try context.fetchHistory(descriptor) }
      let newest = try #require(found.first?.transactionIdentifier)
      #expect(found.map(\.transactionIdentifier) == [newest, newest - 1, newest - 2])
      #expect(found.allSatisfy { $0.changes.count == 1 })
      #expect(statements.count == 2)
    }
  }

  @Test("A fetch is what Swift computes, also where times are equal or go back")
  func law() throws {
    let context = try saved(12)
    try store.sql("UPDATE \(ServerNames.history) SET timestamp = 1000 + id * 7 % 5")
    try HistoryLaw.verify(context)
  }

  @Test("Numbers that another program wrote into the history are refused", arguments: [.min, -1, 0, .max] as [Int64])
  func foreignNumbers(number: Int64) throws {
    let context = try saved(3)
    for column in ["count", "key", "id"] {
      try store.sql(
        "UPDATE \(ServerNames.changes) SET \(column) = $1::bigint WHERE id = (SELECT max(id) FROM \(ServerNames.changes))",
        [.integer(number)])
      // No number traps. Only some are no run of keys.
      let found = try? context.fetchHistory(Descriptor())
      #expect(found == nil || column != "count")
    }
    if number == .max { #expect(throws: SwiftDataError.storeDamaged) { try context.fetchHistory(Descriptor()) } }
  }

  @Test("A sequence that another program moved to its end refuses the save")
  func foreignSequence() throws {
    let context = try saved(1)
    let sequence = ServerNames.keys(of: "Line").quotedIdentifier
    try store.sql("SELECT setval($1::text::regclass, 9223372036854775700)", [.text(sequence)])
    let other = ModelContext(try store.open(Line.self))
    for number in 0..<200 { other.insert(Line(number: number)) }
    #expect(throws: SwiftDataError.self) { try other.save() }
    #expect(try context.fetchCount(FetchDescriptor<Line>()) == 1)
  }
}
