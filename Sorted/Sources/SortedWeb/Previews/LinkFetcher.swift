import AsyncHTTPClient
import Foundation
import NIOCore

/// Fetches the page of a link for a preview, from public addresses only and within limits.
struct LinkFetcher: Sendable {
  /// Why a page is not fetched.
  enum Failure: Error, Equatable {
    /// The link is not of the web, has a name and a password, or names a host with unusual characters.
    case notAWebAddress
    /// The host's address or port is not one of the public web.
    case forbiddenAddress
    /// There are more redirects than ``maximumRedirects``.
    case tooManyRedirects
    /// The server did not answer in time.
    case timeout
    /// The answer is not a page in HTML.
    case notAPage
  }

  static let maximumRedirects = 3
  /// The beginning of a page has its title and its description.
  static let maximumBytes = 128 << 10
  /// For the page with all redirects.
  var timeout = Duration.seconds(5)
  /// Decides about each address before the server connects to it.
  var isAllowed: @Sendable (SocketAddress) -> Bool = { address in
    PublicAddress.isPublic(address) && [80, 443].contains(address.port)
  }

  /// Fetches the beginning of a page and follows its redirects. Each redirect is checked as the link is.
  /// - Throws: ``Failure``, or an error of the connection.
  func page(_ link: String) async throws -> (address: URL, html: String) {
    try await withThrowingTaskGroup(of: (URL, String).self) { group in
      group.addTask { try await follow(link) }
      group.addTask {
        try await Task.sleep(for: timeout)
        throw Failure.timeout
      }
      defer { group.cancelAll() }
      guard let page = try await group.next() else { throw Failure.timeout }
      return page
    }
  }

  private enum Answer {
    case page(String)
    case redirect(String)
  }

  private func follow(_ link: String) async throws -> (URL, String) {
    var address = try Self.webAddress(link, relativeTo: nil)
    for _ in 0...Self.maximumRedirects {
      switch try await answer(address) {
      case .page(let html): return (address, html)
      case .redirect(let location): address = try Self.webAddress(location, relativeTo: address)
      }
    }
    throw Failure.tooManyRedirects
  }

  /// Connects to the address that was checked: a second look-up of the name could lead elsewhere.
  private func answer(_ address: URL) async throws -> Answer {
    guard let host = address.host else { throw Failure.notAWebAddress }
    let target = try await Self.resolve(host, port: address.port ?? (address.scheme == "https" ? 443 : 80))
    guard isAllowed(target), let ip = target.ipAddress else { throw Failure.forbiddenAddress }
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow,
      timeout: .init(connect: TimeAmount(timeout), read: TimeAmount(timeout)))
    configuration.dnsOverride = [host: ip]
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    let result: Result<Answer, any Error>
    do { result = .success(try await ask(client, address)) } catch { result = .failure(error) }
    try? await client.shutdown()
    return try result.get()
  }

  private func ask(_ client: HTTPClient, _ address: URL) async throws -> Answer {
    var request = HTTPClientRequest(url: address.absoluteString)
    request.headers.add(name: "Accept", value: "text/html")
    request.headers.add(name: "User-Agent", value: "Sorted (link preview)")
    let response = try await client.execute(request, timeout: TimeAmount(timeout))
    if (300...399).contains(response.status.code), let location = response.headers.first(name: "Location") {
      return .redirect(location)
    }
    let type = response.headers.first(name: "Content-Type")?.lowercased() ?? ""
    guard response.status == .ok, type.hasPrefix("text/html") || type.hasPrefix("application/xhtml+xml") else {
      throw Failure.notAPage
    }
    var bytes = ByteBuffer()
    for try await part in response.body {
      var part = part
      if let slice = part.readSlice(length: min(part.readableBytes, Self.maximumBytes - bytes.readableBytes)) {
        bytes.writeImmutableBuffer(slice)
      }
      if bytes.readableBytes >= Self.maximumBytes { break }
    }
    return .page(String(buffer: bytes))
  }

  /// - Throws: ``Failure/notAWebAddress``.
  private static func webAddress(_ text: String, relativeTo base: URL?) throws -> URL {
    guard let url = URL(string: text, relativeTo: base)?.absoluteURL,
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true), let scheme = parts.scheme?.lowercased(),
      ["http", "https"].contains(scheme), parts.user == nil, parts.password == nil, let host = parts.host?.lowercased(),
      !host.isEmpty, host.utf8.count < 254,
      host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || ".-".contains($0)) })
    else { throw Failure.notAWebAddress }
    (parts.scheme, parts.host, parts.fragment) = (scheme, host, nil)
    guard let address = parts.url, address.absoluteString.utf8.count < 2_000 else { throw Failure.notAWebAddress }
    return address
  }

  /// Looks a name up, on a thread that may wait.
  private static func resolve(_ host: String, port: Int) async throws -> SocketAddress {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global(qos: .utility).async {
        continuation.resume(with: Result { try SocketAddress.makeAddressResolvingHost(host, port: port) })
      }
    }
  }
}
