import Foundation
import PostgresServers
@_spi(Transactions) import SwiftData
import Testing

@testable import SwiftDataPostgres

@Suite(
  "A server behind PgBouncer", .enabled(if: PostgresServer.isThere, PostgresServer.reason),
  .enabled(if: PrivatePooler.isInstalled, "no pgbouncer: `make test-all` installs it"), .serialized,
  .timeLimit(.minutes(20)))
struct PoolerTests {
  @Test("is recognised, and keeps what several programs save exactly once", arguments: ["session", "transaction"])
  func writing(_ mode: String) throws {
    let pooler = try PrivatePooler(mode)
    defer { pooler.stop() }
    let connection = try PostgresConnection(url: pooler.url, namespace: "public")
    #expect(connection.isPooled)
    #expect(try !PostgresConnection(url: pooler.direct, namespace: "public").isPooled)
    let store = TestStore(url: pooler.url)
    // More programs than PgBouncer has connections to the server, when it pools transactions.
    let writers = try Writers(6, url: pooler.url, store.namespace)
    try writers.write(for: 3, acknowledging: 21)
    let lines = try writers.finish()
    #expect(lines.acknowledged.count > 20)
    #expect(lines.refused.isEmpty)
    try lines.expectExactlyOnce(in: store)
  }

  @Test(
    "gives each namespace its own tables, whichever connection a statement gets", arguments: ["session", "transaction"])
  func namespaces(_ mode: String) throws {
    let pooler = try PrivatePooler(mode)
    defer { pooler.stop() }
    let stores = (0..<3).map { _ in TestStore(url: pooler.url) }
    let containers = try stores.map { try $0.open(Parcel.self) }
    DispatchQueue.concurrentPerform(iterations: 30) { number in
      let context = ModelContext(containers[number % 3])
      context.insert(Parcel(number % 3, "parcel \(number) to the Zürich office"))
      #expect(throws: Never.self) { try context.save() }
    }
    for (number, container) in containers.enumerated() {
      let context = ModelContext(container)
      #expect(try context.fetch(FetchDescriptor<Parcel>()).map(\.number) == Array(repeating: number, count: 10))
      #expect(try context.fetchCount(FetchDescriptor<Parcel>(predicate: #Predicate { $0.number == number })) == 10)
      #expect(try context.search(Parcel.self, matching: "office").count == 10)
      try context.delete(model: Parcel.self)
      try context.save()
      #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 11)
    }
  }

  @Test("keeps a transaction with a fetch that it cannot compute", arguments: ["session", "transaction"])
  func transactions(_ mode: String) throws {
    let pooler = try PrivatePooler(mode)
    defer { pooler.stop() }
    let store = TestStore(url: pooler.url)
    let container = try store.open(Parcel.self)
    let unknown = FetchDescriptor<Parcel>(predicate: #Predicate { $0.label.localizedStandardContains("ZURICH") })
    try container.transaction {
      let context = ModelContext(container)
      context.insert(Parcel(1, "Zürich"))
      try context.save()
      #expect(try context.fetchCount(unknown) == 1)
      context.insert(Parcel(2, "Bern"))
      try context.save()
      try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
    let later = ModelContext(container)
    #expect(try later.fetchCount(FetchDescriptor<Parcel>()) == 2)
    container.deleteAllData()
    #expect(try later.fetchCount(FetchDescriptor<Parcel>()) == 0)
  }

  @Test("hears of other programs: by the history, or by a connection to the server itself", arguments: [false, true])
  func listening(_ isDirect: Bool) async throws {
    let pooler = try PrivatePooler("transaction")
    defer { pooler.stop() }
    let store = TestStore(url: pooler.url)
    var configuration = store.configuration
    if isDirect { configuration.listenURL = pooler.direct }
    let here = ModelContext(try ModelContainer(for: Parcel.self, configurations: configuration))
    let there = ModelContext(try store.open(Parcel.self))
    let observer = try ResultsObserver<Parcel, Never>(sortBy: [SortDescriptor(\.number)], modelContext: here)
    for number in 1...2 {
      there.insert(Parcel(number, ""))
      try there.save()
      while observer.results.count < number, !Task.isCancelled { await Task.yield() }
      #expect(observer.results.map(\.number) == Array(1...number))
    }
  }
}

@Model private final class Parcel {
  var number: Int
  @Attribute(.spotlight) var label: String
  init(_ number: Int, _ label: String) { (self.number, self.label) = (number, label) }
}
