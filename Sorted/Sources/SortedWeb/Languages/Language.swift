import Foundation
import HTTPTypes
import Hummingbird

/// A language of the pages.
enum Language: String, CaseIterable, Hashable, Sendable {
  case english = "en"
  case hebrew = "he"

  /// The language of the reader for whom a task works. ``LanguageMiddleware`` sets it for a request, ``WorkQueue`` carries
  /// it to its threads, and ``LiveHub`` sets it for each channel.
  @TaskLocal static var current = Language.english

  /// What the language calls itself.
  var name: String {
    switch self {
    case .english: "English"
    case .hebrew: "עברית"
    }
  }

  /// The direction of its writing, as HTML has it.
  var direction: String { self == .hebrew ? "rtl" : "ltr" }

  /// The language that a browser likes best of those that there are (RFC 9110, 12.5.4).
  init(accepting header: String) {
    let ranked = header.split(separator: ",").compactMap { part -> (Language, Double)? in
      let pieces = part.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
      guard let tag = pieces.first?.split(separator: "-").first.map({ $0.lowercased() }) else { return nil }
      let weight = pieces.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      // `iw` is the former code of Hebrew.
      guard weight > 0, let language = Language(rawValue: tag == "iw" ? "he" : tag) else { return nil }
      return (language, weight)
    }
    self = ranked.max { $0.1 < $1.1 }?.0 ?? .english
  }

  /// The language of a request: the one of the cookie, which the settings write, or else the browser's.
  init(_ request: Request) {
    self =
      request.cookies[Self.cookieName].flatMap { Language(rawValue: $0.value) }
      ?? Language(accepting: request.headers[.acceptLanguage] ?? "")
  }

  private static let cookieName = "language"

  /// The cookie that keeps a choice of the settings; an empty choice is the browser's language.
  static func cookie(_ choice: String, isSecure: Bool) -> Cookie {
    Cookie(
      name: cookieName, value: choice, maxAge: choice.isEmpty ? 0 : 365 * 86_400, path: "/", secure: isSecure,
      httpOnly: true, sameSite: .lax)
  }
}

/// Sets the language of everything that a request asks for.
struct LanguageMiddleware: RouterMiddleware {
  func handle(
    _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    let language = Language(request)
    return try await Language.$current.withValue(language) {
      var response = try await next(request, context)
      // One address has several languages.
      response.headers.append(HTTPField(name: .vary, value: "Accept-Language"))
      return response
    }
  }
}
