import Foundation

/// What is fuzzed. Each target takes any bytes. It may refuse them with an error, but must neither trap nor run without end.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// A text that is stored, asked for and searched for.
  case text
  /// Persistent identifiers, and tokens of the history.
  case token
  /// The import formats of Sorted: a line says which, the rest is the file.
  case importing
  /// What a store's file says of its models.
  case schema
  /// A request to the local Firestore server: a line with method and target, then the body.
  case request
  /// A request to Sorted's web server with a session, as ``RequestInput`` has it.
  case webRequest = "web-request"
  /// A store of Apple's frameworks, or an export of Realm Studio: a line says which part, the rest is the part.
  case appleStore = "apple-store"
  /// A request to the sync server with a valid token, as ``RequestInput`` has it.
  case syncRequest = "sync-request"
  /// Answers that the sync client reads.
  case syncResponse = "sync-response"
  /// Messages about the log of sync, as ``SyncLogTarget`` has them.
  case syncLog = "sync-log"

  /// - Returns: for a target of the wire, the routes that the input reached and that did what they are for.
  /// - Throws: what the bytes deserve; that it throws is no failure.
  @discardableResult package func run(_ bytes: [UInt8]) async throws -> Set<String> {
    let bytes = Data(bytes)
    switch self {
    case .text: try TextTarget.run(bytes)
    case .token: try TokenTarget.run(bytes)
    case .importing: try ImportTarget.run(bytes)
    case .schema: try SchemaTarget.run(bytes)
    case .request: try await RequestTarget.run(bytes)
    case .webRequest: return try await WebRequestTarget.run(bytes)
    case .appleStore: try AppleStoreTarget.run(bytes)
    case .syncRequest: return try await SyncRequestTarget.run(bytes)
    case .syncResponse: return try await SyncResponseTarget.run(bytes)
    case .syncLog: try SyncLogTarget.run(bytes)
    }
    return []
  }

  /// All routes that a target of the wire can reach.
  package func routes() async throws -> Set<String> {
    switch self {
    case .webRequest: try await WebRequestTarget.routes()
    case .syncRequest: SyncRequestTarget.routes
    case .syncResponse: SyncResponseTarget.routes
    case .text, .token, .importing, .schema, .request, .appleStore, .syncLog: []
    }
  }
}

/// Reports a result that is wrong. It traps, because a thrown error would count as a refusal, and because libFuzzer keeps the
/// input of a crash.
func broken(_ reason: String) -> Never { fatalError(reason) }

extension Data {
  /// The first line, and what follows it.
  var headAndBody: (head: String, body: Data) {
    let end = firstIndex(of: UInt8(ascii: "\n")) ?? endIndex
    return (String(decoding: self[..<end], as: UTF8.self), Data(self[end...].dropFirst()))
  }
}
