import Foundation
import SyncProtocol

/// A request that the server answers.
///
/// ``all`` is the router. The tests take their cases from it: they feed each field of each route, and ask each route as the wrong person.
/// A handler gets no field of the query that its route does not declare, so that a new field is tested when it is written.
struct SyncRoute: Sendable {
  /// A part of a path.
  enum Part: Sendable, Hashable {
    case text(String)
    /// A text that the client chooses, with its name.
    case parameter(String)
  }

  /// A field of the query.
  struct Field: Sendable, Hashable {
    enum Kind: Sendable { case number, text }
    let name: String
    let kind: Kind

    static func number(_ name: String) -> Field { Field(name: name, kind: .number) }
    static func text(_ name: String) -> Field { Field(name: name, kind: .text) }
  }

  /// What a body has.
  enum Content: Sendable {
    case none
    case message(any (Codable & Sendable).Type)
    /// A ``SyncTransaction`` as bytes.
    case transaction
    case bytes
    case text
  }

  /// Who may ask. ``ZoneStore`` checks it; the tests take it from here.
  enum Access: Sendable {
    /// Everybody, without a token.
    case everybody
    /// Each account. The answer has only what belongs to the account, and the request changes nothing else.
    case account
    /// Those who may read the zone.
    case reader
    /// Those who may write in the zone.
    case writer
    /// The owner of the zone.
    case owner
    /// Accounts that the owner invited to the zone.
    case invited
    /// The owner of the zone, and each account for itself.
    case ownerOrSelf
  }

  /// The reply of a handler.
  struct Reply: Sendable {
    var body: Data
    var type = "application/json"
  }

  let method: String
  /// The parts behind `/v1`.
  let path: [Part]
  let query: [Field]
  let access: Access
  let request: Content
  let answer: Content
  /// The name in metrics and logs.
  let label: String
  let handle: @Sendable (SyncService, SyncCall) async throws -> Reply

  /// The method and the path, for people.
  var name: String {
    let parts = path.map { part in
      switch part {
      case .text(let text): text
      case .parameter(let name): "{\(name)}"
      }
    }
    return "\(method) /\(parts.joined(separator: "/"))"
  }

  /// - Parameter path: the parts with a slash between; the name of a parameter is in braces.
  init(
    _ method: String, _ path: String, query: [Field] = [], _ access: Access, _ label: String, request: Content = .none,
    answer: Content, _ handle: @escaping @Sendable (SyncService, SyncCall) async throws -> Reply
  ) {
    self.method = method
    self.path = path.split(separator: "/").map { part in
      part.hasPrefix("{") ? .parameter(String(part.dropFirst().dropLast())) : .text(String(part))
    }
    (self.query, self.access, self.label) = (query, access, label)
    (self.request, self.answer, self.handle) = (request, answer, handle)
  }

  /// A route without a body in the request.
  static func route<Answer: Codable & Sendable>(
    _ method: String, _ path: String, query: [Field] = [], _ access: Access, _ label: String,
    _ handle: @escaping @Sendable (SyncService, SyncCall) async throws -> Answer
  ) -> SyncRoute {
    SyncRoute(method, path, query: query, access, label, answer: .message(Answer.self)) { service, call in
      Reply(body: try SyncWire.encode(try await handle(service, call)))
    }
  }

  /// A route with a message in the request.
  static func route<Message: Codable & Sendable, Answer: Codable & Sendable>(
    _ method: String, _ path: String, _ message: Message.Type, query: [Field] = [], _ access: Access,
    _ label: String, _ handle: @escaping @Sendable (SyncService, SyncCall, Message) async throws -> Answer
  ) -> SyncRoute {
    SyncRoute(
      method, path, query: query, access, label, request: .message(Message.self), answer: .message(Answer.self)
    ) { service, call in
      let message = try SyncWire.decode(message, from: try await call.body())
      return Reply(body: try SyncWire.encode(try await handle(service, call, message)))
    }
  }

  /// The values of the parameters in a path; nil if the path is of another route.
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
