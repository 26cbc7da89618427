import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

@Model private final class Stroke {
  var name: String
  init(name: String) { self.name = name }
}

private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

@Suite(
  "Deleting some of the history in PostgreSQL", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct PostgresDeletedHistoryTests {
  private let store = TestStore()

  private func save(_ container: ModelContainer, _ authors: String?...) throws {
    for author in authors {
      let context = ModelContext(container)
      context.author = author
      context.insert(Stroke(name: "\(author ?? "-")"))
      try context.save()
    }
  }

  @Test("expires a token only for predicates that would have matched what was deleted, and names the transactions")
  func byAuthor() throws {
    let container = try store.open(Stroke.self)
    try save(container, "user", "import", "user", "import", "import", nil, "user")
    let context = ModelContext(container)
    let all = try context.fetchHistory(Descriptor())
    let (first, third, fifth) = (all[0].token, all[2].token, all[4].token)
    func numbers(_ predicate: Predicate<DefaultHistoryTransaction>? = nil) throws -> [Int] {
      let found = try context.fetchHistory(Descriptor(predicate: predicate)).map(\.transactionIdentifier)
      return found.map { number in all.firstIndex { $0.transactionIdentifier == number }! + 1 }
    }
    try context.deleteHistory(Descriptor(predicate: #Predicate { $0.author == "import" }))
    let error = #expect(throws: SwiftDataError.historyTokenExpired) { try numbers(#Predicate { $0.token > first }) }
    #expect(error?.description.contains(#"by "import""#) == true)
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try numbers(#Predicate { $0.token > third && $0.author == "import" })
    }
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try numbers(#Predicate { $0.token > third && $0.changes.count > 0 })
    }
    // Nothing is missing for these.
    #expect(try numbers(#Predicate { $0.token > first && $0.author == "user" }) == [3, 7])
    #expect(try numbers(#Predicate { $0.token > third && $0.author != "import" }) == [6, 7])
    #expect(try numbers(#Predicate { $0.token > fifth }) == [6, 7])
    #expect(try numbers() == [1, 3, 6, 7])
  }

  @Test("expires every token when all rows are deleted, and keeps the identifiers of the saves")
  func allRows() throws {
    let container = try store.open(Stroke.self)
    try save(container, "import", "user", "user")
    let context = ModelContext(container)
    try context.deleteHistory(Descriptor(predicate: #Predicate { $0.author == "import" }))
    let token = try #require(try context.fetchHistory(Descriptor()).last?.token)
    let saves = try store.sql("SELECT save FROM _swiftdata_history").count
    container.deleteAllData()
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > token && $0.author == "user" }))
    }
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > token && $0.author == "other" }))
    }
    #expect(try store.sql("SELECT 1 FROM _swiftdata_history_gone WHERE save IS NOT NULL").count == saves + 1)
  }
}
