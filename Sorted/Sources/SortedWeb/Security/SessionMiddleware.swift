import HTTPServing
import HTTPTypes
import Hummingbird

/// Finds out who sends a request, refuses changes that do not come from a page of this server, and refuses too many requests.
struct SessionMiddleware: RouterMiddleware {
  let sessions: Sessions
  let changes: RateLimiter<String>
  /// For each person, or for each client without a session.
  let reads: RateLimiter<String>

  func handle(
    _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    var context = context
    context.visit = try await sessions.visit(request, isSecure: context.isSecure)
    if request.method != .get, request.method != .head {
      // Browsers say where a form comes from; the token of the form is checked where the form is read.
      if let origin = request.headers[Self.origin], let host = request.head.authority,
        origin != "http://\(host)", origin != "https://\(host)"
      {
        throw PageError.stale
      }
      try changes.admit(context.visit?.session ?? context.client)
    } else {
      // A person's name has no blank.
      try reads.admit(context.visit?.viewer.userID ?? "client \(context.client)")
    }
    return try await next(request, context)
  }

  private static let origin = HTTPField.Name("Origin")!
}
