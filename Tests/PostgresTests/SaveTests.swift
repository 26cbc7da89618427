import Foundation
import SwiftData
import Testing

@testable import SwiftDataPostgres

private enum SaveModels {
  @Model final class Account {
    @Attribute(.unique) var code: String
    var amount: Int
    var note: String?
    @Relationship(deleteRule: .cascade, inverse: \Entry.account) var entries: [Entry] = []
    init(_ code: String, _ amount: Int = 0) {
      self.code = code
      self.amount = amount
    }
  }

  @Model final class Entry {
    var text: String
    var account: Account?
    var labels: [Label] = []
    init(_ text: String, _ account: Account? = nil) {
      self.text = text
      self.account = account
    }
  }

  @Model final class Secret {
    @Attribute(.unique, .allowsCloudEncryption) var code: String
    init(_ code: String) { self.code = code }
  }

  @Model final class Draft {
    var text: String
    init(_ text: String) { self.text = text }
  }

  @Model final class Label {
    var name: String
    @Relationship(inverse: \Entry.labels) var entries: [Entry] = []
    init(_ name: String) { self.name = name }
  }
}
private typealias Account = SaveModels.Account
private typealias Entry = SaveModels.Entry
private typealias Label = SaveModels.Label
private typealias Draft = SaveModels.Draft

@Suite("Saving to PostgreSQL", .enabled(if: PostgresServer.isThere, PostgresServer.reason)) struct PostgresSaveTests {
  private let store = TestStore()
  private func open() throws -> ModelContainer { try store.open(Account.self, Entry.self, Label.self) }

  private func account(_ code: String, _ context: ModelContext) throws -> Account {
    try #require(try context.fetch(FetchDescriptor<Account>(predicate: #Predicate { $0.code == code })).first)
  }

  @Test("names no value of an encrypted attribute in an error")
  func secret() throws {
    let context = ModelContext(try store.open(SaveModels.Secret.self))
    let (a, b) = (SaveModels.Secret("hidden"), SaveModels.Secret("b"))
    context.insert(a)
    context.insert(b)
    try context.save()
    b.code = "hidden"
    let error = #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
    #expect(error?.message?.hasPrefix("another stored object has the same value;") == true)
  }

  @Test("keeps what two programs changed of one row")
  func merged() throws {
    let (one, two) = (ModelContext(try open()), ModelContext(try open()))
    one.insert(Account("a"))
    try one.save()
    let (first, second) = (try account("a", one), try account("a", two))
    first.amount = 5
    second.note = "seen"
    try one.save()
    try two.save()
    let found = try account("a", ModelContext(try open()))
    #expect(found.amount == 5)
    #expect(found.note == "seen")
  }

  @Test("keeps what two programs add to one list")
  func lists() throws {
    let (one, two) = (ModelContext(try open()), ModelContext(try open()))
    one.insert(Account("a"))
    try one.save()
    let (first, second) = (try account("a", one), try account("a", two))
    #expect(first.entries.isEmpty && second.entries.isEmpty)
    first.entries.append(Entry("x"))
    second.entries.append(Entry("y"))
    let label = Label("l")
    first.entries[0].labels.append(label)
    try one.save()
    try two.save()
    let third = ModelContext(try open())
    #expect(Set(try account("a", third).entries.map(\.text)) == ["x", "y"])
    #expect(try third.fetch(FetchDescriptor<Label>()).first?.entries.map(\.text) == ["x"])
  }

  @Test("lets two rows exchange their unique values")
  func exchange() throws {
    let context = ModelContext(try open())
    let (a, b) = (Account("a", 1), Account("b", 2))
    context.insert(a)
    context.insert(b)
    try context.save()
    (a.code, b.code) = ("b", "a")
    try context.save()
    #expect(try account("a", ModelContext(try open())).amount == 2)
  }

  @Test("refuses an update that would make a unique value double, and changes nothing")
  func double() throws {
    let context = ModelContext(try open())
    let (a, b) = (Account("a", 1), Account("b", 2))
    context.insert(a)
    context.insert(b)
    try context.save()
    a.code = "b"
    a.amount = 7
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.code == SwiftDataError.uniquenessViolation.code)
    #expect(error?.entity == "Account")
    #expect(error?.property == "code")
    #expect(error?.message?.hasPrefix("another stored object has the value \"b\";") == true)
    #expect(try account("a", ModelContext(try open())).amount == 1)
    #expect(context.hasChanges)
  }

  @Test("makes one row of what many programs insert with one unique value at a time")
  func upserts() throws {
    _ = try open()
    let containers = try (0..<4).map { _ in try open() }
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      do {
        for round in 0..<5 {
          let context = ModelContext(containers[thread])
          context.insert(Account("same", thread))
          context.insert(Account("\(thread)-\(round)"))
          try context.save()
        }
      } catch {
        Issue.record(error)
      }
    }
    let all = try ModelContext(try open()).fetch(FetchDescriptor<Account>())
    #expect(all.filter { $0.code == "same" }.count == 1)
    #expect(all.count == 21)
  }

  @Test("writes many new models over stored ones in a few statements, the last of each value last (issue 21)")
  func manyUpserts() throws {
    let first = ModelContext(try open())
    for number in 0..<50 { first.insert(Account("\(number)", number)) }
    try first.save()
    let second = ModelContext(try open())
    // A value of a stored row twice, and a new value twice.
    for number in 0..<60 { second.insert(Account("\(number)", 100 + number)) }
    second.insert(Account("7", 1_000))
    second.insert(Account("59", 2_000))
    let (_, statements) = try SQLTrace.record { try second.save() }
    #expect(statements.filter { $0.hasPrefix("UPDATE \"Account\"") }.count <= 3)
    let all = try ModelContext(try open()).fetch(FetchDescriptor<Account>())
    let amounts = Dictionary(all.map { ($0.code, $0.amount) }) { _, _ in -1 }
    #expect(amounts.count == 60)
    for number in 0..<60 where number != 7 && number != 59 { #expect(amounts["\(number)"] == 100 + number) }
    #expect(amounts["7"] == 1_000)
    #expect(amounts["59"] == 2_000)
  }

  @Test("undoes what a file got where the server refuses its part of the save (issue 21)")
  func twoStores() throws {
    let file = ModelConfiguration("file", schema: Schema([Draft.self]), isStoredInMemoryOnly: true)
    var server = store.configuration
    server.schema = Schema([Account.self, Entry.self, Label.self])
    let container = try ModelContainer(
      for: Draft.self, Account.self, Entry.self, Label.self, configurations: file, server)
    let (one, two) = (ModelContext(container), ModelContext(try open()))
    let account = Account("a")
    one.insert(account)
    try one.save()
    two.delete(try self.account("a", two))
    try two.save()
    one.insert(Draft("d"))
    account.amount = 1
    #expect(throws: SwiftDataError.staleObject) { try one.save() }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Draft>()) == 0)
    one.delete(account)
    try one.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Draft>()) == 1)
  }

  @Test("says that a changed model was deleted by another program")
  func stale() throws {
    let (one, two) = (ModelContext(try open()), ModelContext(try open()))
    one.insert(Account("a"))
    try one.save()
    let kept = try account("a", two)
    one.delete(try account("a", one))
    try one.save()
    kept.amount = 9
    #expect(throws: SwiftDataError.staleObject) { try two.save() }
    #expect(try ModelContext(try open()).fetchCount(FetchDescriptor<Account>()) == 0)
  }

  @Test("numbers the saves of all programs in the order in which they are seen")
  func history() throws {
    let containers = try (0..<4).map { _ in try open() }
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      do {
        for round in 0..<10 {
          let context = ModelContext(containers[thread])
          context.author = "\(thread)"
          context.insert(Account("\(thread).\(round)"))
          try context.save()
        }
      } catch {
        Issue.record(error)
      }
    }
    let history = try ModelContext(try open()).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.transactionIdentifier) == Array(1...40))
    #expect(history.allSatisfy { $0.changes.count == 1 })
    #expect(Set(history.compactMap(\.author)) == ["0", "1", "2", "3"])
  }

  @Test("survives connections that the server closes between the calls")
  func closed() throws {
    let container = try open()
    let context = ModelContext(container)
    for round in 0..<5 {
      context.insert(Account("\(round)"))
      try context.save()
      let closed = try store.sql(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
          + " WHERE pid <> pg_backend_pid() AND application_name = 'swiftdata \(store.namespace)'")
      #expect(closed.integer(0, 0) > 0)
      #expect(try context.fetchCount(FetchDescriptor<Account>()) == round + 1)
    }
  }
}

@Suite("The history of a PostgreSQL store", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct PostgresRetentionTests {
  @Test("forgets what is older than the configuration says, when it is opened and after every hundredth save")
  func retention() throws {
    let store = TestStore()
    func open(_ age: Duration?) throws -> ModelContext {
      var configuration = store.configuration
      configuration.historyRetention = age
      return ModelContext(try ModelContainer(for: Schema([Account.self]), configurations: configuration))
    }
    func count(_ context: ModelContext) throws -> Int {
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count
    }
    let first = try open(nil)
    for number in 0..<3 {
      first.insert(Account("\(number)"))
      try first.save()
    }
    let token = try #require(try first.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).first?.token)
    try store.sql("UPDATE _swiftdata_history SET timestamp = timestamp - 1000")
    #expect(try count(try open(.seconds(2_000))) == 3)
    let second = try open(.seconds(500))
    #expect(try count(second) == 0)
    #expect(try store.sql("SELECT 1 FROM _swiftdata_changes").count == 0)
    let after = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
    #expect(throws: SwiftDataError.historyTokenExpired) { try second.fetchHistory(after) }
    for number in 3..<102 {
      second.insert(Account("\(number)"))
      try second.save()
    }
    try store.sql("UPDATE _swiftdata_history SET timestamp = timestamp - 1000 WHERE id < 50")
    second.insert(Account("last"))
    try second.save()
    #expect(try count(second) == 103 - 49)
    #expect(try second.fetchCount(FetchDescriptor<Account>()) == 103)
  }

  @Test("looks at the oldest part of the history alone, and also at what is behind saves of a fast clock")
  func oldest() throws {
    let store = TestStore()
    let container = try store.open([Account.self]) { $0.historyRetention = .seconds(10_000) }
    /// - Parameter age: the seconds since the save.
    func save(_ ids: ClosedRange<Int>, age: Int) throws {
      try store.sql(
        "INSERT INTO _swiftdata_history (save, id, timestamp, program, process, origin) SELECT gen_random_uuid(), n,"
          + " extract(epoch FROM now()) - 978307200 - \(age), 'p', '1', gen_random_uuid()"
          + " FROM generate_series(\(ids.lowerBound), \(ids.upperBound)) AS n")
    }
    try save(1...5, age: 20_000)
    try save(6...2_500, age: -500_000_000)
    try save(2_501...2_505, age: 20_000)
    try save(2_506...50_000, age: 1_000)
    try store.sql(
      "INSERT INTO _swiftdata_numbers (name, last) VALUES ('history', 50000) ON CONFLICT (name) DO UPDATE SET last = 50000"
    )
    try store.sql("ANALYZE _swiftdata_history")
    let counts = "FROM pg_stat_user_tables WHERE schemaname = current_schema() AND relname = '_swiftdata_history'"
    // The server counts after the end of a connection.
    func wait(inserted: Int) throws -> (scanned: Int64, fetched: Int64) {
      while true {
        let found = try store.sql("SELECT n_tup_ins, seq_tup_read, idx_tup_fetch \(counts)")
        if found.integer(0, 0) >= inserted { return (found.integer(0, 1), found.integer(0, 2)) }
        try Task.checkCancellation()
        Thread.sleep(forTimeInterval: 0.02)
      }
    }
    let before = try wait(inserted: 50_000)
    let context = ModelContext(container)
    for number in 0..<100 {
      context.insert(Account("\(number)"))
      try context.save()
    }
    let connections = try #require((container.core.stores.first as? PostgresStore)?.connections)
    connections.close()
    let after = try wait(inserted: 50_100)
    // One page and the part with the fast clock, each read once and a part of it again for the deletion.
    #expect(after.fetched - before.fetched < 10_000)
    #expect(after.scanned == before.scanned)
    #expect(try store.sql("SELECT 1 FROM _swiftdata_history").count == 50_090)
  }

  @Test("Thousands of new models go by COPY, odd values and all")
  func copied() throws {
    let store = TestStore()
    let context = ModelContext(try store.open(Account.self, Entry.self, Label.self))
    for number in 0..<2_500 {
      let account = Account("\(number)", number)
      account.note = number % 3 == 0 ? nil : number % 3 == 1 ? "e\u{301}\u{0}\t\\N" : "\u{1}\n"
      account.entries = [Entry("entry \(number)")]
      context.insert(account)
    }
    let (_, statements) = try SQLTrace.record { try context.save() }
    #expect(statements.count { $0.hasPrefix("COPY") } == 2)
    let stored = try ModelContext(context.container).fetch(FetchDescriptor<Account>(sortBy: [SortDescriptor(\.amount)]))
    #expect(stored.map(\.amount) == Array(0..<2_500))
    #expect(stored[1].note?.unicodeScalars.elementsEqual("e\u{301}\u{0}\t\\N".unicodeScalars) == true)
    #expect(stored[2].note == "\u{1}\n")
    #expect(stored[3].note == nil)
    #expect(stored[1_234].entries.map(\.text) == ["entry 1234"])
    // A collision among many is written over the stored model, and the save of the rest goes on.
    for number in 0..<1_500 { context.insert(Account("\(number + 2_000)", -number)) }
    try context.save()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Account>()) == 3_500)
  }
}
