import HTTPServing
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import Testing

@Suite("Answers to HEAD")
struct BodilessHeadTests {
  @Test(
    "An answer to HEAD has the length of a body and no body, for pages and for errors", arguments: ["/", "/missing"])
  func head(path: String) async throws {
    let router = Router(context: BasicRequestContext.self)
    router.add(middleware: ErrorTexts())
    router.on("/", method: .head) { _, _ in "a page" }
    let (ports, opened) = AsyncStream.makeStream(of: Int.self)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let application = Application(
      responder: BodilessHead(router.buildResponder()), server: .endingAccepted(),
      configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { opened.yield($0.localAddress?.port ?? 0) }, logger: logger)
    let server = Task { try await application.runService(gracefulShutdownSignals: []) }
    defer { server.cancel() }
    let port = try #require(await ports.first { _ in true })
    let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    let answer = try await connection.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: "HEAD \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
      return try await inbound.reduce(into: "") { $0 += String(buffer: $1) }
    }
    #expect(answer.lowercased().contains("content-length: 6\r\n"))
    #expect(answer.hasSuffix("\r\n\r\n"))
  }

  /// Answers an error with a body, as the servers of this repository do.
  private struct ErrorTexts: RouterMiddleware {
    func handle(
      _ request: Request, context: BasicRequestContext,
      next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
      do {
        return try await next(request, context)
      } catch {
        return Response(status: .notFound, body: .init(byteBuffer: ByteBuffer(string: "Sorry.")))
      }
    }
  }
}
