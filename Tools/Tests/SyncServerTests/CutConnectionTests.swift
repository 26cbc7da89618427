import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import SwiftDataSync
import Synchronization
import Testing

@Suite("Connections that are cut")
struct CutConnectionTests {
  @Test(
    "A kept connection that is closed when a request comes does not hold the request up",
    arguments: [200, 100_000, 3_000_000])
  func kept(size: Int) async throws {
    let cuts = Cuts()
    let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        channel.pipeline.configureHTTPServerPipeline().flatMapThrowing {
          try channel.pipeline.syncOperations.addHandler(CuttingHandler(cuts))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(server.localAddress?.port)
    let transport = HTTPTransport(url: try #require(URL(string: "http://127.0.0.1:\(port)")))
    let request = SyncRequest(
      method: "POST", path: "/", headers: [:], body: Data(repeating: 65, count: size), timeout: 10)

    // The server has all of the body, and keeps the connection.
    #expect(try await transport.send(request).body == Data("\(size)".utf8))
    cuts.cutNext()
    do {
      // Most bodies are sent again on a new connection.
      #expect(try await transport.send(request).body == Data("\(size)".utf8))
    } catch let error as URLError {
      // The others fail at once, and the engine sends them again after a pause.
      #expect(error.code != .timedOut)
    }
    #expect(cuts.done == 1)
    #expect(try await transport.send(request).body == Data("\(size)".utf8))
    try await server.close()
  }
}

/// Which request is cut.
private final class Cuts: Sendable {
  private let state = Mutex((isArmed: false, done: 0))

  var done: Int { state.withLock { $0.done } }

  func cutNext() { state.withLock { $0.isArmed = true } }

  func take() -> Bool {
    state.withLock { state in
      guard state.isArmed else { return false }
      state = (false, state.done + 1)
      return true
    }
  }
}

/// Answers each request with the size of its body, or closes the connection when it comes.
private final class CuttingHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let cuts: Cuts
  private var size = 0

  init(_ cuts: Cuts) { self.cuts = cuts }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      size = 0
      if cuts.take() { context.close(promise: nil) }
    case .body(let bytes): size += bytes.readableBytes
    case .end:
      let body = ByteBuffer(string: "\(size)")
      let headers = HTTPHeaders([("Content-Length", "\(body.readableBytes)")])
      context.write(
        wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: headers))), promise: nil)
      context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
  }
}
