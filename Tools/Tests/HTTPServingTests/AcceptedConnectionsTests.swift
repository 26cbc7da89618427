import HTTPServing
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import Testing

@Suite("Connections that a server has accepted")
struct AcceptedConnectionsTests {
  @Test("A server that is cancelled while connections arrive closes them")
  func cancelled() async throws {
    for _ in 0..<20 {
      let (ports, opened) = AsyncStream.makeStream(of: Int.self)
      var logger = Logger(label: "test")
      logger.logLevel = .critical
      let application = Application(
        responder: CallbackResponder<BasicRequestContext> { _, _ in Response(status: .ok) },
        server: .endingAccepted(), configuration: .init(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { opened.yield($0.localAddress?.port ?? 0) }, logger: logger)
      let server = Task { try await application.runService(gracefulShutdownSignals: []) }
      let port = try #require(await ports.first { _ in true })
      let connections = try await withThrowingTaskGroup(of: (any Channel).self) { group in
        for _ in 0..<64 {
          group.addTask {
            try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
              .connect(host: "127.0.0.1", port: port).get()
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      server.cancel()
      // The server ends, and so does each connection: an open one would wait for its idle time.
      _ = await server.result
      for connection in connections { try await connection.closeFuture.get() }
    }
  }
}
