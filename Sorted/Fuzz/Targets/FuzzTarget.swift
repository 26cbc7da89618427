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
  /// A store of Apple's frameworks, or an export of Realm Studio: a line says which part, the rest is the part.
  case appleStore = "apple-store"
  /// A request to the sync server with a valid token: a line with method and target, then the body.
  case syncRequest = "sync-request"
  /// An answer that the sync client reads: a line says which, the rest is the body.
  case syncResponse = "sync-response"

  /// - Throws: what the bytes deserve; that it throws is no failure.
  package func run(_ bytes: [UInt8]) async throws {
    let bytes = Data(bytes)
    switch self {
    case .text: try TextTarget.run(bytes)
    case .token: try TokenTarget.run(bytes)
    case .importing: try ImportTarget.run(bytes)
    case .schema: try SchemaTarget.run(bytes)
    case .request: try await RequestTarget.run(bytes)
    case .appleStore: try AppleStoreTarget.run(bytes)
    case .syncRequest: try await SyncRequestTarget.run(bytes)
    case .syncResponse: try await SyncResponseTarget.run(bytes)
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
