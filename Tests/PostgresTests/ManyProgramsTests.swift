import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

@Suite(
  "Many programs at one PostgreSQL server", .enabled(if: PostgresServer.isThere, PostgresServer.reason),
  .timeLimit(.minutes(5)))
struct ManyProgramsTests {
  /// `WRITE_SECONDS=120` tries for two minutes.
  private static let seconds = ProcessInfo.processInfo.environment["WRITE_SECONDS"].flatMap(Double.init) ?? 6

  /// The program beside the tests.
  private static var writer: URL {
    let arguments = CommandLine.arguments[0]
    return URL(fileURLWithPath: arguments).deletingLastPathComponent().appendingPathComponent("PostgresWriter")
  }

  @Test("keep every acknowledged save exactly once while connections are cut and the server is restarted")
  func acknowledged() throws {
    // Others would not like their server to be restarted.
    let server = try PrivateServer()
    defer { server.stop() }
    let store = TestStore(url: server.url)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Writers-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let writers = try (0..<8).map { number -> (Process, URL) in
      let file = folder.appendingPathComponent("\(number)")
      _ = FileManager.default.createFile(atPath: file.path, contents: nil)
      let process = Process()
      process.executableURL = Self.writer
      process.arguments = [server.url, store.namespace, "w\(number)", "\(Self.seconds)"]
      process.standardOutput = try FileHandle(forWritingTo: file)
      process.standardError = FileHandle.nullDevice
      try process.run()
      return (process, file)
    }
    try disturb(store, server, until: Date(timeIntervalSinceNow: Self.seconds))
    for (process, _) in writers { process.waitUntilExit() }
    let lines = try writers.flatMap { try String(contentsOf: $0.1, encoding: .utf8).split(separator: "\n") }
    let acknowledged = lines.filter { $0.hasPrefix("+") }.map { String($0.dropFirst()) }
    let unknown = Set(lines.filter { $0.hasPrefix("?") }.map { String($0.dropFirst()) })
    #expect(acknowledged.count > 20)
    let texts = try store.sql("SELECT text FROM \"SharedMessage\"")
    let stored = (0..<texts.count).compactMap { texts.text($0, 0) }
    #expect(Set(stored).count == stored.count)
    #expect(Set(acknowledged).subtracting(stored).isEmpty, "acknowledged and not there")
    #expect(Set(stored).subtracting(acknowledged).subtracting(unknown).isEmpty, "there and never written")
    // One transaction of the history for each, numbered without a gap, and none twice.
    let saves = try store.sql("SELECT author, id FROM _swiftdata_history ORDER BY id")
    #expect((0..<saves.count).compactMap { saves.text($0, 0) }.sorted() == stored.sorted())
    #expect((0..<saves.count).map { saves.integer($0, 1) } == (1...).prefix(saves.count).map { Int64($0) })
    #expect(try store.sql("SELECT 1 FROM \"SharedConversation\"").count == 5)
    #expect(try store.sql("SELECT 1 FROM \"SharedMessage\" WHERE conversation IS NULL").count == 0)
    print("\(acknowledged.count) saves acknowledged, \(unknown.count) unknown")
  }

  /// Cuts connections at random, and restarts the server twice.
  private func disturb(_ store: TestStore, _ server: PrivateServer, until end: Date) throws {
    let start = Date()
    var restarts = 0
    while Date() < end {
      // One after the other, each as soon as the last is done: what it hits is chance enough.
      _ = try? store.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
          + " AND application_name = 'swiftdata \(store.namespace)' AND random() < 0.2")
      let share = Date().timeIntervalSince(start) / end.timeIntervalSince(start)
      if share > Double(restarts + 1) / 3, restarts < 2 {
        try server.restart()
        restarts += 1
      }
      // So that something is written in between.
      _ = try? store.sql("SELECT pg_sleep(0.2)")
    }
  }

  @Test("hear of what the others save")
  func heard() async throws {
    let (one, two) = (ModelContext(try open()), ModelContext(try open()))
    let observer = try ResultsObserver<Shout, Never>(sortBy: [SortDescriptor(\.text)], modelContext: two)
    #expect(observer.results.isEmpty)
    one.insert(Shout("a"))
    try one.save()
    await expectSoon { observer.results.map(\.text) == ["a"] }
    let shout = try #require(observer.results.first)
    try one.fetch(FetchDescriptor<Shout>()).first?.text = "b"
    one.insert(Shout("c"))
    try one.save()
    await expectSoon { observer.results.map(\.text) == ["b", "c"] }
    #expect(observer.results.first === shout)
    // The connection that listens is cut; nothing is missed.
    try store.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        + " WHERE pid <> pg_backend_pid() AND application_name = 'swiftdata \(store.namespace)'")
    one.delete(try #require(try one.fetch(FetchDescriptor<Shout>(sortBy: [SortDescriptor(\.text)])).first))
    try one.save()
    await expectSoon { observer.results.map(\.text) == ["c"] }
  }

  /// Waits for what another thread does, until the suite's time limit.
  private func expectSoon(_ condition: () -> Bool, at location: SourceLocation = #_sourceLocation) async {
    while !condition(), !Task.isCancelled { await Task.yield() }
    #expect(condition(), sourceLocation: location)
  }

  private let store = TestStore()
  private func open() throws -> ModelContainer { try store.open(Shout.self) }
}

@Model private final class Shout {
  var text: String
  init(_ text: String) { self.text = text }
}
