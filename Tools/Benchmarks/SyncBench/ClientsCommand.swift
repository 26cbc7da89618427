import ArgumentParser
import Foundation
import SyncProtocol
import SyncServer
import Synchronization

/// What a server with many connected clients does: how long a change takes, and what it costs.
///
/// The server is a process of its own. The clients are light: each has one connection and waits for news of its account. All
/// of them and the server share this machine.
struct ClientsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clients", abstract: "Measures a server with many connected clients.")

  @Option(help: "How many clients are connected.") var clients = 1000
  @Option(help: "How many zones there are.") var zones = 200
  @Option(help: "How many changes are sent in a second.") var rate = 50.0
  @Option(help: "For how many seconds.") var seconds = 20.0
  @Option(help: "How many transactions each zone has before.") var entries = 0
  @Option(help: "Measures the growth with clients, zones and entries too, and draws it into this file.") var chart:
    String?

  func run() async throws {
    let load = Load(clients: clients, zones: zones, rate: rate, seconds: seconds, entries: entries)
    print(try await load.measure().text(load))
    guard let chart else { return }
    var series: [ClientsChart.Series] = []
    func add(_ name: String, _ values: [Int], _ make: (Int) -> Load) async throws {
      var points: [(Double, LoadResult)] = []
      for value in values {
        let load = make(value)
        let result = try await load.measure()
        print(result.text(load))
        fflush(nil)
        points.append((Double(value), result))
      }
      series.append(.init(name: name, points: points))
    }
    let time = min(seconds, 10)
    try await add("clients (200 zones)", [200, 400, 800, 1000]) {
      Load(clients: $0, zones: 200, rate: rate, seconds: time, entries: 0)
    }
    try await add("zones (800 clients)", [25, 50, 100, 200, 400]) {
      Load(clients: 800, zones: $0, rate: rate, seconds: time, entries: 0)
    }
    try await add("transactions of a zone (100 clients, 4 zones)", [100, 1000, 10_000, 100_000]) {
      Load(clients: 100, zones: 4, rate: rate, seconds: time, entries: $0)
    }
    try ClientsChart(series: series).svg.write(toFile: chart, atomically: true, encoding: .utf8)
  }
}

/// What was measured.
struct LoadResult {
  /// Milliseconds from the moment a change is sent until another client has it, sorted.
  let latencies: [Double]
  /// How many changes were sent.
  let changes: Int
  /// The processor time of the server, in milliseconds.
  let processor: Double
  /// What a connected client adds to the memory of the server, in KiB.
  let memory: Double

  func percentile(_ part: Double) -> Double {
    latencies.isEmpty ? .nan : latencies[min(latencies.count - 1, Int(part * Double(latencies.count)))]
  }
  var processorPerChange: Double { processor / Double(max(1, changes)) }

  func text(_ load: Load) -> String {
    func number(_ value: Double) -> String { String(format: "%.1f", value) }
    return
      "\(load.clients) clients, \(load.zones) zones, \(load.entries) transactions in each: \(changes) changes reached"
      + " \(latencies.count) clients; median \(number(percentile(0.5))) ms, 99 % \(number(percentile(0.99))) ms; server:"
      + " \(number(processorPerChange)) ms of processor time for a change, \(number(memory)) KiB for a client"
  }
}

/// A server process with clients.
struct Load {
  let clients, zones: Int
  let rate, seconds: Double
  let entries: Int

  private static let secret = String(repeating: "k", count: 32)

  func measure() async throws -> LoadResult {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-load-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try ServerProcess(store: folder.appendingPathComponent("server.store").path, secret: Self.secret)
    defer { server.stop() }
    let keys = try await TokenKeys([("bench", Self.secret)])
    var tokens: [String] = []
    for zone in 0..<zones { tokens.append(try await keys.token(for: "account\(zone)", seconds: 86_400)) }
    try await fill(server.port, tokens)
    let record = Record()
    let before = server.memory
    return try await withThrowingTaskGroup(of: Void.self) { group in
      for client in 0..<clients {
        let token = tokens[client % zones]
        group.addTask { await follow(client, server.port, token, record) }
      }
      while record.connected < clients { try await Task.sleep(for: .milliseconds(20)) }
      let memory = Double(server.memory - before) / Double(clients)
      let processor = server.processor
      let sent = try await send(server.port, tokens, record)
      // The last changes are on their way.
      let expected = sent.map { (clients - $0 % zones + zones - 1) / zones }.reduce(0, +)
      for _ in 0..<250 where record.latencies.count < expected { try await Task.sleep(for: .milliseconds(20)) }
      let result = LoadResult(
        latencies: record.latencies.sorted(), changes: sent.count, processor: server.processor - processor,
        memory: memory)
      group.cancelAll()
      while (try? await group.next()) != nil {}
      return result
    }
  }

  /// Puts transactions into each zone.
  private func fill(_ port: Int, _ tokens: [String]) async throws {
    for (zone, token) in tokens.enumerated() where entries > 0 {
      let count = entries
      try await LightClient.with(port: port, token: token) { client in
        let epoch = try await client.epoch()
        for start in stride(from: 0, to: count, by: 1000) {
          let part = (start..<min(start + 1000, count)).map { _ in Self.transaction(zone) }
          try await client.push(part, epoch)
        }
      }
    }
  }

  private static func transaction(_ zone: Int) -> SyncLog.Transaction {
    SyncLog.Transaction(inserting: [["title": .text("A changed title")]], into: "account\(zone)")
  }

  /// Waits for news and fetches them, as a client does.
  private func follow(_ number: Int, _ port: Int, _ token: String, _ record: Record) async {
    // The server's queue of new connections is short, so that some of a thousand have to connect again.
    while !Task.isCancelled {
      try? await followOnce(number, port, token, record)
      try? await Task.sleep(for: .milliseconds(50))
    }
  }

  private func followOnce(_ number: Int, _ port: Int, _ token: String, _ record: Record) async throws {
    try await LightClient.with(port: port, token: token) { client in
      let epoch = try await client.epoch()
      // The client has what the zone had before, and takes no states in.
      let first = SyncLog.PullRequest(cursor: 0, epoch: epoch, known: [])
      let pulled = try await client.call("pull", first, SyncLog.PullResponse.self)
      guard let list = pulled.list else { throw SyncFailure(.invalid, "the answer has no list of zones") }
      var cursor = pulled.latest
      record.connect(number)
      while !Task.isCancelled {
        let wait = SyncLog.WaitRequest(cursor: cursor, epoch: epoch, version: list.version, seconds: 50)
        guard try await client.call("wait", wait, SyncLog.WaitResponse.self).isChanged else { continue }
        let request = SyncLog.PullRequest(
          cursor: cursor, epoch: epoch, known: list.zones.map(\.name), version: list.version)
        let answer = try await client.call("pull", request, SyncLog.PullResponse.self)
        for part in answer.entries.flatMap(\.parts.values) {
          if case .change(let records) = part { records.keys.forEach(record.arrive) }
        }
        cursor = answer.cursor
      }
    }
  }

  /// Sends changes steadily.
  /// - Returns: the zones of the changes.
  private func send(_ port: Int, _ tokens: [String], _ record: Record) async throws -> [Int] {
    let count = Int(rate * seconds)
    let start = ContinuousClock.now
    return try await withThrowingTaskGroup(of: [Int].self) { group in
      // Several senders, so that one that waits for its answer does not hold the others up.
      let senders = min(10, zones)
      for sender in 0..<senders {
        group.addTask {
          let zone = sender * zones / senders
          let sent = Mutex<[Int]>([])
          // A connection has one account; each change takes the next zone of its sender, on a connection of its own.
          var number = sender
          while number < count {
            try await Task.sleep(until: start + .seconds(Double(number) / rate))
            let target = (zone + number / senders) % zones
            let transaction = Self.transaction(target)
            try await LightClient.with(port: port, token: tokens[target]) { client in
              let epoch = try await client.epoch()
              transaction.parts.values.forEach { $0.keys.forEach(record.send) }
              try await client.push([transaction], epoch)
              sent.withLock { $0.append(target) }
            }
            number += senders
          }
          return sent.withLock { $0 }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }
}

/// When changes were sent, and how long they took.
private final class Record: Sendable {
  private struct State {
    var connected = Set<Int>()
    var sent: [RecordName: ContinuousClock.Instant] = [:]
    var latencies: [Double] = []
  }
  private let state = Mutex(State())

  var connected: Int { state.withLock { $0.connected.count } }
  var latencies: [Double] { state.withLock { $0.latencies } }
  func connect(_ client: Int) { state.withLock { _ = $0.connected.insert(client) } }
  func send(_ name: RecordName) { state.withLock { $0.sent[name] = .now } }
  func arrive(_ name: RecordName) {
    let now = ContinuousClock.now
    state.withLock { state in
      guard let start = state.sent[name] else { return }
      let elapsed = (now - start).components
      state.latencies.append(Double(elapsed.seconds) * 1000 + Double(elapsed.attoseconds) / 1e15)
    }
  }
}
