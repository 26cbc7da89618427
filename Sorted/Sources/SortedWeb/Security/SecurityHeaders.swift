import HTTPTypes
import Hummingbird

/// What every answer says about how it may be used, and errors as pages.
struct SecurityHeaders: RouterMiddleware {
  static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self';"
    + " connect-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

  func handle(
    _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    // A file has a stricter one of its own.
    if response.headers[.contentSecurityPolicy] == nil { response.headers[.contentSecurityPolicy] = Self.policy }
    response.headers[.xContentTypeOptions] = "nosniff"
    response.headers[Self.referrer] = "same-origin"
    response.headers[Self.frames] = "DENY"
    response.headers[Self.opener] = "same-origin"
    // A page of another port of this host would load a person's pictures and learn their sizes.
    response.headers[Self.resources] = "same-origin"
    if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
    return response
  }

  // Names that are written correctly are names.
  private static let referrer = HTTPField.Name("Referrer-Policy")!
  private static let frames = HTTPField.Name("X-Frame-Options")!
  private static let resources = HTTPField.Name("Cross-Origin-Resource-Policy")!
  private static let opener = HTTPField.Name("Cross-Origin-Opener-Policy")!
}
