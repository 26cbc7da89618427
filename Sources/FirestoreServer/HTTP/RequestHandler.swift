import FirestoreClient
import Foundation
import Logging

/// Answers the requests of the REST API, apart from any web server.
struct RequestHandler: Sendable {
  struct Answer {
    var code = 200
    var body: Data
  }

  let store: DocumentStore
  let logger: Logger

  /// - Parameter target: path and query, percent-encoded as they came.
  func answer(_ method: String, _ target: String, _ body: Data) async -> Answer {
    var isStream = false
    do {
      let call = try Call(method, target)
      isStream = call.isStream
      return Answer(body: try await answer(call, body))
    } catch {
      let failure = Self.failure(error)
      if failure.status == .internal { logger.error("\(method) \(target): \(error)") }
      return Self.answer(failure, isStream: isStream)
    }
  }

  private func answer(_ call: Call, _ body: Data) async throws -> Data {
    switch (call.method, call.verb, call.isCollection) {
    case ("GET", nil, true): try await list(call)
    case ("GET", nil, false): try await get(call)
    case ("PATCH", nil, false): try await patch(call, body)
    case ("DELETE", nil, false): try await delete(call)
    case ("POST", nil, true): try await create(call, body)
    case ("POST", "commit"?, _): try await commit(body)
    case ("POST", "batchGet"?, _): try await batchGet(body)
    case ("POST", "runQuery"?, _): try await runQuery(call, body)
    default:
      throw FirestoreError(
        .unimplemented, "\(call.method) \(call.verb.map { ":" + $0 } ?? call.name) is not there in this server")
    }
  }

  // MARK: - Single documents

  private func get(_ call: Call) async throws -> Data {
    guard let document = try await store.document(call.name) else {
      throw FirestoreError(.notFound, "Document \"\(call.name)\" not found.")
    }
    return try encoded(try masked(document, try call.mask("mask.fieldPaths")))
  }

  private func list(_ call: Call) async throws -> Data {
    if let order = call["orderBy"], !order.isEmpty, order != "__name__" {
      throw FirestoreError(.unimplemented, "a list is ordered by __name__ only; runQuery takes an order")
    }
    let size = call["pageSize"].flatMap { Int($0) } ?? 0
    guard size >= 0 else { throw FirestoreError(.invalidArgument, "pageSize is 0 or more") }
    var page = try await store.list(call.name, pageSize: size == 0 ? 100 : min(size, 1_000), after: call["pageToken"])
    let mask: [FirestoreFieldPath]? = try call.mask("mask.fieldPaths")
    page.documents = try page.documents.map { try masked($0, mask) }
    return try encoded(page)
  }

  private func patch(_ call: Call, _ body: Data) async throws -> Data {
    var document: FirestoreDocument = try Self.decoded(body)
    document.name = call.name
    return try await write(
      CommitWrite(update: document, mask: try call.mask("updateMask.fieldPaths"), if: try call.precondition()), call)
  }

  private func create(_ call: Call, _ body: Data) async throws -> Data {
    var document: FirestoreDocument = try Self.decoded(body)
    document.name = "\(call.name)/\(call["documentId"] ?? Self.newID())"
    return try await write(CommitWrite(update: document, if: .exists(false)), call)
  }

  private func write(_ write: CommitWrite, _ call: Call) async throws -> Data {
    _ = try await store.commit([write])
    guard let document = try await store.document(write.name) else {
      throw FirestoreError(.aborted, "\(write.name) was deleted meanwhile")
    }
    return try encoded(try masked(document, try call.mask("mask.fieldPaths")))
  }

  private func delete(_ call: Call) async throws -> Data {
    _ = try await store.commit([CommitWrite(delete: call.name, if: try call.precondition())])
    return Data("{}".utf8)
  }

  private static func newID() -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    return String((0..<20).map { _ in letters[Int.random(in: letters.indices)] })
  }

  // MARK: - Methods with a verb

  private struct CommitRequest: Decodable {
    let writes: [CommitWrite]?
    let transaction: String?
  }

  private func commit(_ body: Data) async throws -> Data {
    let request: CommitRequest = try Self.decoded(body)
    try refuseTransaction(request.transaction)
    return try encoded(try await store.commit(request.writes ?? []))
  }

  private struct BatchGetRequest: Decodable {
    let documents: [String]?
    let mask: FirestoreMask?
    let transaction: String?
  }
  private struct Found: Encodable {
    var found: FirestoreDocument?
    var missing: String?
    let readTime: FirestoreTimestamp
  }

  private func batchGet(_ body: Data) async throws -> Data {
    let request: BatchGetRequest = try Self.decoded(body)
    try refuseTransaction(request.transaction)
    let mask = try request.mask?.fieldPaths.map(FieldAccess.path)
    let documents = try await store.documents(request.documents ?? [])
    let time = await store.now()
    return try encoded(
      try documents.map { name, document in
        Found(found: try document.map { try masked($0, mask) }, missing: document == nil ? name : nil, readTime: time)
      })
  }

  private struct QueryRequest: Decodable {
    let structuredQuery: FirestoreQuery
    let transaction: String?
  }
  private struct QueryAnswer: Encodable {
    var document: FirestoreDocument?
    let readTime: FirestoreTimestamp
  }

  private func runQuery(_ call: Call, _ body: Data) async throws -> Data {
    let request: QueryRequest = try Self.decoded(body)
    try refuseTransaction(request.transaction)
    let found = try await store.run(request.structuredQuery, parent: call.name)
    let time = await store.now()
    return try encoded(
      found.isEmpty
        ? [QueryAnswer(readTime: time)] : found.map { QueryAnswer(document: $0, readTime: time) })
  }

  private func refuseTransaction(_ transaction: String?) throws {
    guard transaction == nil else {
      throw FirestoreError(.unimplemented, "there are no transactions in this server; a commit is atomic")
    }
  }

  // MARK: - JSON

  private func masked(_ document: FirestoreDocument, _ mask: [FirestoreFieldPath]?) throws -> FirestoreDocument {
    guard let mask else { return document }
    var result = document
    result.fields = [:]
    for path in mask {
      if let value = FieldAccess.value(path.segments[...], in: document.fields) {
        FieldAccess.set(value, at: path.segments[...], in: &result.fields)
      }
    }
    return result
  }

  private func encoded(_ value: some Encodable) throws -> Data { try JSONEncoder().encode(value) }

  private static func decoded<T: Decodable>(_ body: Data) throws -> T {
    do {
      return try JSONDecoder().decode(T.self, from: body.isEmpty ? Data("{}".utf8) : body)
    } catch let error as DecodingError {
      throw FirestoreError(.invalidArgument, "Invalid JSON payload received. \(error.reason)")
    }
  }

  private static func failure(_ error: any Error) -> FirestoreError {
    error as? FirestoreError ?? FirestoreError(.internal, "the server failed; its log says why")
  }

  /// Google's body of an error, in a list where a stream was asked for.
  static func answer(_ error: FirestoreError, isStream: Bool) -> Answer {
    let encoder = JSONEncoder()
    let body = isStream ? try? encoder.encode([error.body]) : try? encoder.encode(error.body)
    return Answer(code: error.status.httpCode, body: body ?? Data())
  }
}

extension DecodingError {
  /// What is wrong, and where.
  fileprivate var reason: String {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
      .dataCorrupted(let context):
      let path = context.codingPath.map(\.stringValue).joined(separator: ".")
      return path.isEmpty ? context.debugDescription : "At \(path): \(context.debugDescription)"
    @unknown default: return "\(self)"
    }
  }
}
