import CoreMetrics
import Foundation
import Logging
import MetricsTestKit
import SwiftData
import Synchronization
import Testing

/// Keeps what is logged in the tasks that ask for it. Logging is set up once for the process, so the handler looks at
/// the task.
private struct TaskLogHandler: LogHandler {
  final class Lines: Sendable {
    let all = Mutex<[(level: Logger.Level, message: String, metadata: Logger.Metadata)]>([])
  }

  @TaskLocal static var lines: (level: Logger.Level, Lines)?
  static let bootstrapped: Void = LoggingSystem.bootstrap { _ in TaskLogHandler() }

  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level {
    get { Self.lines?.level ?? .critical }
    set {}
  }
  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    Self.lines?.1.all.withLock { $0.append((event.level, "\(event.message)", event.metadata ?? [:])) }
  }
}

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
  private func logged(
    _ level: Logger.Level, _ body: () throws -> Void
  ) rethrows -> [(level: Logger.Level, message: String, metadata: Logger.Metadata)] {
    let lines = TaskLogHandler.Lines()
    try TaskLogHandler.$lines.withValue((level, lines), operation: body)
    return lines.all.withLock { $0 }
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
}
