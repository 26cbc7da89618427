import Foundation
@_spi(Transactions) import SwiftData
import Testing

private enum Ended {
  @Model final class Entry {
    @Attribute(.unique) var name: String
    init(_ name: String) { self.name = name }
  }
}

/// SQLite ends a transaction itself where a disk is full. A trigger does the same here.
@Suite("A transaction of several saves that SQLite ends") struct EndedTransactionTests {
  private let store: TemporaryStore
  private let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try store.container(Ended.Entry.self)
    try save("before")
    let trigger =
      "CREATE TRIGGER full BEFORE INSERT ON Entry WHEN NEW.name = 'big' BEGIN SELECT RAISE(ROLLBACK, 'full'); END"
    #expect(try store.shell(trigger) == "")
  }

  private func save(_ name: String) throws {
    let context = ModelContext(container)
    context.insert(Ended.Entry(name))
    try context.save()
  }

  private func names() throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Ended.Entry>(sortBy: [SortDescriptor(\.name)])).map(\.name)
  }

  /// A transaction whose second save SQLite refuses, together with the first.
  private func run(_ rest: () throws -> Void) throws {
    func body() throws {
      try save("first")
      #expect(throws: (any Error).self) { try save("big") }
      try rest()
    }
    #expect(throws: SwiftDataError.self) { try container.transaction(body) }
  }

  @Test("refuses each later save, and nothing of it is stored")
  func laterSave() throws {
    try run {
      let error = #expect(throws: SwiftDataError.self) { try save("last") }
      #expect(error?.description.contains("transaction of several saves") == true)
    }
    #expect(try names() == ["before"])
    try save("after")
    #expect(try names() == ["after", "before"])
  }

  @Test("refuses each later fetch, which would see a store without its first save")
  func laterFetch() throws {
    try run { #expect(throws: SwiftDataError.self) { try names() } }
  }

  @Test("refuses each later statement over other tables")
  func laterStatement() throws {
    let shared = container.core.sqliteStores[0]
    try run {
      #expect(throws: SwiftDataError.self) { try shared.execute("DELETE FROM Entry", []) }
      #expect(throws: SwiftDataError.self) { try shared.rows("SELECT 1", []) }
    }
    #expect(try names() == ["before"])
  }

  @Test("throws also if its body hides the error, and runs nothing that was to follow the commit")
  func hidden() throws {
    var followed = false
    try run { container.core.sqliteStores[0].afterCommit { followed = true } }
    #expect(!followed)
    #expect(try names() == ["before"])
  }
}
