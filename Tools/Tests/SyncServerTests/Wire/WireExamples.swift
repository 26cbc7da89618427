import Foundation
import SyncProtocol
import Testing

@testable import SyncServer

/// A request that the right person may make, for each route.
struct WireExample {
  /// Who may make it.
  var person = WireWorld.Person.ann
  var parameters: [String: String] = [:]
  var query: [(name: String, value: String)] = []
  /// The message, with a value in each field.
  var message: (any Encodable)?
  var body = Data()

  /// The example of a route.
  /// - Throws: an error for a route without one: a new route needs an example, and then all tests of the wire cover it.
  init(_ route: SyncRoute, _ world: WireWorld) throws {
    parameters = ["zone": world.zone, "sha256": ServerFixture.sha256("secret bytes"), "account": world.account(.bob)]
    switch route.name {
    case "GET /health", "GET /metrics": break
    case "POST /log/pull":
      message = SyncLog.PullRequest(
        cursor: 0, epoch: world.epoch, known: [world.own(.ann)], loading: [world.share: "\(world.epoch)/0/0/0"],
        unsent: [world.pushed], held: [world.pushed], version: "version")
    case "POST /log/push":
      message = SyncLog.PushRequest(
        cursor: 1, epoch: world.epoch, before: [world.pushed],
        transactions: [
          SyncLog.Transaction(
            id: UUID(), parts: [world.own(.ann): [.a: .born()], world.share: [.a: .born()]])
        ])
    case "POST /log/wait":
      message = SyncLog.WaitRequest(cursor: 0, epoch: world.epoch, version: "version", seconds: 0)
    case "PUT /zones/{zone}/assets/{sha256}":
      parameters["sha256"] = ServerFixture.sha256("other bytes")
      query = [("offset", "0"), ("total", "11")]
      body = Data("other bytes".utf8)
    case "GET /zones/{zone}/assets/{sha256}": query = [("offset", "0")]
    case "GET /shares": query = [("since", "version")]
    case "POST /shares": message = CreateShareRequest(root: RecordName("root"), title: "title")
    case "POST /shares/accept": (person, message) = (.mal, AcceptRequest(link: world.link))
    case "PUT /shares/key": message = PublishKeyRequest(key: WireWorld.publicKey(.ann))
    case "DELETE /shares/{zone}": break
    case "POST /shares/{zone}/accept": person = .dan
    case "POST /shares/{zone}/invitations": message = InviteRequest(account: "fay", permission: .readOnly)
    case "GET /shares/{zone}/keys": break
    case "POST /shares/{zone}/keys":
      message = PutZoneKeysRequest(
        generation: 2, previous: Data("previous".utf8), wrapped: [world.account(.ann): Data("wrapped".utf8)])
    case "DELETE /shares/{zone}/participants/{account}": break
    default: throw SyncFailure(.notFound, "\(route.name) has no example in WireExamples.swift")
    }
    if let message {
      let missing = WireJSON.missing(in: message)
      #expect(missing.isEmpty, "the example of \(route.name) has no value in \(missing)")
      body = try SyncWire.encode(message)
    }
    let names = Set(query.map(\.name))
    #expect(names.isSubset(of: Set(route.query.map(\.name))), "\(route.name) does not declare what its example has")
  }

  /// The path with its query. A changed field has another value than the example, percent-encoded.
  func target(
    _ route: SyncRoute, changing field: (isParameter: Bool, name: String, value: String)? = nil
  ) -> String {
    let parts = route.path.map { part in
      switch part {
      case .text(let text): return text
      case .parameter(let name):
        if let field, field.isParameter, field.name == name { return field.value }
        return parameters[name] ?? ""
      }
    }
    var query = query.filter { $0.name != field?.name || field?.isParameter == true }
    if let field, !field.isParameter { query.append((field.name, field.value)) }
    let text = query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    let path = parts.joined(separator: "/")
    let isBare = ["health", "metrics"].contains(path)
    return (isBare ? "/" : "/v2/") + path + (text.isEmpty ? "" : "?\(text)")
  }

  /// The body of another person's request. A link is a secret that others do not know.
  func body(of other: WireWorld.Person) throws -> Data {
    message is AcceptRequest && other != person ? try SyncWire.encode(AcceptRequest(link: "guess")) : body
  }
}
