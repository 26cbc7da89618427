import ChildProcesses
import Foundation
import PostgresServers
import SyncProtocol
import Testing
import UntrustedInput

@testable import SyncServer

/// Programs that sync and their servers, killed while they work. `SYNC_KILLS` sets how often: `make sync-chaos`.
@Suite("Killed processes", .serialized, .timeLimit(.minutes(20)))
struct KilledProcessTests {
  private static let kills = ProcessInfo.processInfo.environment["SYNC_KILLS"].flatMap { Int($0) } ?? 6
  private static let writers = 4
  private static let notes = ProcessInfo.processInfo.environment["SYNC_NOTES"].flatMap { Int($0) } ?? 60

  @Test("What a server and its clients acknowledged survives kills of any of them, and all replicas end equal")
  func oneServer() async throws {
    let folder = try TestFolder()
    try await chaos(folder, store: folder.path("server.store"), servers: 1)
  }

  @Test(
    "Two servers on one PostgreSQL database serve one zone, killed as well as the clients",
    .enabled(if: ProcessInfo.processInfo.environment["POSTGRES_URL"] != nil, "POSTGRES_URL names no server"))
  func twoServers() async throws {
    let folder = try TestFolder()
    try await chaos(folder, store: try folder.place(for: .postgres), servers: 2)
  }

  @Test(
    "What the servers acknowledged survives the loss of their database's primary",
    .enabled(if: ProcessInfo.processInfo.environment["POSTGRES_URL"] != nil, "POSTGRES_URL names no server"))
  func lostPrimary() async throws {
    let cluster = try PrivateCluster("--nodes", "2")
    try await chaos(try TestFolder(), store: cluster.url, servers: 2) { _ = try cluster.failOver(.kill) }
    withExtendedLifetime(cluster) {}
  }

  /// - Parameter interrupt: called once, in the middle.
  private func chaos(
    _ folder: TestFolder, store: String, servers count: Int, interrupt: () throws -> Void = {}
  ) async throws {
    let account = "chaos-\(UUID().uuidString)"
    try Data("test \(ServerFixture.secret)\n".utf8).write(to: folder.url.appendingPathComponent("keys"))
    let keys = try await TokenKeys([("test", ServerFixture.secret)])
    let token = try await keys.token(for: account, seconds: 3600)
    // A server that starts again needs the same port.
    let ports = try (0..<count).map { _ in try ReservedPort() }
    func url(_ client: Int) -> String { "http://127.0.0.1:\(ports[client % count].number)" }
    func startServer(_ index: Int) throws -> RunningProgram {
      try RunningProgram(
        "swiftdata",
        [
          "sync-server", "--store", store, "--keys", folder.path("keys"), "--port", String(ports[index].number),
          "--retention", "0",
        ])
    }
    var servers = try (0..<count).map(startServer)
    for server in servers { try await server.wait(for: "listens") }
    func startClient(_ index: Int) throws -> RunningProgram {
      try RunningProgram(
        "SyncProbe", ["write", folder.path("client\(index).store"), url(index), token, "c\(index)", String(Self.notes)])
    }
    var clients = try (0..<Self.writers).map(startClient)
    // How many notes each client said that it had saved. It has to find as many when it starts again.
    var saved = [Int](repeating: 0, count: Self.writers)
    func check(_ client: Int) {
      let lines = clients[client].lines
      guard let had = lines.first(where: { $0.hasPrefix("had ") }).flatMap({ Int($0.dropFirst(4)) }) else { return }
      #expect(had >= saved[client])
      saved[client] = had + lines.count { $0.hasPrefix("saved ") }
    }
    for round in 0..<Self.kills {
      try await Task.sleep(for: .milliseconds(Int.random(in: 200...900)))
      if round == Self.kills / 2 { try interrupt() }
      if round.isMultiple(of: 2) {
        let victim = Int.random(in: 0..<count)
        servers[victim].kill()
        servers[victim] = try startServer(victim)
      } else {
        let victim = Int.random(in: 0..<clients.count)
        clients[victim].kill()
        check(victim)
        clients[victim] = try startClient(victim)
      }
    }
    for (index, client) in clients.enumerated() {
      try await client.wait(for: "sent")
      await client.waitForExit()
      check(index)
    }
    #expect(saved == Array(repeating: Self.notes, count: Self.writers))
    let all = (0..<Self.writers).flatMap { client in (0..<Self.notes).map { "c\(client)-\($0)" } }
    // Each client takes in what the others sent, and so does one that was never there.
    var contents: [[String]] = []
    for index in 0...Self.writers {
      let reader = try RunningProgram(
        "SyncProbe",
        ["read", folder.path("client\(index).store"), url(index), token, String(Self.writers * Self.notes)])
      await reader.waitForExit()
      contents.append(reader.lines.filter { $0.hasPrefix("note ") })
    }
    for lines in contents { #expect(lines == contents[0]) }
    #expect(Set(contents[0]) == Set(all.map { "note \($0) in all" }))
    #expect(contents[0].count == all.count)
    // A server folds the log when it starts.
    servers[0].kill()
    servers[0] = try startServer(0)
    try await servers[0].wait(for: "listens")
    let late = try RunningProgram(
      "SyncProbe", ["read", folder.path("late.store"), url(0), token, String(all.count)])
    await late.waitForExit()
    #expect(late.lines.filter { $0.hasPrefix("note ") } == contents[0])
    for server in servers { server.kill() }
  }
}

/// A program of this package that runs beside the test.
final class RunningProgram: Sendable {
  private let process: ChildProcess
  private let output: URL

  init(_ name: String, _ arguments: [String]) throws {
    // The test and the programs are built into one folder.
    let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    output = FileManager.default.temporaryDirectory.appendingPathComponent("output-\(UUID().uuidString)")
    try Data().write(to: output)
    let file = try FileHandle(forWritingTo: output)
    defer { try? file.close() }
    process = try ChildProcess(
      folder.appendingPathComponent(name).path, arguments, output: .descriptor(file.fileDescriptor), errors: .nothing)
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: output)
  }

  /// What it printed so far, in whole lines.
  var lines: [String] {
    let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// Ends it at once, as `kill -9` does.
  func kill() {
    process.send(SIGKILL)
    process.wait()
  }

  /// Sends it a signal.
  func signal(_ signal: Int32) { process.send(signal) }

  /// How it ended.
  var ending: ChildProcess.Ending { process.wait() }

  /// Waits until it has printed a text.
  func wait(for text: String) async throws {
    while true {
      // It may print the text and end between these lines.
      let isRunning = process.isRunning
      if lines.contains(where: { $0.contains(text) }) { return }
      guard isRunning else { break }
      try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("a process ended and did not print \"\(text)\": \(lines.suffix(5))")
    throw CancellationError()
  }

  /// Waits for its end, and kills it where the test's time limit ends the wait.
  func waitForExit() async {
    while process.isRunning, (try? await Task.sleep(for: .milliseconds(50))) != nil {}
    kill()
  }
}
