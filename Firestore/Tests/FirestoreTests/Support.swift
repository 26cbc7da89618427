import FirestoreClient
import FirestoreProtocol
import Foundation
import Testing

@testable import FirestoreServer

/// A server of its own on a free port, and a client of it, as long as a test's body runs.
func withServer(
  store: URL? = nil, rules: String? = nil, _ body: (FirestoreClient) async throws -> Void
) async throws {
  var server = try FirestoreServer(store: store, rules: rules, port: 0)
  server.handler.observer = RequestLog.shared?.note
  try await withRunning(server) { port in
    try await body(FirestoreClient(project: "p", environment: ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:\(port)"]))
  }
}

/// Runs a server as long as a test's body runs.
func withRunning(_ server: FirestoreServer, _ body: (Int) async throws -> Void) async throws {
  try await withRunning({ try await server.run(signals: false, onRunning: $0) }, body)
}

/// Runs something that calls back with its port as long as a test's body runs.
func withRunning(
  _ run: @escaping @Sendable (@escaping @Sendable (Int) async -> Void) async throws -> Void,
  _ body: (Int) async throws -> Void
) async throws {
  let (ports, opened) = AsyncStream.makeStream(of: Int.self)
  let running = Task {
    defer { opened.finish() }
    try await run { opened.yield($0) }
  }
  defer { running.cancel() }
  var iterator = ports.makeAsyncIterator()
  let port = try #require(await iterator.next(), "the server did not start")
  let result: Result<Void, any Error>
  do {
    result = .success(try await body(port))
  } catch {
    result = .failure(error)
  }
  running.cancel()
  _ = await running.result
  try result.get()
}

/// A folder of its own as long as a test's body runs.
func withFolder(_ body: (URL) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("FirestoreTests-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try await body(folder)
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

/// The token of a user, as Firebase's emulator takes it: not signed.
func token(of user: String) -> String {
  let claims = Data(#"{"sub":"\#(user)"}"#.utf8).base64EncodedString()
    .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  return "e30.\(claims)."
}

/// What the tests have sent, for `scripts/conformance`; only where it asks for it.
final class RequestLog: Sendable {
  private struct Line: Encodable {
    let method: String
    let target: String
    let body: String
  }

  static let shared = ProcessInfo.processInfo.environment["FIRESTORE_REQUESTS"].map { RequestLog($0) }
  private let path: String

  private init(_ path: String) { self.path = path }

  @Sendable func note(_ method: String, _ target: String, _ body: Data) {
    do {
      var line = try JSONEncoder().encode(
        Line(method: method, target: target, body: String(decoding: body, as: UTF8.self)))
      line.append(0x0A)
      let file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o644)
      defer { close(file) }
      // One call, so that lines of different tasks do not mix.
      let written = line.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      #expect(written == line.count)
    } catch {
      Issue.record(error)
    }
  }
}
