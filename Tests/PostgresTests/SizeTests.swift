import Foundation
import SwiftData
import Testing

@testable import SwiftDataPostgres

@Model private final class Big {
  var number: Int
  var data: Data
  init(_ number: Int, _ count: Int) { (self.number, data) = (number, Data(count: count)) }
}

@Suite("Large values in PostgreSQL", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct SizeTests {
  private let store = TestStore()

  @Test("that exceed a message are refused with the property before anything is sent", arguments: [1 << 30, 1 << 31])
  func refused(size: Int) throws {
    let context = ModelContext(try store.open(Big.self))
    context.insert(Big(1, size))
    let (error, statements) = SQLTrace.record { () -> SwiftDataError? in
      #expect(throws: SwiftDataError.self) { try context.save() }
    }
    #expect(error?.code == SwiftDataError.unwritableValue.code)
    #expect(error?.entity == "Big" && error?.property == "data")
    #expect(statements.allSatisfy { !$0.contains("\"Big\" (") })
    #expect(try store.sql("SELECT 1 FROM \"Big\"").count == 0)
  }

  @Test("in a predicate that exceed a message are refused")
  func predicate() throws {
    let context = ModelContext(try store.open(Big.self))
    let data = Data(count: 1 << 31)
    let error = #expect(throws: SwiftDataError.self) {
      try context.fetchCount(FetchDescriptor<Big>(predicate: #Predicate { $0.data == data }))
    }
    #expect(error?.code == SwiftDataError.io.code)
  }

  @Test("of one save are sent in several statements")
  func parts() throws {
    let context = ModelContext(try store.open(Big.self))
    for number in 0..<3 { context.insert(Big(number, 30_000_000)) }
    let (_, statements) = try SQLTrace.record { try context.save() }
    #expect(statements.count { $0.hasPrefix("INSERT INTO \"Big\"") } == 2)
    #expect(try store.sql("SELECT 1 FROM \"Big\" WHERE length(data) = 30000000").count == 3)
  }

  @Test("divide rows into parts without losing one")
  func division() {
    let rows = RowBuffer([("number", .bigint), ("data", .bytea)])
    for number in 0..<10 { rows.append([.integer(Int64(number)), .blob(Data(count: number == 4 ? 500 : 80))]) }
    #expect(rows.parts(5, bytes: 1_000_000).map(\.count) == [5, 5])
    // A row has 98 bytes, and the fifth 518.
    #expect(rows.parts(5, bytes: 250).map(\.count) == [2, 2, 1, 2, 2, 1])
    #expect(rows.parts(5, bytes: 1).map(\.count) == Array(repeating: 1, count: 10))
  }
}
