import FirestoreProtocol
import Foundation

/// The methods with a verb after a colon.
extension RequestHandler {
  // MARK: - Writing

  private struct CommitRequest: Decodable {
    let writes: [CommitWrite]?
    let transaction: String?
  }

  func commit(_ access: Access, _ body: Data) async throws -> Data {
    let request: CommitRequest = try Self.decoded(body)
    let writes = request.writes ?? []
    try writes.forEach { try access.check(.write, $0.name) }
    return try Self.encoded(try await store.commit(writes, in: request.transaction))
  }

  private struct BatchAnswer: Encodable {
    struct Status: Encodable {
      let code: Int
      var message: String?
    }
    var writeResults = [FirestoreCommit.Result]()
    var status = [Status]()
  }

  /// Performs each write separately. Some may succeed and others fail.
  func batchWrite(_ access: Access, _ body: Data) async throws -> Data {
    let request: CommitRequest = try Self.decoded(body)
    var answer = BatchAnswer()
    for write in request.writes ?? [] {
      do {
        try access.check(.write, write.name)
        answer.writeResults += try await store.commit([write]).writeResults
        answer.status.append(.init(code: 0))
      } catch {
        let failure = Self.failure(error)
        if failure.status == .internal { logger.error("batchWrite of \(write.name): \(error)") }
        answer.writeResults.append(.init(updateTime: nil))
        answer.status.append(.init(code: failure.status.number, message: failure.message))
      }
    }
    return try Self.encoded(answer)
  }

  // MARK: - Reading

  private struct BatchGetRequest: Decodable {
    let documents: [String]?
    let mask: FirestoreMask?
    let transaction: String?
    let newTransaction: TransactionOptions?
    let readTime: String?
  }
  private struct Found: Encodable {
    var found: FirestoreDocument?
    var missing: String?
    var transaction: String?
    let readTime: FirestoreTimestamp
  }

  func batchGet(_ access: Access, _ body: Data) async throws -> Data {
    let request: BatchGetRequest = try Self.decoded(body)
    try Self.refuse(request.readTime)
    let mask = try request.mask?.fieldPaths.map(FieldAccess.path)
    let names = request.documents ?? []
    try names.forEach { try access.check(.read, $0) }
    let begun = try await begin(request.newTransaction)
    let documents = try await store.documents(names, in: begun ?? request.transaction)
    let time = try await store.now()
    var answers = documents.map { name, document in
      let found = document.map { document in mask.map { FieldAccess.masked(document, $0) } ?? document }
      return Found(found: found, missing: document == nil ? name : nil, readTime: time)
    }
    if let begun { answers.insert(Found(transaction: begun, readTime: time), at: 0) }
    return try Self.encoded(answers)
  }

  private struct QueryRequest: Decodable {
    let structuredQuery: FirestoreQuery
    let transaction: String?
    let newTransaction: TransactionOptions?
    let readTime: String?
  }
  private struct QueryAnswer: Encodable {
    var document: FirestoreDocument?
    var transaction: String?
    let readTime: FirestoreTimestamp
  }

  /// Runs a query. Fails if it finds a document that the user may not read, because rules are not filters.
  func runQuery(_ call: Call, _ access: Access, _ body: Data) async throws -> Data {
    let request: QueryRequest = try Self.decoded(body)
    try Self.refuse(request.readTime)
    let begun = try await begin(request.newTransaction)
    let found = try await store.run(
      request.structuredQuery, parent: call.name, in: begun ?? request.transaction)
    try found.forEach { try access.check(.read, $0.name) }
    let time = try await store.now()
    var answers = found.map { QueryAnswer(document: $0, readTime: time) }
    if answers.isEmpty || begun != nil { answers.insert(QueryAnswer(transaction: begun, readTime: time), at: 0) }
    return try Self.encoded(answers)
  }

  private struct AggregationRequest: Decodable {
    let structuredAggregationQuery: AggregationRun
    let transaction: String?
    let newTransaction: TransactionOptions?
    let readTime: String?
  }
  private struct AggregationAnswer: Encodable {
    struct Result: Encodable { let aggregateFields: [String: FirestoreValue] }
    let result: Result
    let transaction: String?
    let readTime: FirestoreTimestamp
  }

  func runAggregationQuery(_ call: Call, _ access: Access, _ body: Data) async throws -> Data {
    let request: AggregationRequest = try Self.decoded(body)
    try Self.refuse(request.readTime)
    let begun = try await begin(request.newTransaction)
    let run = request.structuredAggregationQuery
    let found = try await store.run(run.structuredQuery, parent: call.name, in: begun ?? request.transaction)
    try found.forEach { try access.check(.read, $0.name) }
    let result = AggregationAnswer.Result(aggregateFields: try run.results(of: found))
    return try Self.encoded([
      AggregationAnswer(result: result, transaction: begun, readTime: try await store.now())
    ])
  }

  private struct CollectionsRequest: Decodable {
    let pageSize: Int?
    let pageToken: String?
    let readTime: String?
  }
  private struct CollectionsAnswer: Encodable {
    let collectionIds: [String]
    let nextPageToken: String?
  }

  /// Lists collections. Only the owner may, as with Google's rules.
  func listCollections(_ call: Call, _ access: Access, _ body: Data) async throws -> Data {
    let request: CollectionsRequest = try Self.decoded(body)
    try Self.refuse(request.readTime)
    try access.checkOwner()
    let token = request.pageToken ?? ""
    let names = try await store.collections(below: call.name).filter { $0 > token }
    let size = request.pageSize.flatMap { $0 > 0 ? $0 : nil } ?? 100
    return try Self.encoded(
      CollectionsAnswer(
        collectionIds: Array(names.prefix(size)), nextPageToken: names.count > size ? names[size - 1] : nil))
  }

  // MARK: - Transactions

  fileprivate struct TransactionOptions: Decodable {
    struct ReadOnly: Decodable { let readTime: String? }
    struct ReadWrite: Decodable { let retryTransaction: String? }
    let readOnly: ReadOnly?
    let readWrite: ReadWrite?
  }
  private struct BeginRequest: Decodable { let options: TransactionOptions? }
  private struct Begun: Codable { let transaction: String }

  func begin(_ body: Data) async throws -> Data {
    let request: BeginRequest = try Self.decoded(body)
    try Self.refuse(request.options?.readOnly?.readTime)
    return try Self.encoded(Begun(transaction: try await store.begin(readOnly: request.options?.readOnly != nil)))
  }

  private func begin(_ options: TransactionOptions?) async throws -> String? {
    guard let options else { return nil }
    try Self.refuse(options.readOnly?.readTime)
    return try await store.begin(readOnly: options.readOnly != nil)
  }

  func rollback(_ body: Data) async throws -> Data {
    let request: Begun = try Self.decoded(body)
    try await store.rollback(request.transaction)
    return Data("{}".utf8)
  }

  private static func refuse(_ readTime: String?) throws {
    guard readTime == nil else {
      throw FirestoreError(.unimplemented, "this server does not support reads of the past")
    }
  }
}
