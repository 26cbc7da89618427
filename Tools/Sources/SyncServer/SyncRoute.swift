import Foundation
import SyncProtocol

/// A route: a method and a path with the handler that answers them.
///
/// ``all`` is the router. The tests take their cases from it: they send hostile values in each field of each route, and call each
/// route with accounts that lack access. A handler can read only the query fields that its route declares, so the tests cover each
/// new field.
struct SyncRoute: Sendable {
  /// A component of a path.
  enum PathComponent: Sendable, Hashable {
    case text(String)
    /// A parameter with its name. The client chooses its value.
    case parameter(String)
  }

  /// A field of the query.
  struct QueryField: Sendable, Hashable {
    enum Kind: Sendable { case number, text }
    let name: String
    let kind: Kind

    static func number(_ name: String) -> QueryField { QueryField(name: name, kind: .number) }
    static func text(_ name: String) -> QueryField { QueryField(name: name, kind: .text) }
  }

  /// The content of a body.
  enum BodyContent: Sendable {
    case none
    case message(any (Codable & Sendable).Type)
    case bytes
    case text
  }

  /// The accounts that may use a route. ``ZoneStore`` checks the access; the tests compare it with this declaration.
  enum Access: Sendable {
    /// Any client, without a token.
    case anonymous
    /// Each account. The response has only data of the account, and the request changes only data of the account.
    case account
    /// Accounts that may read the zone.
    case reader
    /// Accounts that may write to the zone.
    case writer
    /// The owner of the zone.
    case owner
    /// Accounts that the owner invited to the zone.
    case invited
    /// The owner of the zone, and each account for itself.
    case ownerOrSelf
  }

  /// The response of a handler.
  struct Reply: Sendable {
    var body: Data
    var type = "application/json"
  }

  let method: String
  /// The components of the path after `/v2`.
  let path: [PathComponent]
  let query: [QueryField]
  let access: Access
  /// The content of the request's body.
  let request: BodyContent
  /// The content of the response's body.
  let answer: BodyContent
  /// The name of the route in metrics and logs. Several routes may share it.
  let label: String
  let handle: @Sendable (SyncService, SyncCall) async throws -> Reply

  /// The method and the path, for example `POST /zones/{zone}/push`.
  var name: String {
    let parts = path.map { part in
      switch part {
      case .text(let text): text
      case .parameter(let name): "{\(name)}"
      }
    }
    return "\(method) /\(parts.joined(separator: "/"))"
  }

  /// - Parameter path: the components, separated by slashes. A parameter is a name in braces.
  init(
    _ method: String, _ path: String, query: [QueryField] = [], _ access: Access, _ label: String,
    request: BodyContent = .none, answer: BodyContent,
    _ handle: @escaping @Sendable (SyncService, SyncCall) async throws -> Reply
  ) {
    self.method = method
    self.path = path.split(separator: "/").map { part in
      part.hasPrefix("{") ? .parameter(String(part.dropFirst().dropLast())) : .text(String(part))
    }
    (self.query, self.access, self.label) = (query, access, label)
    (self.request, self.answer, self.handle) = (request, answer, handle)
  }

  /// Makes a route whose request has no body.
  static func route<Answer: Codable & Sendable>(
    _ method: String, _ path: String, query: [QueryField] = [], _ access: Access, _ label: String,
    _ handle: @escaping @Sendable (SyncService, SyncCall) async throws -> Answer
  ) -> SyncRoute {
    SyncRoute(method, path, query: query, access, label, answer: .message(Answer.self)) { service, call in
      Reply(body: try SyncWire.encode(try await handle(service, call)))
    }
  }

  /// Makes a route whose request has a message in its body.
  static func route<Message: Codable & Sendable, Answer: Codable & Sendable>(
    _ method: String, _ path: String, _ message: Message.Type, query: [QueryField] = [], _ access: Access,
    _ label: String, _ handle: @escaping @Sendable (SyncService, SyncCall, Message) async throws -> Answer
  ) -> SyncRoute {
    SyncRoute(
      method, path, query: query, access, label, request: .message(Message.self), answer: .message(Answer.self)
    ) { service, call in
      let message = try SyncWire.decode(message, from: try await call.body())
      return Reply(body: try SyncWire.encode(try await handle(service, call, message)))
    }
  }

  /// Returns the values of the parameters in a path; nil if the path does not match.
  func parameters(_ path: [String]) -> [String: String]? {
    guard path.count == self.path.count else { return nil }
    var values: [String: String] = [:]
    for (part, text) in zip(self.path, path) {
      switch part {
      case .text(let expected): guard text == expected else { return nil }
      case .parameter(let name): values[name] = text
      }
    }
    return values
  }
}
