import ChildProcesses
import FirestoreClient
import FirestoreProtocol
import Foundation
import Testing

@testable import Sorted

/// Three clients, each with processes of its own, and a server process: all of them are killed again and again, answers
/// are lost after commits, and the clocks are minutes apart.
///
/// Small unless told: `CHAOS_MESSAGES=2000 CHAOS_KILLS=20 swift test --package-path Sorted --filter ChaosTests`.
@Suite("Chaos") struct ChaosTests {
  private static func number(_ name: String, _ standard: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard
  }

  private let messages = number("CHAOS_MESSAGES", 120)
  private let kills = number("CHAOS_KILLS", 3)
  private let seed = UInt64(number("CHAOS_SEED", Int(UInt32.random(in: 0 ... .max))))

  @Test("All stores and the server end up with the same messages, once each, and none that was acknowledged is missing")
  func chaos() async throws {
    let run = try ChaosRun(messages: messages, kills: kills, seed: seed)
    // A thread of its own: waiting for processes has no place among tasks.
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      Thread.detachNewThread { done.resume(with: Result { try run.play() }) }
    }
    try await run.check()
  }
}

// @unchecked Sendable because one thread plays, and the check comes after it.
private final class ChaosRun: @unchecked Sendable {
  private let folder: TemporaryFolder
  private let clients: [ChaosClient]
  private let proxy: FaultyProxy
  private let messages: Int
  private let kills: Int
  private let seed: UInt64
  private let port: ReservedPort
  private var server: ServerProcess
  private var generator: SeededGenerator
  private var documents: URL { folder.url.appendingPathComponent("documents.store") }

  init(messages: Int, kills: Int, seed: UInt64) throws {
    self.messages = messages
    self.kills = kills
    self.seed = seed
    generator = SeededGenerator(seed)
    let folder = try TemporaryFolder()
    self.folder = folder
    port = try ReservedPort()
    server = try ServerProcess(
      SortedProgram(dataHome: folder.url), folder.url.appendingPathComponent("documents.store"), at: port)
    let proxy = try FaultyProxy(to: server.port, seed: seed)
    self.proxy = proxy
    clients = [("ann", 0), ("bob", 180), ("eve", -240)].map {
      ChaosClient($0.0, folder, clockOffset: $0.1, remotePort: proxy.port)
    }
  }

  func play() throws {
    defer { proxy.stop() }
    try clients[0].run("new", "--to", "bob", "--to", "eve", "--id", "talk").expectSuccess()
    try clients[0].run("send", "talk", "begin").expectSuccess()
    for client in clients { try client.sync().expectSuccess() }

    proxy.setDropRate(0.1)
    for client in clients { try client.startSyncing() }
    let permits = DispatchSemaphore(value: 0)
    let writers = DispatchGroup()
    for (index, client) in clients.enumerated() {
      writers.enter()
      let share = messages / clients.count + (index < messages % clients.count ? 1 : 0)
      Thread.detachNewThread {
        client.write(share, to: "talk", permits: permits)
        writers.leave()
      }
    }
    for kill in 0..<kills {
      for _ in 0..<(messages / max(1, kills + 1)) { permits.signal() }
      proxy.waitForAnswers(Int.random(in: 3...15, using: &generator))
      server.kill()
      let victim = clients[kill % clients.count]
      victim.kill()
      server = try ServerProcess(SortedProgram(dataHome: folder.url), documents, at: port)
      try victim.startSyncing()
    }
    // As many as may still be wanted: the writers stop by themselves.
    for _ in 0..<(2 * messages + 200) { permits.signal() }
    writers.wait()
    for client in clients { client.kill() }
    proxy.setDropRate(0)
    try settle()
  }

  /// Syncs until nothing is left to say.
  private func settle() throws {
    for _ in 0..<12 {
      var isQuiet = true
      for client in clients {
        let run = try client.sync()
        run.expectSuccess()
        let report = try JSONDecoder.dates.decode(SyncSession.Report.self, from: Data(run.output.utf8))
        let incoming = report.incoming.received + report.incoming.updated
        isQuiet = isQuiet && incoming + report.outgoing.sent + report.outgoing.changed + report.pending == 0
      }
      if isQuiet { return }
    }
    Issue.record("the stores do not come to rest (seed \(seed))")
  }

  func check() async throws {
    defer { server.kill() }
    let database = FirestoreClient(project: "demo-sorted", baseURL: "http://127.0.0.1:\(server.port)", environment: [:])
    let onServer = try await database.run(
      FirestoreQuery("messages", orderBy: [.init("createdAt"), .init("__name__")]),
      of: "\(database.root)/conversations/talk"
    ).compactMap { RemoteMessage($0, conversationID: "talk") }
    let expected = onServer.map {
      ChaosClient.line($0.id, $0.senderID, $0.text, $0.createdAt, $0.status.rawValue, $0.readBy)
    }
    print("chaos: \(onServer.count) messages, \(proxy.dropped) answers dropped, seed \(seed)")
    #expect(Set(onServer.map(\.text)).count == onServer.count, "each text once (seed \(seed))")
    let texts = Dictionary(uniqueKeysWithValues: onServer.map { ($0.id, $0.text) })
    for client in clients {
      #expect(client.problem == nil)
      #expect(try client.messages(in: "talk") == expected, "\(client.user)'s store is the server's (seed \(seed))")
      for (id, text) in client.acknowledged {
        #expect(texts[id] == text, "\(client.user)'s \"\(text)\" was acknowledged (seed \(seed))")
      }
      let own = onServer.filter { $0.senderID == client.user }.compactMap { Int($0.text.split(separator: " ").last!) }
      #expect(own == own.sorted(), "\(client.user)'s messages are in order (seed \(seed))")
      let status = try client.run("status", "--json")
      let report = try JSONDecoder.dates.decode(SyncStatusReport.self, from: Data(status.output.utf8))
      #expect(report.failedCount == 0 && report.pending == 0 && report.conflicts == [])
      let list = try client.run("list", "--json")
      let unread = try JSONDecoder.dates.decode([ConversationSummary].self, from: Data(list.output.utf8)).map(
        \.unreadCount)
      #expect(unread == [onServer.count { $0.senderID != client.user }], "\(client.user)'s unread count (seed \(seed))")
    }
    #expect(clients.reduce(0) { $0 + $1.acknowledged.count } >= messages)
    #expect(onServer.count >= messages + 1)
  }
}
