import HummingbirdCore
import Logging
import NIOCore
import Synchronization

extension HTTPServerBuilder {
  /// Builds a server that closes each accepted connection, even if its task is cancelled before it serves the connection.
  ///
  /// NIO traps if a connection of its asynchronous channels is released and was never served (swift-nio, issue 2813).
  /// - Parameter channel: makes the child channel that serves a connection, for example an `HTTP1Channel`.
  public static func endingAccepted(
    _ channel: @escaping @Sendable (@escaping HTTPChannelHandler.Responder) throws -> some ServerChildChannel
  ) -> HTTPServerBuilder {
    HTTPServerBuilder { AcceptedConnections(try channel($0)) }
  }

  /// Builds a server of HTTP/1.1 that closes each accepted connection.
  public static func endingAccepted(_ configuration: HTTP1Channel.Configuration = .init()) -> HTTPServerBuilder {
    endingAccepted { HTTP1Channel(responder: $0, configuration: configuration) }
  }
}

/// A child channel that lets another one serve each connection, and closes a connection that the server drops unserved.
struct AcceptedConnections<Serving: ServerChildChannel>: ServerChildChannel {
  private let serving: Serving

  init(_ serving: Serving) { self.serving = serving }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection<Serving>> {
    let serving = serving
    return serving.setup(channel: channel, logger: logger).map { AcceptedConnection($0, serving, logger) }
  }

  func handle(value: AcceptedConnection<Serving>, logger: Logger) async { await value.serve(logger) }
}

/// A connection that NIO has accepted. If the server drops it unserved, `deinit` closes it and runs its handler, which finishes
/// NIO's writer.
final class AcceptedConnection<Serving: ServerChildChannel>: ServerChildChannelValue {
  private let connection: Serving.Value
  private let serving: Serving
  private let logger: Logger
  private let isServed = Mutex(false)

  init(_ connection: Serving.Value, _ serving: Serving, _ logger: Logger) {
    (self.connection, self.serving, self.logger) = (connection, serving, logger)
  }

  var channel: any Channel { connection.channel }

  func serve(_ logger: Logger) async {
    isServed.withLock { $0 = true }
    await serving.handle(value: connection, logger: logger)
  }

  deinit {
    guard !isServed.withLock({ $0 }) else { return }
    connection.channel.close(promise: nil)
    Task { [connection, serving, logger] in await serving.handle(value: connection, logger: logger) }
  }
}
