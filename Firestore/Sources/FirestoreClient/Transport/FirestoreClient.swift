public import AsyncHTTPClient
public import FirestoreProtocol
public import Foundation
public import NIOCore
import NIOHTTP1

/// A client of Firestore's REST API, version 1.
///
/// With `FIRESTORE_EMULATOR_HOST` (host:port) in the environment it connects to an emulator, or to `sorted firestore`,
/// without encryption and as its owner. It never retries. ``FirestoreError/isRetryable`` says what may be retried; only
/// the caller knows what is idempotent.
public struct FirestoreClient: RemoteDatabase {
  /// The prefix of all document names: `projects/…/databases/…/documents`.
  public let root: String
  private let base: String
  private let credentials: any FirestoreCredentials
  private let client: HTTPClient
  private let timeout: TimeAmount

  /// Makes a client of a database.
  /// - Parameters:
  ///   - database: the default is `(default)`.
  ///   - baseURL: nil reads the environment, and defaults to Google's.
  ///   - credentials: nil sends `owner` to an emulator from the environment, and nothing otherwise.
  ///   - client: nil uses the shared connections.
  ///   - timeout: the timeout of each request.
  public init(
    project: String, database: String = "(default)", baseURL: String? = nil,
    credentials: (any FirestoreCredentials)? = nil, client: HTTPClient? = nil, timeout: TimeAmount = .seconds(60),
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    root = "projects/\(project)/databases/\(database)/documents"
    let emulator = environment["FIRESTORE_EMULATOR_HOST"].flatMap { $0.isEmpty ? nil : "http://\($0)" }
    base = (baseURL ?? emulator ?? "https://firestore.googleapis.com") + "/v1/"
    let isEmulator = baseURL == nil && emulator != nil
    self.credentials = credentials ?? FixedToken(isEmulator ? "owner" : nil)
    self.client = client ?? Exchange.connections
    self.timeout = timeout
  }

  /// Reads a document.
  /// - Throws: ``FirestoreError``, with status `notFound` if it does not exist.
  public func document(_ name: String) async throws -> FirestoreDocument {
    try await send(.GET, Percent.escaped(name))
  }

  /// Reads several documents, in the order of the names. A missing one is nil.
  public func documents(_ names: [String]) async throws -> [FirestoreDocument?] {
    guard !names.isEmpty else { return [] }
    let answers: [BatchGetAnswer] = try await stream(
      Percent.escaped(root) + ":batchGet", BatchGetRequest(documents: names))
    // The answers come in any order.
    let found = Dictionary(
      answers.compactMap(\.found).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return names.map { found[$0] }
  }

  /// Reads a page of a collection, ordered by name.
  public func list(
    _ collection: String, of parent: String, pageSize: Int, pageToken: String?
  ) async throws -> FirestorePage {
    let token = pageToken.map { "&pageToken=" + Percent.escaped($0, keepsSlashes: false) } ?? ""
    return try await send(
      .GET, "\(Percent.escaped(parent))/\(Percent.escaped(collection))?pageSize=\(pageSize)\(token)")
  }

  /// Performs all writes, or none.
  @discardableResult
  public func commit(_ writes: [FirestoreWrite]) async throws -> FirestoreCommit {
    try await send(.POST, Percent.escaped(root) + ":commit", json(CommitRequest(writes: writes)))
  }

  /// Runs a query below a parent. Returns the documents in the query's order.
  public func run(_ query: FirestoreQuery, of parent: String) async throws -> [FirestoreDocument] {
    let answers: [QueryAnswer] = try await stream(
      Percent.escaped(parent) + ":runQuery", QueryRequest(structuredQuery: query))
    return answers.compactMap(\.document)
  }

  /// Whether the server answers, even with an error.
  public func isReachable(within timeout: TimeAmount = .seconds(5)) async -> Bool {
    let request = HTTPClientRequest(url: base)
    return (try? await Exchange.answer(to: request, by: client, within: timeout)) != nil
  }

  // MARK: - Requests

  private struct BatchGetRequest: Encodable { let documents: [String] }
  private struct BatchGetAnswer: StreamedAnswer {
    let found: FirestoreDocument?
    let error: FirestoreError.Body.Content?
  }
  private struct CommitRequest: Encodable { let writes: [FirestoreWrite] }
  private struct QueryRequest: Encodable { let structuredQuery: FirestoreQuery }
  private struct QueryAnswer: StreamedAnswer {
    let document: FirestoreDocument?
    let error: FirestoreError.Body.Content?
  }

  private func json(_ request: some Encodable) throws -> Data {
    do {
      return try JSONEncoder().encode(request)
    } catch {
      throw FirestoreError(.invalidArgument, "the request cannot be encoded as JSON: \(error)")
    }
  }

  private func send<Answer: Decodable>(
    _ method: HTTPMethod, _ path: String, _ body: Data? = nil
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: base + path)
    request.method = method
    if let token = try await credentials.token() {
      request.headers.add(name: "Authorization", value: "Bearer \(token)")
    }
    if let body {
      request.headers.add(name: "Content-Type", value: "application/json")
      request.body = .bytes(body)
    }
    let (status, _, data) = try await Exchange.answer(to: request, by: client, within: timeout)
    guard (200..<300).contains(status) else { throw FirestoreError(httpCode: status, body: data) }
    do {
      return try JSONDecoder().decode(Answer.self, from: data)
    } catch {
      throw FirestoreError(.internal, "the answer to \(request.url) cannot be decoded: \(error)")
    }
  }

  /// Reads a streamed answer. A stream that began with code 200 can still end with an error.
  private func stream<Answer: StreamedAnswer>(_ path: String, _ body: some Encodable) async throws -> [Answer] {
    let answers: [Answer] = try await send(.POST, path, json(body))
    if let error = answers.lazy.compactMap(\.error).first {
      throw FirestoreError(error.status.flatMap(FirestoreError.Status.init) ?? .unknown, error.message)
    }
    return answers
  }
}

private protocol StreamedAnswer: Decodable {
  var error: FirestoreError.Body.Content? { get }
}
