import Crypto
import Foundation
import SwiftDataSync
import SyncProtocol
import Testing

@testable import SyncServer

/// A server over a real socket and a real store: in this process, or a process of its own.
struct ServerFixture {
  let url: URL
  let keys: TokenKeys
  /// What makes the names of accounts differ from those of other tests on the same database.
  var suffix = ""
  /// The server, if it is in this process.
  var service: SyncService?

  static let secret = "0123456789abcdef0123456789abcdef"

  /// Runs a server while the body runs.
  static func with<T: Sendable>(
    limits: ServerLimits = ServerLimits(), store: String? = nil, suffix: String = "",
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
      url: URL(string: "http://127.0.0.1:\(port)")!, keys: keys, suffix: suffix, service: service)
    let result = try await body(fixture)
    withExtendedLifetime(folder) {}
    return result
  }

  /// Runs server processes on one store while the body runs.
  static func withProcesses<T: Sendable>(
    _ count: Int, store: String, _ body: @Sendable @escaping ([ServerFixture], [ChildProcess]) async throws -> T
  ) async throws -> T {
    let folder = try TestFolder()
    try Data("test \(secret)\n".utf8).write(to: folder.url.appendingPathComponent("keys"))
    let keys = try await TokenKeys([("test", secret)])
    let suffix = "-" + UUID().uuidString.prefix(8)
    var (processes, fixtures) = ([ChildProcess](), [ServerFixture]())
    defer { for process in processes { process.kill() } }
    for _ in 0..<count {
      let process = try ChildProcess(
        "swiftdata", ["sync-server", "--store", store, "--keys", folder.path("keys"), "--port", "0"])
      processes.append(process)
      try await process.wait(for: "listens")
      guard let line = process.lines.first(where: { $0.contains("listens") }),
        let url = line.split(separator: " ").last.flatMap({ URL(string: String($0)) })
      else { throw SyncFailure(.unavailable, "no port") }
      fixtures.append(ServerFixture(url: url, keys: keys, suffix: suffix))
    }
    return try await body(fixtures, processes)
  }

  static func sha256(_ text: String) -> String { sha256(of: Data(text.utf8)) }

  static func sha256(of bytes: Data) -> String {
    SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The name that an account has on the server.
  func account(_ name: String) -> String { name + suffix }

  /// Folds the log of an account's zone, as the server does every hour.
  func fold(_ name: String) async throws {
    let zone = ZoneName.account(ExactText(account(name)))
    let done = try await #require(service).store.compactLog(zone.text)
    #expect(done.folded != nil)
  }

  func token(_ name: String) async throws -> String { try await keys.token(for: account(name), seconds: 600) }

  /// Sends a request as any program could.
  func send(
    _ method: String, _ path: String, token: String? = nil, body: Data? = nil
  ) async throws -> (status: Int, body: Data, failure: SyncFailure?) {
    var headers = ["Content-Type": "application/json"]
    if let token { headers["Authorization"] = "Bearer \(token)" }
    let request = SyncRequest(method: method, path: path, headers: headers, body: body, timeout: 300)
    let reply = try await HTTPTransport(url: url).send(request)
    return (reply.status, reply.body, try? SyncWire.decode(SyncFailure.self, from: reply.body))
  }
}

/// A folder that is removed when it is not used any more.
final class TestFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("sync-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }
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
    switch self {
    case .sqlite: try await ServerFixture.with(limits: limits, body)
    // Other tests use the database too.
    case .postgres:
      try await ServerFixture.with(
        limits: limits, store: Self.postgresURL, suffix: "-" + UUID().uuidString.prefix(8), body)
    }
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
