import CoreMetrics
import Foundation
import Logging
import MetricsTestKit
import SwiftData
import SwiftDataPostgres
import Testing

@Suite("Logging and counting statements")
struct StatementLogTests {
  @Model
  final class Entry {
    var name: String
    init(_ name: String) { self.name = name }
  }

  init() { TaskLogHandler.bootstrapped }

  private func container(_ name: String) throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Entry.self]), configurations: ModelConfiguration(name, isStoredInMemoryOnly: true))
  }

  /// What is logged while `body` runs.
  private func logged(_ level: Logger.Level, _ body: () throws -> Void) rethrows -> [TaskLogHandler.Line] {
    try TaskLogHandler.logged(level, body)
  }

  @Test("At level debug each statement is logged with its store and time, without values")
  func debug() throws {
    let context = ModelContext(try container("logged"))
    context.insert(Entry("secret"))
    try context.save()
    let lines = try logged(.debug) {
      _ = try context.fetch(FetchDescriptor<Entry>(predicate: #Predicate { $0.name == "secret" }))
    }
    let line = try #require(lines.first)
    #expect(lines.count == 1 && line.level == .debug)
    #expect(line.message.hasPrefix("SELECT") && line.message.contains("\"name\" = ?"))
    #expect(line.metadata["store"] == "logged")
    let time = try #require(line.metadata["milliseconds"].flatMap { Double("\($0)") })
    #expect(time >= 0 && time < 10_000)
    #expect(line.metadata["expanded"] == nil)
  }

  @Test(
    "Statements of a PostgreSQL store are logged in the same way",
    .enabled(if: ProcessInfo.processInfo.environment["POSTGRES_URL"] != nil, "no server: run `make test`"))
  func postgres() throws {
    let url = try #require(ProcessInfo.processInfo.environment["POSTGRES_URL"])
    let namespace = "log_" + UUID().uuidString.lowercased().replacing("-", with: "")
    let container = try ModelContainer(
      for: Schema([Entry.self]), configurations: PostgresConfiguration("server", url: url, namespace: namespace))
    defer { try? container.erase() }
    let context = ModelContext(container)
    let saved = try logged(.trace) {
      context.insert(Entry("sec'ret"))
      try context.save()
    }
    let insert = try #require(saved.first { $0.message.hasPrefix("INSERT INTO \"Entry\"") })
    #expect(insert.metadata["store"] == "server")
    #expect(insert.metadata["expanded"].map { "\($0)" }?.contains("[1 values]") == true)
    #expect(!saved.contains { $0.message.hasPrefix("BEGIN") || $0.message.hasPrefix("COMMIT") })
    let descriptor = FetchDescriptor<Entry>(predicate: #Predicate { $0.name == "sec'ret" })
    let fetched = try logged(.trace) { _ = try context.fetch(descriptor) }
    #expect(fetched.count == 1 && fetched[0].message.contains("$1"))
    #expect(fetched[0].metadata["expanded"].map { "\($0)" }?.contains("'sec''ret'") == true)
    let quiet = try logged(.debug) { _ = try context.fetch(descriptor) }
    #expect(quiet.count == 1 && quiet[0].metadata["expanded"] == nil)
  }

  @Test("At level trace the values are in it")
  func trace() throws {
    let context = ModelContext(try container("traced"))
    let lines = try logged(.trace) {
      context.insert(Entry("secret"))
      try context.save()
    }
    #expect(lines.contains { $0.message.hasPrefix("INSERT INTO \"Entry\"") })
    #expect(lines.contains { "\($0.metadata["expanded"] ?? "")".contains("'secret'") })
  }

  @Test("At level info nothing is logged")
  func info() throws {
    let context = ModelContext(try container("quiet"))
    #expect(try logged(.info) { _ = try context.fetch(FetchDescriptor<Entry>()) }.isEmpty)
  }

  @Test("Statements are counted and timed by store and kind")
  func metrics() throws {
    let metrics = TestMetrics()
    let opened = try withMetricsFactory(metrics) { () throws(any Error) in try container("counted") }
    let context = ModelContext(opened)
    context.insert(Entry("a"))
    let writes = try SQLTrace.record { try context.save() }.statements
    let reads = try SQLTrace.record { _ = try context.fetch(FetchDescriptor<Entry>()) }.statements
    func dimensions(_ kind: String) -> [(String, String)] { [("store", "counted"), ("kind", kind)] }
    let written = try metrics.expectCounter("swiftdata.statements", dimensions("write"))
    let read = try metrics.expectCounter("swiftdata.statements", dimensions("read"))
    #expect(written.totalValue + read.totalValue == Int64(writes.count + reads.count))
    #expect(written.totalValue >= 1 && read.totalValue >= 1)
    let time = try metrics.expectTimer("swiftdata.statement.duration", dimensions("write"))
    #expect(time.values.count == Int(written.totalValue) && time.values.allSatisfy { $0 > 0 })
  }

  @Test("What a context holds is recorded when a fetch ends and when a save begins")
  func held() throws {
    let metrics = TestMetrics()
    let opened = try withMetricsFactory(metrics) { () throws(any Error) in try container("held") }
    let context = ModelContext(opened)
    func fetch(_ name: String) throws -> [Entry] {
      try context.fetch(FetchDescriptor<Entry>(predicate: #Predicate { $0.name == name }))
    }
    func work() throws {
      let entries = ["a", "b", "c"].map(Entry.init)
      for entry in entries { context.insert(entry) }
      try context.save()
      let all = try context.fetch(FetchDescriptor<Entry>())
      // The object moves to the batch of the later fetch.
      let one = try fetch("b")
      entries[0].name = "d"
      context.delete(entries[2])
      try context.save()
      withExtendedLifetime((entries, all, one)) {}
    }
    try work()
    #expect(try fetch("none").isEmpty)
    func values(_ name: String) throws -> [Double] { try metrics.expectRecorder("swiftdata.context.\(name)").values }
    #expect(try values("objects") == [0, 3, 3, 3, 0])
    #expect(try values("unsaved") == [3, 0, 0, 2, 0])
    #expect(try values("batches") == [0, 1, 2, 2, 0])
  }
}
