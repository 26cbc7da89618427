import Foundation
import SwiftData
import Testing

@Model private final class Mark {
  var name: String
  init(name: String) { self.name = name }
}

private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

@Suite("Deleting some of the history")
struct DeletedHistoryTests {
  private let store: TemporaryStore
  private let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try store.container(Mark.self)
  }

  private func save(_ authors: String?...) throws {
    for author in authors {
      let context = ModelContext(container)
      context.author = author
      context.insert(Mark(name: "\(author ?? "-")"))
      try context.save()
    }
  }

  private func numbers(_ predicate: Predicate<DefaultHistoryTransaction>? = nil) throws -> [Int64] {
    try ModelContext(container).fetchHistory(Descriptor(predicate: predicate)).map(\.transactionIdentifier)
  }

  private func token(_ number: Int) throws -> DefaultHistoryToken {
    try ModelContext(container).fetchHistory(Descriptor())[number - 1].token
  }

  @Test("expires a token only for those who would have seen what is gone, and names it")
  func byAuthor() throws {
    try save("user", "import", "user", "import", "import", nil, "user")
    let (first, third, fifth) = (try token(1), try token(3), try token(5))
    try ModelContext(container).deleteHistory(Descriptor(predicate: #Predicate { $0.author == "import" }))
    let error = #expect(throws: SwiftDataError.historyTokenExpired) { try numbers(#Predicate { $0.token > first }) }
    #expect(error?.description.contains(#"transaction 2 by "import", transaction 4 to 5 by "import""#) == true)
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try numbers(#Predicate { $0.token > third && $0.author == "import" })
    }
    // Nothing is missing for these.
    #expect(try numbers(#Predicate { $0.token > first && $0.author == "user" }) == [3, 7])
    #expect(try numbers(#Predicate { $0.token > third && $0.author != "import" }) == [6, 7])
    #expect(try numbers(#Predicate { $0.token > fifth }) == [6, 7])
    #expect(try numbers() == [1, 3, 6, 7])
  }

  @Test("expires a token where a condition on changes cannot be decided any more")
  func onChanges() throws {
    try save("user", "import", "user")
    let first = try token(1)
    try ModelContext(container).deleteHistory(Descriptor(predicate: #Predicate { $0.author == "import" }))
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try numbers(#Predicate { $0.token > first && $0.changes.count > 0 })
    }
  }

  @Test("expires no token that is newer than what a retention forgot")
  func retention() throws {
    try save("a", "b")
    let second = try token(2)
    Thread.sleep(forTimeInterval: 0.05)
    let again = try store.container(Mark.self) { $0.historyRetention = .seconds(0.01) }
    let rest = try ModelContext(again).fetchHistory(Descriptor(predicate: #Predicate { $0.token > second }))
    #expect(rest.isEmpty)
  }

  @Test("leaves the tokens of an observer alone that does not count the author")
  @MainActor func observer() throws {
    try save("user", "import", "user")
    let first = try token(1)
    try ModelContext(container).deleteHistory(Descriptor(predicate: #Predicate { $0.author == "import" }))
    let tokens: [String: any HistoryToken] = [first.storeIdentifier: first]
    let observer = try HistoryObserver(historyTokens: tokens, authors: ["user"], modelContainer: container)
    #expect(observer.eventCounter == 1)
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try HistoryObserver(historyTokens: tokens, authors: ["import"], modelContainer: container)
    }
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try HistoryObserver(historyTokens: tokens, modelContainer: container)
    }
  }

  @Test("expires all tokens before it where an earlier version deleted and kept nothing of it")
  func earlierVersion() throws {
    try save("user", "import", "user", "user")
    let (first, third) = (try token(1), try token(3))
    // As such a version left the file.
    _ = try store.shell(
      "DELETE FROM _swiftdata_history WHERE id = 2;"
        + " INSERT OR REPLACE INTO _swiftdata_keys VALUES ('_swiftdata_history', 2)")
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try numbers(#Predicate { $0.token > first && $0.author == "user" })
    }
    try ModelContext(container).deleteHistory(Descriptor(predicate: #Predicate { $0.transactionIdentifier == 1 }))
    let error = #expect(throws: SwiftDataError.historyTokenExpired) {
      try numbers(#Predicate { $0.token > first && $0.author == "user" })
    }
    #expect(error?.description.contains("transactions up to") == true)
    #expect(try numbers(#Predicate { $0.token > third }) == [4])
  }
}
