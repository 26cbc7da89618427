public import AsyncHTTPClient
public import Foundation
public import NIOCore
import NIOHTTP1

/// Firestore over its REST API, version 1.
///
/// With `FIRESTORE_EMULATOR_HOST` (host:port) in the environment it speaks to an emulator, or to `sorted firestore`,
/// without encryption and as its owner. It retries nothing by itself: ``FirestoreError/isRetryable`` says what may be
/// retried, and who asks knows what is idempotent.
public struct FirestoreClient: RemoteDatabase {
  /// `projects/…/databases/…/documents`
  public let root: String
  private let base: String
  private let credentials: any FirestoreCredentials
  private let client: HTTPClient
  private let timeout: TimeAmount

  /// Makes a client of a database.
  /// - Parameters:
  ///   - database: `(default)` unless told.
  ///   - baseURL: nil looks into the environment and then takes Google's.
  ///   - credentials: nil sends `owner` where the environment names an emulator, and nothing otherwise.
  ///   - client: nil shares the connections of all clients that are given none.
  ///   - timeout: for each request.
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

  /// The document of a name.
  /// - Throws: ``FirestoreError``, `notFound` where there is none.
  public func document(_ name: String) async throws -> FirestoreDocument {
    try await send(.GET, Percent.escaped(name))
  }

  /// The documents of some names, in their order; nil where there is none.
  public func documents(_ names: [String]) async throws -> [FirestoreDocument?] {
    guard !names.isEmpty else { return [] }
    let answers: [BatchGetAnswer] = try await stream(
      Percent.escaped(root) + ":batchGet", BatchGetRequest(documents: names))
    // The answers come in any order.
    let found = Dictionary(
      answers.compactMap(\.found).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return names.map { found[$0] }
  }

  /// A page of a collection, ordered by name.
  public func list(
    _ collection: String, of parent: String, pageSize: Int, pageToken: String?
  ) async throws -> FirestorePage {
    let token = pageToken.map { "&pageToken=" + Percent.escaped($0, keepsSlashes: false) } ?? ""
    return try await send(
      .GET, "\(Percent.escaped(parent))/\(Percent.escaped(collection))?pageSize=\(pageSize)\(token)")
  }

  /// Makes all writes, or none.
  @discardableResult
  public func commit(_ writes: [FirestoreWrite]) async throws -> FirestoreCommit {
    try await send(.POST, Percent.escaped(root) + ":commit", json(CommitRequest(writes: writes)))
  }

  /// The documents that a query finds below a parent, in its order.
  public func run(_ query: FirestoreQuery, of parent: String) async throws -> [FirestoreDocument] {
    let answers: [QueryAnswer] = try await stream(
      Percent.escaped(parent) + ":runQuery", QueryRequest(structuredQuery: query))
    return answers.compactMap(\.document)
  }

  /// Whether the server answers at all, be it with an error: whoever refuses can be reached.
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
      throw FirestoreError(.invalidArgument, "the request cannot be written as JSON: \(error)")
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
      throw FirestoreError(.internal, "the answer to \(request.url) cannot be read: \(error)")
    }
  }

  /// A stream that has begun with code 200 can still end with an error.
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
