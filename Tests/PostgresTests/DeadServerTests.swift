import CLibPQ
import Foundation
import SwiftData
@testable import SwiftDataPostgres
import Testing

private enum Silent {
  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }
}

@Suite("A server that does not answer", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct DeadServerTests {
  @Test("B9: stalls no other container that opens meanwhile")
  func opening() async {
    // In a process of its own, because only the first wish to hear of other saves begins to watch all stores.
    await #expect(processExitsWith: .success) {
      // Ends the process if it hangs.
      alarm(600)
      let store = TestStore()
      let proxy = try SilentProxy(to: PostgresServer.url)
      let schema = Schema([Silent.Note.self])
      // Waits for the server until the process ends.
      let pool = PostgresPoolOptions(answerTimeout: .seconds(3_600))
      let silent = try ModelContainer(
        for: schema, configurations: [PostgresConfiguration(url: proxy.url, namespace: store.namespace, pool: pool)])
      proxy.silence()
      Thread.detachNewThread { _ = ModelContainer.remoteChange }
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          // The watch has asked the server.
          proxy.isAsked.wait()
          continuation.resume()
        }
      }
      let other = ModelContext(
        try ModelContainer(for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
      other.insert(Silent.Note("a"))
      try other.save()
      let third = ModelContext(try store.open(Silent.Note.self))
      third.insert(Silent.Note("b"))
      try third.save()
      let count = try third.fetchCount(FetchDescriptor<Silent.Note>())
      withExtendedLifetime(silent) {}
      // Without the end of the other thread, which still waits.
      exit(count == 1 ? 0 : 1)
    }
  }

  @Test("B10: closing the connections of a pool by several threads at once ends, also while they are used")
  func closing() async throws {
    let store = TestStore()
    let container = try store.open(Silent.Note.self)
    let connections = ServerConnections(store.configuration)
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<6 {
        group.addTask {
          for _ in 0..<20 {
            connections.close()
            if task.isMultiple(of: 2) { try? connections.with { try $0.script("SELECT 1") } }
          }
        }
      }
    }
    connections.close()
    connections.close()
    try connections.with { try $0.script("SELECT 1") }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Silent.Note>()) == 0)
  }

  /// A connection through a proxy, with the shortest time of silence.
  private static func connect(_ proxy: SilentProxy) throws -> PostgresConnection {
    let servers = PostgresServers(url: proxy.url, options: PostgresPoolOptions(answerTimeout: .zero))
    return try PostgresConnection(servers, namespace: "public", application: "test", log: nil)
  }

  /// Whether the connection is reported as lost during a statement.
  private static func isLost(_ connection: PostgresConnection, _ sql: String) -> Bool {
    do {
      try connection.run(sql)
      return false
    } catch {
      return (error as? PostgresError)?.isLost == true
    }
  }

  @Test("loses a connection that a router forgot, although the server accepts others")
  func forgotten() async {
    await #expect(processExitsWith: .success) {
      // Ends the process if it hangs.
      alarm(120)
      let proxy = try SilentProxy(to: PostgresServer.url)
      let connection = try Self.connect(proxy)
      proxy.forgetConnections()
      exit(Self.isLost(connection, "SELECT 1") ? 0 : 1)
    }
  }

  @Test("loses a connection whose process ended unnoticed")
  func ended() async {
    await #expect(processExitsWith: .success) {
      alarm(120)
      let proxy = try SilentProxy(to: PostgresServer.url)
      let (connection, other) = (try Self.connect(proxy), try TestStore().connection())
      let process = connection.processIdentifier
      try other.run("SELECT pg_advisory_lock(42)")
      let box = Unchecked(connection)
      Thread.detachNewThread { exit(Self.isLost(box.value, "SELECT pg_advisory_lock(42)") ? 0 : 1) }
      while try other.run("SELECT 1 WHERE cardinality(pg_blocking_pids(\(process))) > 0").count == 0 {}
      proxy.forgetConnections()
      try other.run("SELECT pg_terminate_backend(\(process))")
      while true { sleep(60) }
    }
  }

  @Test("keeps a connection for which it works, however long that takes")
  func working() throws {
    let proxy = try SilentProxy(to: PostgresServer.url)
    defer { proxy.stop() }
    let (connection, other) = (try Self.connect(proxy), try TestStore().connection())
    try other.run("SELECT pg_advisory_lock(43)")
    let failures = Failures()
    let box = Unchecked(connection)
    let worker = Worker { failures.collect { try box.value.run("SELECT pg_advisory_lock(43)") } }
    // Each check takes two connections.
    while proxy.count < 7, !Task.isCancelled { Thread.sleep(forTimeInterval: 0.01) }
    try other.run("SELECT pg_advisory_unlock(43)")
    worker.join()
    #expect(failures.all.isEmpty, "\(failures.all)")
  }

  @Test("is noticed by the system within a minute, unless the URL says otherwise")
  func keepalives() throws {
    func settings(_ url: String) throws -> [String: String] {
      let connection = try PostgresConnection(url: url, namespace: "public")
      let options = try #require(PQconninfo(connection.handle))
      defer { PQconninfoFree(options) }
      var (found, option) = ([String: String](), options)
      while let keyword = option.pointee.keyword {
        if let value = option.pointee.val { found[String(cString: keyword)] = String(cString: value) }
        option += 1
      }
      return found.filter { PostgresURL.keepalives[$0.key] != nil || $0.key == "connect_timeout" }
    }
    var expected = PostgresURL.keepalives
    expected["connect_timeout"] = "10"
    #expect(try settings(PostgresServer.url) == expected)
    expected["keepalives_idle"] = "7"
    expected["connect_timeout"] = "5"
    #expect(try settings(PostgresServer.url + "&keepalives_idle=7&connect_timeout=5") == expected)
  }

  @Test("keeps no container waiting that begins or ends to hear of other saves")
  func listening() async {
    await #expect(processExitsWith: .success) {
      alarm(120)
      let proxy = try SilentProxy(to: PostgresServer.url)
      let servers = PostgresServers(
        url: proxy.url + "&connect_timeout=3600", options: PostgresPoolOptions(answerTimeout: .seconds(3_600)))
      let listener = SaveListener(servers, application: "test")
      let (first, second) = (UUID(), UUID())
      listener.begin(first, channel: "first")
      proxy.silence()
      listener.queue.async { _ = try? listener.hasChanges(first) }
      proxy.isAsked.wait()
      let isDone = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        listener.begin(second, channel: "second")
        listener.keepChanges(second)
        listener.end(second)
        listener.end(first)
        isDone.signal()
      }
      // The server never answers, so one that waits for it waits for ever.
      guard isDone.wait(timeout: .now() + 180) == .success else {
        FileHandle.standardError.write(Data("the listener waits for the server while it holds its lock\n".utf8))
        _exit(1)
      }
      exit(0)
    }
  }

  @Test("tells of what was saved between the beginning and its first look")
  func channels() throws {
    let listener = SaveListener(
      PostgresServers(url: PostgresServer.url, options: PostgresPoolOptions()), application: "test")
    let (first, second) = (UUID(), UUID())
    func hasChanges(_ store: UUID) throws -> Bool { try listener.queue.sync { try listener.hasChanges(store) } }
    let other = try TestStore().connection()
    func notify(_ channel: String) throws { try other.run("SELECT pg_notify('\(channel)', 'x')") }
    func waitForChanges(_ store: UUID) throws {
      while try !hasChanges(store) { try Task.checkCancellation() }
    }
    let channels = ["a \(UUID())", "b \(UUID())"]
    listener.begin(first, channel: channels[0])
    #expect(try hasChanges(first))
    #expect(try !hasChanges(first))
    listener.begin(second, channel: channels[1])
    #expect(try hasChanges(second))
    try notify(channels[0])
    try waitForChanges(first)
    #expect(try !hasChanges(second))
    try notify(channels[1])
    try waitForChanges(second)
    // The same store after an end, which no longer hears.
    listener.end(first)
    try notify(channels[0])
    #expect(try !hasChanges(first))
    listener.begin(first, channel: channels[0])
    #expect(try hasChanges(first))
    try notify(channels[0])
    try waitForChanges(first)
  }
}
