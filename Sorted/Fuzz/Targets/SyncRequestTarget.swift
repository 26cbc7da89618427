import Foundation
@_spi(Wire) import SyncServer

/// A request to the sync server with a valid token: a line with method and target, then the body.
enum SyncRequestTarget {
  /// A server without limits of time. Each input may change what the next one finds.
  struct Server: Sendable {
    let service: SyncService
    let keys: TokenKeys

    static func make() async throws -> Server {
      let keys = try await TokenKeys([("fuzz", "0123456789abcdef0123456789abcdef")])
      var limits = ServerLimits()
      (limits.burst, limits.requestsPerSecond) = (1e15, 1e15)
      (limits.zoneSize, limits.assetSize, limits.snapshotAfter) = (1 << 22, 1 << 16, 3)
      let store = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-sync-\(UUID().uuidString).store")
      return Server(service: try SyncService(store: store.path, keys: keys, limits: limits), keys: keys)
    }

    func token(_ account: String) async throws -> String { try await keys.token(for: account, seconds: 86_400) }
  }

  private static let server = Task { try await Server.make() }

  static func run(_ bytes: Data) async throws {
    let server = try await server.value
    let (head, body) = bytes.headAndBody
    let words = head.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let token = try await server.token("ann")
    let request = Task {
      await server.service.answer(
        words[0], words.count > 1 ? words[1] : "", headers: ["Authorization": "Bearer \(token)"], body: body)
    }
    // A request that waits for news need not wait for long.
    let timer = Task {
      try await Task.sleep(for: .milliseconds(100))
      request.cancel()
    }
    let (status, answer) = await request.value
    timer.cancel()
    // A zone may be full. Another 5xx is a case that the server does not know.
    if status >= 500, status != 507 { broken("\(status) \(String(decoding: answer, as: UTF8.self))") }
    if status >= 300 { throw Refused() }
  }

  struct Refused: Error {}
}
