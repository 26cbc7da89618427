import FirestoreClient
public import Foundation
import HTTPTypes
import Hummingbird
import Logging
import SwiftData

/// A local server of Firestore's REST API, version 1: for development, demonstrations and tests without an account.
///
/// There: get, list, create, patch, delete, `batchGet`, `commit` with masks, preconditions and transforms, and `runQuery`
/// with filters, order, cursors, offset and limit. Not there: transactions, listening, aggregation queries, security
/// rules and indexes; whoever reaches the server may do everything.
public struct FirestoreServer: Sendable {
  private let handler: RequestHandler
  private let host: String
  private let port: Int
  private let logger: Logger
  /// As much as a request may have; Google's limit is 10 MiB.
  private static let maximumBytes = 11 * 1_024 * 1_024

  /// Opens the store of a server.
  /// - Parameters:
  ///   - store: the file of the documents; nil keeps them in memory.
  ///   - port: 0 takes a free one.
  /// - Throws: `SwiftDataError` where the store cannot be opened.
  public init(store: URL?, host: String = "127.0.0.1", port: Int) throws {
    logger = Logger(label: "sorted.firestore")
    handler = RequestHandler(
      store: DocumentStore(modelContainer: try DocumentStore.container(store)), logger: logger)
    self.host = host
    self.port = port
  }

  /// Serves until the task is cancelled, or one of the signals arrives.
  /// - Parameter onRunning: called once, with the port.
  /// - Throws: where the port cannot be had.
  public func run(
    signals: Bool = true, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
  ) async throws {
    let handler = handler
    let responder = CallbackResponder<BasicRequestContext> { request, _ in
      await Self.respond(to: request, handler)
    }
    let application = Application(
      responder: responder, configuration: .init(address: .hostname(host, port: port), serverName: "sorted-firestore"),
      onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) }, logger: logger)
    try await application.runService(gracefulShutdownSignals: signals ? [.sigterm, .sigint] : [])
  }

  private static func respond(to request: Request, _ handler: RequestHandler) async -> Response {
    let answer: RequestHandler.Answer
    do {
      let body = try await request.body.collect(upTo: maximumBytes)
      answer = await handler.answer(request.method.rawValue, request.head.path ?? "", Data(body.readableBytesView))
    } catch {
      answer = RequestHandler.answer(
        FirestoreError(.invalidArgument, "the request cannot be read, or has more than \(maximumBytes) bytes"),
        isStream: false)
    }
    return Response(
      status: .init(code: answer.code), headers: [.contentType: "application/json; charset=UTF-8"],
      body: .init(byteBuffer: .init(bytes: answer.body)))
  }
}
