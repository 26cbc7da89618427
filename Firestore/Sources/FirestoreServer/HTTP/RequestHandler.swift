import FirestoreProtocol
import Foundation
import Logging
import UntrustedInput

/// Answers the requests of the REST API, independent of any web server.
struct RequestHandler: Sendable {
  let store: DocumentStore
  /// Nil allows everything.
  let rules: AccessRules?
  let logger: Logger
  /// Receives the method, the target and the body of every request.
  var observer: (@Sendable (String, String, Data) -> Void)?

  func answer(_ request: ServerRequest) async -> ServerAnswer {
    observer?(request.method, request.target, request.body)
    var isStream = false
    do {
      let call = try Call(request.method, request.target)
      isStream = call.isStream
      let identity: Identity = rules == nil ? .owner : try Identity(header: request.header("Authorization"))
      return ServerAnswer(json: try await answer(call, Access(rules: rules, identity: identity), request.body))
    } catch {
      let failure = Self.failure(error)
      if failure.status == .internal { logger.error("\(request.method) \(request.path): \(error)") }
      return ServerAnswer(failure, isStream: isStream)
    }
  }

  private func answer(_ call: Call, _ access: Access, _ body: Data) async throws -> Data {
    try call.refuse("readTime", "a read of the past")
    switch (call.method, call.verb, call.isCollection) {
    case ("GET", nil, true): return try await list(call, access)
    case ("GET", nil, false): return try await get(call, access)
    case ("PATCH", nil, false): return try await patch(call, access, body)
    case ("DELETE", nil, false): return try await delete(call, access)
    case ("POST", nil, true): return try await create(call, access, body)
    case ("POST", "commit"?, _): return try await commit(access, body)
    case ("POST", "batchWrite"?, _): return try await batchWrite(access, body)
    case ("POST", "batchGet"?, _): return try await batchGet(access, body)
    case ("POST", "runQuery"?, _): return try await runQuery(call, access, body)
    case ("POST", "runAggregationQuery"?, _): return try await runAggregationQuery(call, access, body)
    case ("POST", "listCollectionIds"?, false): return try await listCollections(call, access, body)
    case ("POST", "beginTransaction"?, _): return try await begin(body)
    case ("POST", "rollback"?, _): return try await rollback(body)
    default:
      throw FirestoreError(
        .unimplemented, "\(call.method) \(call.verb.map { ":" + $0 } ?? call.name) is not supported by this server")
    }
  }

  // MARK: - Single documents

  private func get(_ call: Call, _ access: Access) async throws -> Data {
    try access.check(.read, call.name)
    guard let document = try await store.documents([call.name], in: call["transaction"])[0].document else {
      throw FirestoreError(.notFound, "Document \"\(call.name)\" not found.")
    }
    return try encoded(document, call)
  }

  private func list(_ call: Call, _ access: Access) async throws -> Data {
    if let order = call["orderBy"], !order.isEmpty, order != "__name__" {
      throw FirestoreError(.unimplemented, "a list is ordered by __name__ only; runQuery takes an order")
    }
    try call.refuse("showMissing", "a list of missing documents")
    try call.refuse("transaction", "a list in a transaction; runQuery reads in one")
    let text = call["pageSize"] ?? ""
    let size = text.isEmpty ? 0 : try Self.number(text, in: 0...Int.max, field: "pageSize")
    var page = try await store.list(call.name, pageSize: size == 0 ? 100 : min(size, 1_000), after: call["pageToken"])
    try page.documents.forEach { try access.check(.read, $0.name) }
    if let mask: [FirestoreFieldPath] = try call.mask("mask.fieldPaths") {
      page.documents = page.documents.map { FieldAccess.masked($0, mask) }
    }
    return try Self.encoded(page)
  }

  private func patch(_ call: Call, _ access: Access, _ body: Data) async throws -> Data {
    var document: FirestoreDocument = try Self.decoded(body)
    document.name = call.name
    let write = CommitWrite(
      update: document, mask: try call.mask("updateMask.fieldPaths"), if: try call.precondition())
    return try await self.write(write, call, access)
  }

  private func create(_ call: Call, _ access: Access, _ body: Data) async throws -> Data {
    var document: FirestoreDocument = try Self.decoded(body)
    document.name = "\(call.name)/\(call["documentId"] ?? RandomName.make())"
    return try await write(CommitWrite(update: document, if: .exists(false)), call, access)
  }

  private func write(_ write: CommitWrite, _ call: Call, _ access: Access) async throws -> Data {
    try access.check(.write, write.name)
    _ = try await store.commit([write])
    guard let document = try await store.documents([write.name])[0].document else {
      throw FirestoreError(.aborted, "\(write.name) was deleted meanwhile")
    }
    return try encoded(document, call)
  }

  private func delete(_ call: Call, _ access: Access) async throws -> Data {
    try access.check(.write, call.name)
    _ = try await store.commit([CommitWrite(delete: call.name, if: try call.precondition())])
    return Data("{}".utf8)
  }

  // MARK: - JSON

  private func encoded(_ document: FirestoreDocument, _ call: Call) throws -> Data {
    let mask: [FirestoreFieldPath]? = try call.mask("mask.fieldPaths")
    return try Self.encoded(mask.map { FieldAccess.masked(document, $0) } ?? document)
  }

  /// Reads a whole number from text.
  /// - Throws: ``FirestoreError`` with status `invalidArgument`, which names the field.
  static func number<Value: FixedWidthInteger & Codable & Sendable>(
    _ text: String, in bounds: ClosedRange<Value>, field: String
  ) throws -> Value {
    do throws(UntrustedInputError) {
      return try Untrusted<Value>(text: text, field: field).inRange(bounds, field: field)
    } catch {
      throw FirestoreError(.invalidArgument, error.description)
    }
  }

  static func encoded(_ value: some Encodable) throws -> Data { try JSONEncoder().encode(value) }

  static func decoded<T: Decodable>(_ body: Data) throws -> T {
    do {
      return try JSONDecoder().decode(T.self, from: body.isEmpty ? Data("{}".utf8) : body)
    } catch let error as DecodingError {
      throw FirestoreError(.invalidArgument, "Invalid JSON payload received. \(error.reason)")
    }
  }

  static func failure(_ error: any Error) -> FirestoreError {
    error as? FirestoreError ?? FirestoreError(.internal, "the server failed; its log has the reason")
  }
}

extension DecodingError {
  /// The problem and its place.
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
