import ChildProcesses
import Crypto
import Foundation
import SwiftDataSync
import SyncProtocol
import Synchronization
import Testing

@testable import SyncServer

/// A server over a real socket and a real store: in this process, or a process of its own.
struct ServerFixture {
  let url: URL
  let keys: TokenKeys
  /// The server, if it is in this process.
  var service: SyncService?

  static let secret = "0123456789abcdef0123456789abcdef"

  /// Runs a server while the body runs.
  static func with<T: Sendable>(
    limits: ServerLimits = ServerLimits(), store: String? = nil,
    _ body: @Sendable @escaping (ServerFixture) async throws -> T
  ) async throws -> T {
    let folder = try TestFolder()
    let keys = try await TokenKeys([("test", secret)])
    let service = try SyncService(store: store ?? folder.path("server.store"), keys: keys, limits: limits)
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let server = Task {
      // A server that does not start ends the wait for its port.
      defer { continuation.finish() }
      try await service.run(port: 0, signals: false) { continuation.yield($0) }
    }
    defer { server.cancel() }
    guard let port = await ports.first(where: { _ in true }) else {
      try await server.value
      throw SyncFailure(.unavailable, "no port")
    }
    let fixture = ServerFixture(
      url: URL(string: "http://127.0.0.1:\(port)")!, keys: keys, service: service)
    let result = try await body(fixture)
    withExtendedLifetime(folder) {}
    return result
  }

  /// Runs server processes on one store while the body runs.
  static func withProcesses<T: Sendable>(
    _ count: Int, store: String, _ body: @Sendable @escaping ([ServerFixture], [RunningProgram]) async throws -> T
  ) async throws -> T {
    let folder = try TestFolder()
    try Data("test \(secret)\n".utf8).write(to: folder.url.appendingPathComponent("keys"))
    let keys = try await TokenKeys([("test", secret)])
    var (processes, fixtures) = ([RunningProgram](), [ServerFixture]())
    defer { for process in processes { process.kill() } }
    for _ in 0..<count {
      let process = try RunningProgram(
        "swiftdata", ["sync-server", "--store", store, "--keys", folder.path("keys"), "--port", "0"])
      processes.append(process)
      try await process.wait(for: "listens")
      guard let line = process.lines.first(where: { $0.contains("listens") }),
        let url = line.split(separator: " ").last.flatMap({ URL(string: String($0)) })
      else { throw SyncFailure(.unavailable, "no port") }
      fixtures.append(ServerFixture(url: url, keys: keys))
    }
    return try await body(fixtures, processes)
  }

  static func sha256(_ text: String) -> String { sha256(of: Data(text.utf8)) }

  static func sha256(of bytes: Data) -> String {
    SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Folds the log of an account's zone, as the server does every hour.
  func fold(_ name: String) async throws {
    let zone = ZoneName.account(ExactText(name))
    let done = try await #require(service).store.compactLog(zone.text)
    #expect(done.folded != nil)
  }

  func token(_ name: String) async throws -> String { try await keys.token(for: name, seconds: 600) }

  /// Sends a request as any program could.
  func send(
    _ method: String, _ path: String, token: String? = nil, body: Data? = nil
  ) async throws -> (status: Int, body: Data, failure: SyncFailure?) {
    var headers = ["Content-Type": "application/json"]
    if let token { headers["Authorization"] = "Bearer \(token)" }
    let request = SyncRequest(method: method, path: path, headers: headers, body: body, timeout: .seconds(300))
    let reply = try await HTTPTransport(url: url).send(request)
    return (reply.status, reply.body, try? SyncWire.decode(SyncFailure.self, from: reply.body))
  }
}

/// A folder that is removed when it is not used any more, with a database that is dropped then.
final class TestFolder: Sendable {
  let url: URL
  private let database = "sync_\(UUID().uuidString.prefix(8).lowercased())"
  private let hasDatabase = Mutex(false)

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("sync-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    if hasDatabase.withLock({ $0 }) { try? Self.psql("DROP DATABASE \(database) WITH (FORCE)") }
    try? FileManager.default.removeItem(at: url)
  }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// A place for the zones of servers. On PostgreSQL it is a database of its own: a server of another test would begin an epoch in it, and
  /// fold its logs.
  func place(for store: TestStore) throws -> String {
    guard store == .postgres else { return path("server.store") }
    let server = try #require(TestStore.postgresURL)
    var place = try #require(URLComponents(string: server))
    try hasDatabase.withLock { hasDatabase in
      if !hasDatabase { try Self.psql("CREATE DATABASE \(database) TEMPLATE template0 ENCODING 'UTF8'") }
      hasDatabase = true
    }
    place.path = "/\(database)"
    return try #require(place.string)
  }

  private static func psql(_ statement: String) throws {
    let arguments = [TestStore.postgresURL ?? "", "--quiet", "-v", "ON_ERROR_STOP=1", "-c", statement]
    let process = try ChildProcess("psql", arguments, output: .inherited)
    try #require(process.wait() == .exit(0), "\(statement)")
  }
}

/// What a server keeps its zones in.
enum TestStore: String, CaseIterable, CustomTestStringConvertible {
  case sqlite, postgres

  static var postgresURL: String? { ProcessInfo.processInfo.environment["POSTGRES_URL"] }
  /// PostgreSQL where `POSTGRES_URL` names a server.
  static var available: [TestStore] { postgresURL == nil ? [.sqlite] : allCases }

  var testDescription: String { rawValue }

  /// Runs a server in this process on such a store.
  func with<T: Sendable>(
    limits: ServerLimits = ServerLimits(), _ body: @Sendable @escaping (ServerFixture) async throws -> T
  ) async throws -> T {
    let folder = try TestFolder()
    let result = try await ServerFixture.with(limits: limits, store: try folder.place(for: self), body)
    withExtendedLifetime(folder) {}
    return result
  }
}

/// The code of the refusal of a request.
func refusal(_ body: () async throws -> Void) async -> SyncFailure.Code? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? SyncFailure)?.code
  }
}
