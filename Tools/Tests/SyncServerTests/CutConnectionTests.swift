import ChildProcesses
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SwiftDataSync
import Synchronization
import Testing

@Suite("Connections that are cut")
struct CutConnectionTests {
  @Test(
    "A connection that ends anywhere in an answer is an error",
    arguments: [
      "", "H", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 502 Bad Gateway\r\nContent-Ty",
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab",
      "nonsense\r\n\r\n",
    ])
  func answer(start: String) async throws {
    let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(CutAnswerHandler(start))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(server.localAddress?.port)
    let transport = HTTPTransport(url: try #require(URL(string: "http://127.0.0.1:\(port)")))
    let error = await #expect(throws: URLError.self) {
      try await transport.send(
        SyncRequest(method: "POST", path: "/", headers: [:], body: Data([65]), timeout: .seconds(60)))
    }
    #expect(error?.code == .networkConnectionLost)
    try await server.close()
  }

  @Test("A server that is not there, and one that does not answer in time, are errors that say so")
  func absent() async throws {
    let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0).get()
    let url = try #require(URL(string: "http://127.0.0.1:\(server.localAddress?.port ?? 0)"))
    let request = SyncRequest(method: "GET", path: "/", headers: [:], body: nil, timeout: .seconds(0.2))
    let silent = await #expect(throws: URLError.self) { try await HTTPTransport(url: url).send(request) }
    #expect(silent?.code == .timedOut)
    try await server.close()
    // No server listens at a port that is only reserved. A busy machine needs this long to learn that.
    let port = try ReservedPort()
    let nowhere = try #require(URL(string: "http://127.0.0.1:\(port.number)"))
    let patient = SyncRequest(method: "GET", path: "/", headers: [:], body: nil, timeout: .seconds(60))
    let absent = await #expect(throws: URLError.self) { try await HTTPTransport(url: nowhere).send(patient) }
    #expect(absent?.code == .cannotConnectToHost)
    withExtendedLifetime(port) {}
  }

  @Test("A host without an address, a server without TLS and a self-signed certificate are errors that say so")
  func misconfigured() async throws {
    let request = SyncRequest(method: "GET", path: "/", headers: [:], body: nil, timeout: .seconds(60))
    func failure(_ url: String) async throws -> URLError.Code? {
      let transport = HTTPTransport(url: try #require(URL(string: url)))
      return await #expect(throws: URLError.self) { try await transport.send(request) }?.code
    }
    #expect(try await failure("https://no-such-host.invalid") == .cannotFindHost)

    let plain = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { $0.pipeline.configureHTTPServerPipeline() }
      .bind(host: "127.0.0.1", port: 0).get()
    #expect(try await failure("https://127.0.0.1:\(plain.localAddress?.port ?? 0)") == .secureConnectionFailed)
    try await plain.close()

    let tls = try NIOSSLContext(configuration: selfSigned())
    let encrypted = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    #expect(
      try await failure("https://127.0.0.1:\(encrypted.localAddress?.port ?? 0)") == .serverCertificateUntrusted)
    try await encrypted.close()
  }

  /// A self-signed certificate for 127.0.0.1.
  private func selfSigned() throws -> TLSConfiguration {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("sync-tls-\(UUID().uuidString).pem")
    defer { try? FileManager.default.removeItem(at: file) }
    let arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
      "-subj", "/CN=sync", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", file.path, "-out", file.path,
    ]
    let openssl = try ChildProcess("openssl", arguments, output: .inherited, errors: .nothing)
    try #require(openssl.wait() == .exit(0), "openssl makes no certificate")
    return .makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMFile(file.path).map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(file: file.path, format: .pem)))
  }

  @Test("A request that is cancelled ends at once")
  func cancelled() async throws {
    let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0).get()
    let url = try #require(URL(string: "http://127.0.0.1:\(server.localAddress?.port ?? 0)"))
    let task = Task {
      try await HTTPTransport(url: url).send(
        SyncRequest(method: "GET", path: "/", headers: [:], body: nil, timeout: .seconds(3600)))
    }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await server.close()
  }

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
      method: "POST", path: "/", headers: [:], body: Data(repeating: 65, count: size), timeout: .seconds(60))

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

/// Sends the start of an answer to whatever comes first, and closes the connection.
private final class CutAnswerHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let start: String

  init(_ start: String) { self.start = start }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: start))).whenComplete { _ in channel.close(promise: nil) }
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
