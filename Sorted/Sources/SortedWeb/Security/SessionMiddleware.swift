import HTTPServing
import HTTPTypes
import Hummingbird

/// Finds out who sends a request, and refuses changes that do not come from a page of this server.
struct SessionMiddleware: RouterMiddleware {
  let sessions: Sessions
  let changes: RateLimiter<String>

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
    }
    return try await next(request, context)
  }

  private static let origin = HTTPField.Name("Origin")!
}
