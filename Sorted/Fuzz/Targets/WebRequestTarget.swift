import Foundation
import Sorted
import SortedWeb
import SwiftData

/// A request to Sorted's web server from a browser of its owner, or of ann with the header `As: ann`. The target adds the cookie and
/// the token of the session, so that a request goes behind them.
actor WebRequestTarget {
  private static let shared = Task { try await WebRequestTarget() }

  static func routes() async throws -> Set<String> { try await shared.value.routes }

  /// - Returns: the route that did what it is for.
  static func run(_ bytes: Data) async throws -> Set<String> { try await shared.value.run(bytes) }

  private var world: WebWorld
  private let server: SortedWebServer
  private let answers: RequestAnswers
  private var tokens: [String: String] = [:]
  private var count = 0

  private init() async throws {
    var world = try WebWorld()
    server = try await SortedWebServer(offline: world.inbox, own: world.own, options: world.options)
    answers = server.answers
    try world.fill()
    self.world = world
  }

  private var routes: Set<String> { Set(server.routeNames.map { "\($0.method) \($0.path)" }) }

  private func run(_ bytes: Data) async throws -> Set<String> {
    let input = RequestInput(bytes)
    let account = input.account == "ann" ? "ann" : "me"
    count += 1
    let (headers, body) = try await behindSession(input, account)
    let answer = try await answers.answer(
      input.method, input.target, headers: headers, body: body, remote: WebWorld.proxy)
    if answer.status >= 500 { broken("\(answer.status): \(String(decoding: answer.body, as: UTF8.self))") }
    try world.fillIfChanged()
    if answer.status >= 400 || answer["Location"]?.hasPrefix("/sign-in?") == true { throw Refused() }
    return route(input.method, input.target).map { [$0] } ?? []
  }

  private func behindSession(
    _ input: RequestInput, _ account: String
  ) async throws -> (headers: [(String, String)], body: Data) {
    let cookie = ("Cookie", "sorted-80=\(WebWorld.cookies[account] ?? "")")
    if tokens[account] == nil {
      let answer = try await answers.answer("GET", "/session", headers: [cookie])
      tokens[account] = try JSONDecoder().decode([String: String].self, from: answer.body)["token"]
    }
    let token = tokens[account] ?? ""
    // Each from another address, so that the limits of guests end no run.
    var headers = [("X-Forwarded-For", "10.\(count >> 16 & 255).\(count >> 8 & 255).\(count & 255)")]
    headers += input.headers.map { ($0.name, $0.value) }
    if input.header("Cookie") == nil { headers.append(cookie) }
    let type = input.header("Content-Type")
    if type == nil { headers.append(("Content-Type", "application/x-www-form-urlencoded")) }
    guard type?.hasPrefix("multipart") == true else {
      return (headers, Data("form=\(token)&".utf8) + input.body)
    }
    let part = "--edge\r\nContent-Disposition: form-data; name=\"form\"\r\n\r\n\(token)\r\n"
    return (headers, Data(part.utf8) + input.body)
  }

  /// The route that takes a request: the one with the fewest variable parts of those that fit.
  private func route(_ method: String, _ target: String) -> String? {
    let segments = target.prefix { $0 != "?" }.split(separator: "/")
    func isVariable(_ part: Substring) -> Bool { part.hasPrefix(":") }
    return server.routeNames.filter { route in
      let parts = route.path.split(separator: "/")
      return route.method == method && parts.count == segments.count
        && zip(parts, segments).allSatisfy { isVariable($0) || $0 == $1 }
    }.min {
      $0.path.split(separator: "/").count(where: isVariable) < $1.path.split(separator: "/").count(where: isVariable)
    }
    .map { "\($0.method) \($0.path)" }
  }
}
