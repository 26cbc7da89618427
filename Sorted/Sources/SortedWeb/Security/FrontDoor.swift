import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Finds out what a trusted proxy says of a request, and refuses names of other servers: a page elsewhere whose name leads
/// here (DNS rebinding) gets nothing.
struct FrontDoor: RouterMiddleware {
  let options: WebOptions

  func handle(
    _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    var context = context
    context.isSecure = options.tls != nil
    if options.trustedProxies.contains(context.remote) {
      if let address = browser(request.headers[values: Self.forwardedFor]) { context.remote = address }
      context.isSecure = request.headers[Self.forwardedProtocol]?.lowercased() == "https"
    }
    guard accepts(request.head.authority) else {
      throw PageError(
        .misdirectedRequest, "Another server's name",
        "This server does not answer to that name. `sorted serve --name` lists the names that it has.")
    }
    return try await next(request, context)
  }

  /// The last address that is not a proxy's of ours: those before it are what the browser claims.
  private func browser(_ values: [String]) -> String? {
    values.flatMap { $0.split(separator: ",") }.map { $0.trimmingCharacters(in: .whitespaces) }
      .last { !$0.isEmpty && !options.trustedProxies.contains($0) }
  }

  /// An address needs no look-up, so DNS rebinding cannot use it.
  private func accepts(_ authority: String?) -> Bool {
    guard let host = authority.map(Authority.init)?.host.lowercased(), !host.isEmpty else { return false }
    return host == "localhost" || host == options.host.lowercased() || Authority.isAddress(host)
      || options.names.contains { $0.lowercased() == host }
  }

  private static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
  private static let forwardedProtocol = HTTPField.Name("X-Forwarded-Proto")!
}

/// The host and the port of a request.
struct Authority {
  let host: String
  /// Nil for the usual one.
  let port: Int?

  init(_ text: String) {
    let end = text.lastIndex(of: "]") ?? text.startIndex
    let colon = text[end...].lastIndex(of: ":")
    port = colon.flatMap { UInt16(text[text.index(after: $0)...]) }.map(Int.init)
    host = String(colon.map { text[..<$0] } ?? text[...]).trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
  }

  /// The first 64 bits of an address of IPv6, as they are written; any other text as it is.
  static func network(of address: String) -> String {
    guard address.contains(":"), case .v6(let parsed)? = try? SocketAddress(ipAddress: address, port: 0) else {
      return address
    }
    let network = withUnsafeBytes(of: parsed.address.sin6_addr) { Array($0.prefix(8)) }
    // An address of IPv4 may be written as one of IPv6.
    guard network.contains(where: { $0 != 0 }) else { return address }
    return network.map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
  }

  /// Whether a host is an IP address.
  static func isAddress(_ host: String) -> Bool {
    if host.contains(":") { return host.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." } }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }
}
