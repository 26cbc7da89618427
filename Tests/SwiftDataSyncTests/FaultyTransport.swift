#if Sync
import Foundation
import SyncProtocol
import Synchronization

@testable import SwiftDataSync

/// A way to a server that a seed makes fail: before or after the server got the request, with a 5xx or a 429, or late.
final class FaultyTransport: SyncTransport {
  private struct State: Sendable {
    var random: SeededGenerator
    var isFaulty = true
  }

  private let server: LoopTransport
  private let state: Mutex<State>

  init(_ server: LoopTransport, seed: UInt64) {
    self.server = server
    state = Mutex(State(random: SeededGenerator(seed: seed)))
  }

  /// Ends the faults.
  func mend() { state.withLock { $0.isFaulty = false } }

  func send(_ request: SyncRequest) async throws -> SyncReply {
    let fault = state.withLock { state in state.isFaulty ? Int.random(in: 0..<20, using: &state.random) : .max }
    switch fault {
    case 0, 1: throw URLError(.cannotConnectToHost)
    case 2: return try reply(SyncFailure(.unavailable, "busy", retryAfter: 0.01))
    case 3: return try reply(SyncFailure(.rateLimited, "too many requests", retryAfter: 0.01))
    case 4: return SyncReply(status: 502, body: Data("<html>".utf8))
    case 5, 6:
      _ = try await server.send(request)
      throw URLError(.networkConnectionLost)
    case 7: try await Task.sleep(for: .milliseconds(20))
    default: break
    }
    return try await server.send(request)
  }

  private func reply(_ failure: SyncFailure) throws -> SyncReply {
    SyncReply(status: failure.status, body: try SyncWire.encode(failure))
  }
}
#endif
