import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import SyncProtocol

/// A connection to a server that costs little, so that one process can have a thousand of them.
struct LightClient {
  typealias Channel = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

  private var inbound: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
  private let outbound: NIOAsyncChannelOutboundWriter<HTTPClientRequestPart>
  private let token: String

  /// Connects, and closes the connection after the body.
  static func with<Result: Sendable>(
    port: Int, token: String, _ body: @Sendable @escaping (inout LightClient) async throws -> Result
  ) async throws -> Result {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          return try Channel(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      var client = LightClient(inbound: inbound.makeAsyncIterator(), outbound: outbound, token: token)
      return try await body(&client)
    }
  }

  /// Sends a request and waits for the body of the answer.
  mutating func send(
    _ method: HTTPMethod, _ path: String, _ body: Data? = nil, version: Int = SyncWire.version
  ) async throws -> Data {
    var head = HTTPRequestHead(version: .http1_1, method: method, uri: path)
    head.headers = [
      "Host": "127.0.0.1", "Authorization": "Bearer \(token)", SyncWire.versionHeader: String(version),
      "Content-Length": String(body?.count ?? 0),
    ]
    try await outbound.write(.head(head))
    if let body { try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: body)))) }
    try await outbound.write(.end(nil))
    var (answer, status) = (Data(), HTTPResponseStatus.ok)
    while let part = try await inbound.next() {
      switch part {
      case .head(let head): status = head.status
      case .body(let bytes): answer.append(contentsOf: bytes.readableBytesView)
      case .end:
        guard status == .ok else { throw SyncFailure(.unavailable, String(decoding: answer, as: UTF8.self)) }
        return answer
      }
    }
    throw SyncFailure(.unavailable, "the server closed the connection")
  }
}
