import CoreMetrics
import Foundation
import MetricsTestKit
import PostgresServers
import SwiftData
import SwiftDataTesting
import Testing

@testable import SwiftDataPostgres

@Suite(
  "A primary with replicas", .enabled(if: PostgresServer.isThere, PostgresServer.reason), .serialized,
  .timeLimit(.minutes(60)))
struct ClusterTests {
  /// `make cluster-test ROUNDS=200`.
  private static let rounds = ProcessInfo.processInfo.environment["CLUSTER_ROUNDS"].flatMap(Int.init) ?? 4
  /// `CLUSTER_PATRONI=1`, with Debian's packages patroni, etcd-server and etcd-client.
  private static let isPatroni = ProcessInfo.processInfo.environment["CLUSTER_PATRONI"] != nil
  private static let kinds: [PrivateCluster.Failover] =
    isPatroni ? [.kill, .pause, .switchover, .etcd] : [.kill, .pause, .cut, .switchover]

  @Test("loses no acknowledged save and writes none twice while primaries fail")
  func failover() throws {
    let cluster = try Self.isPatroni ? PrivateCluster("--patroni") : PrivateCluster()
    defer { cluster.stop() }
    let store = TestStore(url: cluster.url)
    let writers = try Writers(Self.rounds > 10 ? 8 : 4, url: cluster.url, store.namespace)
    var lines = try wait(for: writers) { $0.count { $0.isAcknowledged } > 10 }
    var outages = [(kind: PrivateCluster.Failover, total: Double, promotion: Double)]()
    for round in 0..<Self.rounds {
      let kind = Self.kinds[round % Self.kinds.count]
      let (lost, promoted) = try cluster.failOver(kind)
      lines = try wait(for: writers) { $0.contains { $0.isAcknowledged && $0.time > promoted } }
      let first = lines.filter { $0.isAcknowledged && $0.time > promoted }.map(\.time).min()
      outages.append((kind, try #require(first) - lost, promoted - lost))
    }
    lines = try writers.finish()
    let errors = try writers.errors()
    #expect(lines.refused.isEmpty, "a failover was noticed by a program: \(errors)")
    try lines.expectExactlyOnce(in: store)
    for kind in Self.kinds {
      let own = outages.filter { $0.kind == kind }
      print(
        "\(kind): \(own.count) times, first save after \(Self.summary(own.map(\.total)))"
          + ", promotion after \(Self.summary(own.map(\.promotion)))")
    }
  }

  private static func summary(_ seconds: [Double]) -> String {
    let sorted = seconds.sorted()
    guard let worst = sorted.last else { return "-" }
    return String(format: "%.2f s (worst %.2f s)", sorted[sorted.count / 2], worst)
  }

  /// Waits until the writers have said enough, or the suite's time limit ends the test.
  private func wait(for writers: Writers, _ isEnough: ([Writers.Line]) -> Bool) throws -> [Writers.Line] {
    while true {
      let lines = try writers.lines()
      if isEnough(lines) { return lines }
      try Task.checkCancellation()
      Thread.sleep(forTimeInterval: 0.02)
    }
  }

  @Test("is waited for as long as the pool says, and then the error tells what each host answered")
  func none() throws {
    // Nothing listens on these ports.
    let url = "postgres://postgres@127.0.0.1:1,127.0.0.1:2/postgres"
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Note.self,
        configurations: PostgresConfiguration(url: url, pool: PostgresPoolOptions(timeout: .seconds(0.5))))
    }
    let message = error?.message ?? ""
    #expect(message.contains("no host is the primary (127.0.0.1:1: "), "\(message)")
    #expect(message.contains("127.0.0.1:2: "), "\(message)")
  }

  @Test(
    "is waited for while a host stops, starts or is full, and not if all hosts refuse the user",
    arguments: [
      ("Connection refused", true), ("session is read-only", true),
      ("FATAL:  the database system is shutting down", true),
      ("FATAL:  terminating connection due to unexpected postmaster exit", true),
      ("FATAL:  sorry, too many clients already", true),
      ("FATAL:  remaining connection slots are reserved for non-replication superuser connections", true),
      ("FATAL:  password authentication failed for user \"app\"", false),
      ("FATAL:  database \"app\" does not exist", false), ("FATAL:  role \"app\" does not exist", false),
    ])
  func recovery(answer: String, mayRecover: Bool) { #expect(PostgresServers.mayRecover(answer) == mayRecover) }

  /// Stops the only replica of a cluster at a state that has the table of the notes.
  /// - Returns: a connection to the replica, which lets it go on.
  private func stopReplica(of cluster: PrivateCluster, _ store: TestStore) throws -> PostgresConnection {
    let servers = PostgresServers(url: cluster.url, options: PostgresPoolOptions(), role: .replica)
    let replica = try PostgresConnection(servers, namespace: "public", application: "test", log: nil)
    func wait(until condition: String) throws {
      while try replica.run("SELECT 1 WHERE \(condition)").count == 0 {
        try Task.checkCancellation()
        Thread.sleep(forTimeInterval: 0.02)
      }
    }
    try wait(until: "to_regclass('\(store.namespace).\"Note\"') IS NOT NULL")
    try replica.script("SELECT pg_wal_replay_pause()")
    try wait(until: "pg_get_wal_replay_pause_state() = 'paused'")
    return replica
  }

  @Test("answers fetches on replicas that have what the context saw, and on the primary else")
  func replicas() throws {
    let cluster = try PrivateCluster("--nodes", "2", "--asynchronous")
    defer { cluster.stop() }
    let store = TestStore(url: cluster.url)
    var configuration = store.configuration
    configuration.readPreference = .preferReplica
    let metrics = TestMetrics()
    let container = try withMetricsFactory(metrics) { () throws(any Error) in
      try ModelContainer(for: Note.self, configurations: configuration)
    }
    let reads = try #require((container.core.stores.first as? PostgresStore)?.connections.replicas)
    let context = ModelContext(container)
    let replica = try stopReplica(of: cluster, store)
    for number in 1...20 {
      context.insert(Note(number))
      try context.save()
      // The replica has nothing of it: it must not answer.
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == number)
      #expect(try ModelContext(container).fetch(FetchDescriptor<Note>()).count == number)
    }
    #expect(reads.counts.withLock { $0.replica } == 0)
    // Once it has caught up, it does.
    try replica.script("SELECT pg_wal_replay_resume()")
    while reads.counts.withLock({ $0.replica }) < 5 {
      #expect(try ModelContext(container).fetch(FetchDescriptor<Note>()).count == 20)
      try Task.checkCancellation()
    }
    let name = configuration.name
    let answered = try metrics.expectCounter("swiftdata.postgres.fetches", [("store", name), ("server", "replica")])
    #expect(answered.totalValue == Int64(reads.counts.withLock { $0.replica }))
    let lag = try metrics.expectGauge("swiftdata.postgres.replica.lag.bytes", [("store", name)])
    #expect(lag.values.contains { $0 > 0 } && lag.values.last == 0)
    // What it answers is never older than what this store has seen, whoever wrote it.
    let other = try ModelContainer(for: Note.self, configurations: store.configuration)
    let writer = ModelContext(other)
    writer.insert(Note(21))
    try writer.save()
    context.insert(Note(22))
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 22)
  }

  @Test("asks a replica for its position after the rows, and before them only if it must")
  func positions() throws {
    let cluster = try PrivateCluster("--nodes", "2", "--asynchronous")
    defer { cluster.stop() }
    let store = TestStore(url: cluster.url)
    var configuration = store.configuration
    configuration.readPreference = .preferReplica
    let container = try ModelContainer(for: Note.self, configurations: configuration)
    let context = ModelContext(container)
    let reads = try #require((container.core.stores.first as? PostgresStore)?.connections.replicas)
    /// Whether a fetch asks a replica for its position before it reads the rows.
    func asksFirst(_ count: Int) throws -> Bool {
      let (found, statements) = try SQLTrace.record {
        try ModelContext(container).fetchCount(FetchDescriptor<Note>())
      }
      #expect(found == count)
      return statements.contains { $0.contains("$1::bigint - ") }
    }
    // Until the replica has the table.
    while reads.counts.withLock({ $0.replica }) == 0 {
      _ = try asksFirst(0)
      try Task.checkCancellation()
    }
    for count in 1...3 {
      context.insert(Note(count))
      try context.save()
      #expect(try asksFirst(count))
      // Until the replica has shown what this store saw.
      while try asksFirst(count) { try Task.checkCancellation() }
      let before = reads.counts.withLock { $0.replica }
      #expect(try !asksFirst(count))
      #expect(reads.counts.withLock { $0.replica } == before + 1)
    }
  }

  /// `ConformanceTests` checks the guarantees on a server without a replica in `make test`.
  @Test(
    "keeps every guarantee where a replica answers",
    .enabled(
      if: ProcessInfo.processInfo.environment["TEST_ALL"] != nil, "only in make test-all: TEST_ALL is not set"))
  func guarantees() throws {
    let cluster = try PrivateCluster("--nodes", "2")
    defer { cluster.stop() }
    let url = cluster.url
    let subject = StoreUnderTest("replica", features: Set(StoreUnderTest.Feature.allCases)) {
      PostgresConfiguration(
        url: url, schema: $0, namespace: $1.lastPathComponent.lowercased(),
        pool: PostgresPoolOptions(size: 4, timeout: .seconds(3_600)), readPreference: .preferReplica)
    }
    for guarantee in StoreGuarantee.all { try guarantee.verify(subject) }
  }

  @Test("spreads connections over the replicas")
  func turns() throws {
    let cluster = try PrivateCluster("--asynchronous")
    defer { cluster.stop() }
    let servers = PostgresServers(url: cluster.url, options: PostgresPoolOptions(), role: .replica)
    let connections = try (0..<9).map { _ in
      try PostgresConnection(servers, namespace: "public", application: "test", log: nil)
    }
    let counts = Dictionary(grouping: connections, by: \.host.place).mapValues(\.count)
    // Each host is first three times. A turn of the primary goes to any replica.
    #expect(counts.count == 2 && counts.values.allSatisfy { $0 >= 3 }, "\(counts)")
  }

  @Test("answers no fetch on a replica that is later than a bound")
  func bounded() throws {
    let cluster = try PrivateCluster("--nodes", "2", "--asynchronous")
    defer { cluster.stop() }
    let store = TestStore(url: cluster.url)
    var configuration = store.configuration
    configuration.readPreference = .replica(maximumLag: .seconds(0))
    let reader = try ModelContainer(for: Note.self, configurations: configuration)
    let writer = ModelContext(try ModelContainer(for: Note.self, configurations: store.configuration))
    let replica = try stopReplica(of: cluster, store)
    for number in 1...10 {
      writer.insert(Note(number))
      try writer.save()
      #expect(try ModelContext(reader).fetchCount(FetchDescriptor<Note>()) == number)
    }
    let reads = try #require((reader.core.stores.first as? PostgresStore)?.connections.replicas)
    #expect(reads.counts.withLock { $0.replica } == 0)
    #expect(reads.counts.withLock { $0.primary } >= 10)
    withExtendedLifetime(replica) {}
  }

  /// A connection to each host of a URL.
  private func hosts(of url: String) throws -> [(url: String, connection: PostgresConnection)] {
    let (start, end) = (try #require(url.firstIndex(of: "@")), try #require(url.lastIndex(of: "/")))
    return try url[url.index(after: start)..<end].split(separator: ",").map { host in
      let own = url[...start] + host + url[end...]
      return (String(own), try PostgresConnection(url: String(own), namespace: "public"))
    }
  }

  private func wait(on connection: PostgresConnection, until condition: String) throws {
    while try connection.run("SELECT 1 WHERE \(condition)").count == 0 {
      try Task.checkCancellation()
      Thread.sleep(forTimeInterval: 0.02)
    }
  }

  @Test("answers no fetch on a replica that follows a former primary, however far that is")
  func formerTimeline() throws {
    let cluster = try PrivateCluster("--asynchronous", "--direct")
    defer { cluster.stop() }
    let store = TestStore(url: cluster.url)
    let former = ModelContext(try ModelContainer(for: Note.self, configurations: store.configuration))
    former.insert(Note(1))
    try former.save()
    let (first, second, third) = try {
      let hosts = try hosts(of: cluster.url)
      return (hosts[0], hosts[1], hosts[2])
    }()
    let isThere = "to_regclass('\(store.namespace).\"Note\"') IS NOT NULL"
    for host in [second, third] { try wait(on: host.connection, until: isThere) }
    // The second server loses touch with the first one.
    try second.connection.script("ALTER SYSTEM SET primary_conninfo = ''")
    try second.connection.script("SELECT pg_reload_conf()")
    try wait(on: second.connection, until: "NOT EXISTS (SELECT FROM pg_stat_wal_receiver)")
    for number in 2...4 {
      former.insert(Note(number))
      try former.save()
      try first.connection.script("SELECT pg_switch_wal()")
    }
    let end = try #require(try first.connection.texts("SELECT pg_current_wal_lsn()").text(0, 0))
    try wait(on: third.connection, until: "pg_last_wal_replay_lsn() >= '\(end)'")
    try second.connection.script("SELECT pg_promote()")
    // A program that no longer sees the first server.
    var configuration = store.configuration
    let ports = try [second, third].map { try #require(PostgresURL($0.url)).options["port"] ?? "" }
    configuration.url = "postgres://postgres@127.0.0.1:\(ports[0]),127.0.0.1:\(ports[1])/postgres"
    configuration.readPreference = .preferReplica
    let container = try ModelContainer(for: Note.self, configurations: configuration)
    let reads = try #require((container.core.stores.first as? PostgresStore)?.connections.replicas)
    let context = ModelContext(container)
    context.insert(Note(5))
    try context.save()
    for _ in 0..<10 { #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 2) }
    #expect(reads.counts.withLock { $0.replica } == 0)
  }

  @Test("answers fetches on a replica that follows the new primary", arguments: [true, false])
  func newTimeline(isPrivileged: Bool) throws {
    let cluster = try PrivateCluster("--asynchronous", "--direct")
    defer { cluster.stop() }
    let store = TestStore(url: cluster.url)
    var configuration = store.configuration
    configuration.readPreference = .preferReplica
    if !isPrivileged {
      let primary = try PostgresConnection(
        PostgresServers(url: cluster.url, options: PostgresPoolOptions()), namespace: "public", application: "test",
        log: nil)
      try primary.script("CREATE ROLE app LOGIN; GRANT ALL ON DATABASE postgres TO app")
      configuration.url = configuration.url.replacing("postgres@", with: "app@")
    }
    let container = try ModelContainer(for: Note.self, configurations: configuration)
    let reads = try #require((container.core.stores.first as? PostgresStore)?.connections.replicas)
    let context = ModelContext(container)
    context.insert(Note(1))
    try context.save()
    _ = try cluster.failOver(.switchover)
    context.insert(Note(2))
    try context.save()
    let before = reads.counts.withLock { $0.replica }
    while reads.counts.withLock({ $0.replica }) == before {
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 2)
      try Task.checkCancellation()
      // Such a program learns of the new timeline when the replica writes to its disk.
      if !isPrivileged { for host in try hosts(of: cluster.url) { try host.connection.script("CHECKPOINT") } }
    }
  }

  @Test("hands out no key twice after a crash took a block of keys back")
  func keys() throws {
    let server = try PrivateServer()
    defer { server.stop() }
    let store = TestStore(url: server.url)
    func open() throws -> ModelContext {
      ModelContext(try ModelContainer(for: Note.self, configurations: store.configuration))
    }
    let (one, two) = (try open(), try open())
    try store.sql("ALTER TABLE \"Note\" ADD CHECK (number <> -1)")
    let refused = Note(-1)
    one.insert(refused)
    #expect(throws: SwiftDataError.self) { try one.save() }
    one.delete(refused)
    // The block that the refused save took is not in the log that survives.
    try server.restart()
    for number in 0..<70 {
      for context in [two, one] {
        context.insert(Note(number))
        try context.save()
      }
    }
    #expect(try one.fetchCount(FetchDescriptor<Note>()) == 140)
  }
}

@Model private final class Note {
  var number: Int
  init(_ number: Int) { self.number = number }
}
