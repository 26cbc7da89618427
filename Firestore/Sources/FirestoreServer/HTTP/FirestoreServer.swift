import FirestoreProtocol
public import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging
import SwiftData

/// A local server of Firestore's REST API, version 1, and of Firebase Storage's, for development, demonstrations and
/// tests without an account.
///
/// `Firestore/README.md` lists what it supports. Without rules, every client may do everything.
public struct FirestoreServer: Sendable {
  var handler: RequestHandler
  private let storage: StorageHandler
  private let host: String
  private let port: Int
  /// The folder of files, if it ends with the server.
  private let temporaryFolder: URL?
  private let logger: Logger
  /// The maximum size of a request in bytes. Google's limit is 10 MiB, but chunks of files may be larger.
  private static let maximumBytes = 64 * 1_024 * 1_024

  /// Opens the store of a server.
  /// - Parameters:
  ///   - store: the file of the documents. Files are in a folder next to it, named after it with `-files`. Nil keeps
  ///     documents in memory and files in a temporary folder.
  ///   - rules: the access rules in the form that `Firestore/README.md` describes, or nil for none.
  ///   - port: 0 selects a free port.
  /// - Throws: `SwiftDataError` if the store cannot be opened, `FirestoreError` for invalid rules.
  public init(store: URL?, rules: String? = nil, host: String = "127.0.0.1", port: Int) throws {
    let temporary = FileManager.default.temporaryDirectory.appendingPathComponent("sorted-files-\(UUID().uuidString)")
    try self.init(
      try DocumentStore.container(store), files: store.map { URL(fileURLWithPath: $0.path + "-files") } ?? temporary,
      temporaryFolder: store == nil ? temporary : nil, rules: rules, host: host, port: port)
  }

  /// Opens a server with its documents in PostgreSQL, in the schema `firestore` of the database. A database can have
  /// one server at a time, because a server caches what it has read.
  /// - Parameters:
  ///   - url: a URL for `PostgresConfiguration`.
  ///   - files: the folder for files, created if it is missing.
  ///   - rules: as in the other initializer.
  ///   - port: 0 selects a free port.
  /// - Throws: `SwiftDataError` if the store cannot be opened, `FirestoreError` for invalid rules.
  public init(postgres url: String, files: URL, rules: String? = nil, host: String = "127.0.0.1", port: Int) throws {
    try self.init(
      try DocumentStore.container(postgres: url), files: files, temporaryFolder: nil, rules: rules, host: host,
      port: port)
  }

  private init(
    _ container: ModelContainer, files: URL, temporaryFolder: URL?, rules: String?, host: String, port: Int
  ) throws {
    logger = Logger(label: "sorted.firestore")
    let rules = try rules.map { try AccessRules(parsing: $0) }
    handler = RequestHandler(store: DocumentStore(modelContainer: container), rules: rules, logger: logger)
    storage = StorageHandler(
      files: try FileStore(modelContainer: container, folder: files), rules: rules, logger: logger)
    self.temporaryFolder = temporaryFolder
    self.host = host
    self.port = port
  }

  /// Serves until the task is cancelled or a signal arrives.
  /// - Parameter onRunning: called once with the port.
  /// - Throws: an error if the port is not available.
  public func run(
    signals: Bool = true, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
  ) async throws {
    let server = self
    // If this fails, the folder stays among the temporary files.
    defer { temporaryFolder.map { try? FileManager.default.removeItem(at: $0) } }
    let responder = CallbackResponder<BasicRequestContext> { request, _ in await server.respond(to: request) }
    // The server library logs cancellation, the usual end of a test, as an error.
    var quiet = logger
    quiet.logLevel = .critical
    let application = Application(
      responder: BodilessHead(responder), server: .endingAccepted(),
      configuration: .init(address: .hostname(host, port: port), serverName: "sorted-firestore"),
      onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) }, logger: quiet)
    try await application.runService(gracefulShutdownSignals: signals ? [.sigterm, .sigint] : [])
  }

  private func answer(_ request: ServerRequest) async -> ServerAnswer {
    request.target.hasPrefix(StorageCall.prefix) ? await storage.answer(request) : await handler.answer(request)
  }

  /// Answers a request without a network, for tests with hostile requests.
  @_spi(Wire) public func answer(_ method: String, _ target: String, _ body: Data) async -> (code: Int, body: Data) {
    let answer = await answer(ServerRequest(method: method, target: target, header: { _ in nil }, body: body))
    return (answer.code, answer.body)
  }

  private func respond(to request: Request) async -> Response {
    let answer: ServerAnswer
    do {
      let headers = request.headers
      let received = ServerRequest(
        method: request.method.rawValue, target: request.head.path ?? "",
        header: { name in
          name == "Host" ? request.head.authority : HTTPField.Name(name).flatMap { headers[$0] }
        },
        body: Data(try await request.body.collect(upTo: Self.maximumBytes).readableBytesView))
      answer = await self.answer(received)
    } catch {
      answer = ServerAnswer(
        FirestoreError(.invalidArgument, "the request cannot be read, or has more than \(Self.maximumBytes) bytes"),
        isStream: false)
    }
    var headers = HTTPFields()
    headers[.contentType] = answer.contentType
    for (name, value) in answer.headers {
      if let name = HTTPField.Name(name) { headers[name] = value }
    }
    return Response(
      status: .init(code: answer.code), headers: headers, body: .init(byteBuffer: .init(bytes: answer.body)))
  }
}
