import ArgumentParser
import Foundation
import SyncProtocol
import SyncServer

/// The number of pushes to the log that servers take in a second.
///
/// Each client pushes one transaction with one record after another into the zone of its account. The servers are processes on one database.
struct CommitsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "commits", abstract: "Measures the number of pushes that servers take in a second.")

  @Option(help: "The database of the servers: postgres://…, or a SQLite file. (default: a temporary SQLite file)")
  var store: String?
  @Option(help: "How many clients push at the same time.") var clients = 32
  @Option(help: "How many server processes there are.") var processes = 1
  @Option(help: "For how many seconds.") var seconds = 10.0

  private static let secret = String(repeating: "k", count: 32)

  func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-commits-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let place = store ?? folder.appendingPathComponent("server.store").path
    let servers = try (0..<processes).map { _ in try ServerProcess(store: place, secret: Self.secret) }
    defer { for server in servers { server.stop() } }
    let keys = try await TokenKeys([("bench", Self.secret)])
    var tokens: [String] = []
    for client in 0..<clients { tokens.append(try await keys.token(for: "account\(client)", seconds: 86_400)) }
    let (seconds, end) = (seconds, ContinuousClock.now + .seconds(seconds))
    let before = servers.map(\.processor)
    let latencies = try await withThrowingTaskGroup(of: [Double].self) { group in
      for (client, token) in tokens.enumerated() {
        let port = servers[client % processes].port
        group.addTask { try await Self.push(port, token, "account\(client)", until: end) }
      }
      return try await group.reduce(into: []) { $0 += $1 }.sorted()
    }
    let processor = zip(servers, before).reduce(0) { $0 + $1.0.processor - $1.1 }
    func number(_ value: Double) -> String { String(format: "%.2f", value) }
    let count = max(1, latencies.count)
    print(
      "\(clients) clients, \(processes) servers: \(Int(Double(latencies.count) / seconds)) commits a second; median"
        + " \(number(latencies[count / 2])) ms, 99 % \(number(latencies[count * 99 / 100])) ms;"
        + " \(number(processor / Double(count))) ms of processor time of the servers for a commit")
  }

  /// Pushes until a moment.
  /// - Returns: the time of each push in milliseconds.
  private static func push(
    _ port: Int, _ token: String, _ account: String, until end: ContinuousClock.Instant
  ) async throws -> [Double] {
    try await LightClient.with(port: port, token: token) { client in
      let epoch = try await client.epoch()
      var latencies: [Double] = []
      while ContinuousClock.now < end {
        let transaction = SyncLog.Transaction(inserting: [["title": .text("A changed title")]], into: account)
        let start = ContinuousClock.now
        try await client.push([transaction], epoch)
        let elapsed = (ContinuousClock.now - start).components
        latencies.append(Double(elapsed.seconds) * 1000 + Double(elapsed.attoseconds) / 1e15)
      }
      return latencies
    }
  }
}
