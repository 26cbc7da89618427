import HTTPTypes
import Hummingbird

/// An address of the server, as the router and the tests of all addresses read it.
struct Route: Sendable {
  /// Who gets an answer.
  enum Audience: Sendable {
    /// Everybody, before the server finds out who asks.
    case everybody
    /// Everybody. The answer depends on who asks.
    case visitors
    /// People with a session.
    case people
    /// The owner of the store.
    case owner
  }

  typealias Handler = @Sendable (Request, WebContext) async throws -> Response

  let method: HTTPRequest.Method
  /// As the router has it: `c/:conversation`.
  let path: String
  let audience: Audience
  /// The fields of the address that the handler reads. ``Query`` has no others.
  var query: [String] = []
  /// The fields of the form that the handler reads. ``Form`` has no others.
  var form: [String] = []
  let handler: Handler

  /// The field of all forms that has the token of the session.
  static let token = "form"

  static func get(_ path: String, for audience: Audience, query: [String] = [], _ handler: @escaping Handler) -> Route {
    Route(method: .get, path: path, audience: audience, query: query, handler: handler)
  }

  static func post(_ path: String, for audience: Audience, form: [String] = [], _ handler: @escaping Handler) -> Route {
    Route(method: .post, path: path, audience: audience, form: form, handler: handler)
  }

  /// The names of the variable parts of the path.
  var parameters: [String] { path.split(separator: "/").filter { $0.hasPrefix(":") }.map { String($0.dropFirst()) } }

  /// Answers a request, if it comes from the audience.
  /// - Throws: ``PageError`` for other people; what the handler throws.
  func answer(_ request: Request, _ context: WebContext) async throws -> Response {
    var context = context
    context.route = self
    switch audience {
    case .everybody, .visitors: break
    case .people: _ = try context.signedIn()
    case .owner:
      guard try context.signedIn().viewer.isOwner else {
        throw PageError(.forbidden, "Not yours", "Only the owner of the store can do that.")
      }
    }
    return try await handler(request, context)
  }
}

extension Router<WebContext> {
  func add(_ routes: [Route]) {
    for route in routes {
      on(RouterPath(route.path), method: route.method, use: route.answer)
      guard route.method == .get else { continue }
      // A stream of events has no end, so it has no length either.
      on(RouterPath(route.path), method: .head) { request, context in
        guard route.path != "events" else { throw PageError.notFound }
        return try await route.answer(request, context)
      }
    }
  }
}
