import FirestoreClient
import FirestoreProtocol
import FirestoreServer
import Foundation

/// A server of Firestore's API in this process, on a free port, with its documents in memory.
final class LocalServer: Sendable {
  let client: FirestoreClient
  private let running: Task<Void, any Error>

  init() async throws {
    let server = try FirestoreServer(store: nil, port: 0)
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    running = Task {
      defer { continuation.finish() }
      try await server.run(signals: false) { continuation.yield($0) }
    }
    var iterator = ports.makeAsyncIterator()
    guard let port = await iterator.next() else {
      try await running.value
      throw CancellationError()
    }
    // Client and server share their threads with other tests, which may compute for a minute.
    client = FirestoreClient(
      project: "test", baseURL: "http://127.0.0.1:\(port)", timeout: .minutes(20), environment: [:])
  }

  deinit { running.cancel() }

  /// The messages of a conversation on the server, in the order in which they were written.
  func messages(in conversation: String) async throws -> [FirestoreDocument] {
    try await client.run(
      FirestoreQuery("messages", orderBy: [.init("createdAt"), .init("__name__")]),
      of: "\(client.root)/conversations/\(conversation)")
  }
}

/// A database between a client and its server that loses answers, refuses writes, and counts.
actor FaultyDatabase: RemoteDatabase {
  nonisolated let root: String
  private let real: any RemoteDatabase
  /// What happens to a commit; nil lets it pass.
  private var faults: [@Sendable ([FirestoreWrite]) throws -> Fault?] = []
  private var beforeAnswer: (@Sendable () async throws -> Void)?
  private var beforeQuery: (@Sendable (FirestoreQuery) async throws -> Void)?
  private var isDown = false
  private(set) var commits = 0
  private(set) var requests = 0
  private(set) var writes = 0

  enum Fault: Sendable {
    /// It happens, and nobody learns of it.
    case lostAnswer
    /// It does not happen.
    case refusal(FirestoreError)
  }

  static let silence = FirestoreError(.unavailable, "nobody answers")

  init(_ real: any RemoteDatabase) {
    self.real = real
    self.root = real.root
  }

  /// Decides about every commit, until it is set again.
  func decide(_ fault: (@Sendable ([FirestoreWrite]) throws -> Fault?)?) { faults = fault.map { [$0] } ?? [] }
  /// Runs once, between the next commit and its answer.
  func beforeNextAnswer(_ action: @escaping @Sendable () async throws -> Void) { beforeAnswer = action }
  /// Runs once, between the answer of the next query and its arrival.
  func duringNextQuery(_ action: @escaping @Sendable (FirestoreQuery) async throws -> Void) { beforeQuery = action }
  func setDown(_ isDown: Bool) { self.isDown = isDown }

  private func pass() throws {
    requests += 1
    if isDown { throw Self.silence }
  }

  func document(_ name: String) async throws -> FirestoreDocument {
    try pass()
    return try await real.document(name)
  }

  func documents(_ names: [String]) async throws -> [FirestoreDocument?] {
    try pass()
    return try await real.documents(names)
  }

  func list(_ collection: String, of parent: String, pageSize: Int, pageToken: String?) async throws -> FirestorePage {
    try pass()
    return try await real.list(collection, of: parent, pageSize: pageSize, pageToken: pageToken)
  }

  func commit(_ writes: [FirestoreWrite]) async throws -> FirestoreCommit {
    try pass()
    commits += 1
    self.writes += writes.count
    let fault = try faults.first?(writes)
    if case .refusal(let error) = fault { throw error }
    let commit = try await real.commit(writes)
    if let action = beforeAnswer {
      beforeAnswer = nil
      try await action()
    }
    if case .lostAnswer = fault { throw Self.silence }
    return commit
  }

  func run(_ query: FirestoreQuery, of parent: String) async throws -> [FirestoreDocument] {
    try pass()
    let documents = try await real.run(query, of: parent)
    if let action = beforeQuery {
      beforeQuery = nil
      try await action(query)
    }
    return documents
  }
}

/// Takes every commit and has nothing: for counting what is sent.
actor SwallowingDatabase: RemoteDatabase {
  nonisolated let root = "projects/test/databases/(default)/documents"
  private(set) var sizes = [Int]()
  private(set) var texts = [String]()

  func document(_ name: String) async throws -> FirestoreDocument { throw FirestoreError(.notFound, name) }
  func documents(_ names: [String]) async throws -> [FirestoreDocument?] { names.map { _ in nil } }
  func list(_ collection: String, of parent: String, pageSize: Int, pageToken: String?) async throws -> FirestorePage {
    FirestorePage(documents: [], nextPageToken: nil)
  }
  func run(_ query: FirestoreQuery, of parent: String) async throws -> [FirestoreDocument] { [] }

  func commit(_ writes: [FirestoreWrite]) async throws -> FirestoreCommit {
    sizes.append(writes.count)
    for write in writes {
      if case .string(let text)? = write.update?.fields["text"] { texts.append(text) }
    }
    let time = FirestoreTimestamp(seconds: 1_700_000_000 + Int64(sizes.count))
    return FirestoreCommit(writeResults: writes.map { _ in .init(updateTime: time) }, commitTime: time)
  }
}
