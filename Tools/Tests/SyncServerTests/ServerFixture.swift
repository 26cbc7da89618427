import Crypto
import Foundation
import SwiftDataSync
import SyncProtocol
import Testing

@testable import SyncServer

/// A server in this process, over a real socket and a real file.
struct ServerFixture {
  let url: URL
  let keys: TokenKeys

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
    let server = Task { try await service.run(port: 0, signals: false) { continuation.yield($0) } }
    defer { server.cancel() }
    guard let port = await ports.first(where: { _ in true }) else { throw SyncFailure(.unavailable, "no port") }
    let fixture = ServerFixture(url: URL(string: "http://127.0.0.1:\(port)")!, keys: keys)
    let result = try await body(fixture)
    withExtendedLifetime(folder) {}
    return result
  }

  static func sha256(_ text: String) -> String {
    SHA256.hash(data: Data(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  func token(_ account: String) async throws -> String { try await keys.token(for: account, seconds: 600) }

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
