import FirestoreClient
public import Foundation
import HTTPTypes
import Hummingbird
import Logging
import SwiftData

/// A local server of Firestore's REST API, version 1, and of Firebase Storage's: for development, demonstrations and tests
/// without an account.
///
/// What of them is there and what is not: `Documentation/firestore.md`. Without rules, whoever reaches the server may do
/// everything.
public struct FirestoreServer: Sendable {
  var handler: RequestHandler
  private let storage: StorageHandler
  private let host: String
  private let port: Int
  /// Where files are, where it goes with the server.
  private let temporaryFolder: URL?
  private let logger: Logger
  /// As much as a request may have; Google's limit is 10 MiB, and a chunk of a file may have more.
  private static let maximumBytes = 64 * 1_024 * 1_024

  /// Opens the store of a server.
  /// - Parameters:
  ///   - store: the file of the documents, beside which is a folder for files, named after it with `-files`; nil keeps
  ///     documents in memory and files in the folder for temporary ones.
  ///   - rules: who may read and write what, in the form that `Documentation/firestore.md` describes; nil asks nobody.
  ///   - port: 0 takes a free one.
  /// - Throws: `SwiftDataError` where the store cannot be opened, `FirestoreError` for rules that cannot be read.
  public init(store: URL?, rules: String? = nil, host: String = "127.0.0.1", port: Int) throws {
    let temporary = FileManager.default.temporaryDirectory.appendingPathComponent("sorted-files-\(UUID().uuidString)")
    try self.init(
      try DocumentStore.container(store), files: store.map { URL(fileURLWithPath: $0.path + "-files") } ?? temporary,
      temporaryFolder: store == nil ? temporary : nil, rules: rules, host: host, port: port)
  }

  /// Opens a server whose documents are in PostgreSQL, in the schema `firestore` of the database. No two servers at a time
  /// may have one database: each keeps in memory what it has read.
  /// - Parameters:
  ///   - url: as `PostgresConfiguration` takes it.
  ///   - files: the folder for files, made where it is missing.
  ///   - rules: as for a store of its own.
  ///   - port: 0 takes a free one.
  /// - Throws: `SwiftDataError` where the store cannot be opened, `FirestoreError` for rules that cannot be read.
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

  /// Serves until the task is cancelled, or one of the signals arrives.
  /// - Parameter onRunning: called once, with the port.
  /// - Throws: where the port cannot be had.
  public func run(
    signals: Bool = true, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
  ) async throws {
    let server = self
    // Left over where it fails, as temporary files are.
    defer { temporaryFolder.map { try? FileManager.default.removeItem(at: $0) } }
    let responder = CallbackResponder<BasicRequestContext> { request, _ in await server.respond(to: request) }
    // It takes being cancelled, the usual end in a test, for an error.
    var quiet = logger
    quiet.logLevel = .critical
    let application = Application(
      responder: responder, configuration: .init(address: .hostname(host, port: port), serverName: "sorted-firestore"),
      onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) }, logger: quiet)
    try await application.runService(gracefulShutdownSignals: signals ? [.sigterm, .sigint] : [])
  }

  private func answer(_ request: ServerRequest) async -> ServerAnswer {
    request.target.hasPrefix(StorageCall.prefix) ? await storage.answer(request) : await handler.answer(request)
  }

  /// Answers a request that came by no network: for tests of what anybody may send.
  package func answer(_ method: String, _ target: String, _ body: Data) async -> (code: Int, body: Data) {
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
