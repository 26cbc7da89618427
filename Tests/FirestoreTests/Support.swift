import FirestoreClient
import FirestoreServer
import Foundation
import Testing

/// A server of its own on a free port, and a client of it, as long as a test's body runs.
func withServer(store: URL? = nil, _ body: (FirestoreClient) async throws -> Void) async throws {
  let server = try FirestoreServer(store: store, port: 0)
  let (ports, opened) = AsyncStream.makeStream(of: Int.self)
  let running = Task {
    defer { opened.finish() }
    try await server.run(signals: false) { opened.yield($0) }
  }
  defer { running.cancel() }
  var iterator = ports.makeAsyncIterator()
  let port = try #require(await iterator.next(), "the server did not start")
  let client = FirestoreClient(project: "p", environment: ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:\(port)"])
  let result: Result<Void, any Error>
  do {
    result = .success(try await body(client))
  } catch {
    result = .failure(error)
  }
  running.cancel()
  _ = await running.result
  try result.get()
}

/// The error that something throws.
func status(_ body: () async throws -> Void) async -> FirestoreError.Status? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? FirestoreError)?.status
  }
}
