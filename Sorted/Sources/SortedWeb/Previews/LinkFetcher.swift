import Foundation
import NIOCore

/// Fetches the page of a link for a preview, or a picture, from public addresses only and within limits.
struct LinkFetcher: Sendable {
  /// Why a page is not fetched.
  enum Failure: Error, Equatable {
    /// The server has no client.
    case noClient
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
    /// The answer is not a picture.
    case notAPicture
    /// The picture has more bytes than are read.
    case tooLarge
  }

  /// What is read of a link.
  private struct Kind: Sendable {
    let accepts: String
    let types: [String]
    let otherwise: Failure
    let maximumBytes: Int
    /// What is thrown for more bytes; nil if the beginning is enough.
    let overflow: Failure?
  }

  static let maximumRedirects = 3
  /// The beginning of a page has its title and its description.
  static let maximumBytes = 128 << 10
  /// Sends the requests; nil where nothing is fetched.
  var client: (any LinkClient)?
  /// For the page with all redirects.
  var timeout = Duration.seconds(5)
  /// Decides about each address before the server connects to it.
  var isAllowed: @Sendable (SocketAddress) -> Bool = { address in
    PublicAddress.isPublic(address) && [80, 443].contains(address.port)
  }
  /// Looks up the address of a host.
  var resolve: @Sendable (_ host: String, _ port: Int) async throws -> SocketAddress = { try await Self.lookUp($0, $1) }

  /// A fetcher that uses no network. Every page fails.
  static let offline = LinkFetcher(client: nil)

  /// Fetches the beginning of a page and follows its redirects. Each redirect is checked as the link is.
  /// - Throws: ``Failure``, or an error of the connection.
  func page(_ link: String) async throws -> (address: URL, html: String) {
    let kind = Kind(
      accepts: "text/html", types: ["text/html", "application/xhtml+xml"], otherwise: .notAPage,
      maximumBytes: Self.maximumBytes, overflow: nil)
    let (address, bytes) = try await fetch(link, kind)
    return (address, String(buffer: bytes))
  }

  /// Fetches a picture, as ``page(_:)`` fetches a page.
  /// - Throws: ``Failure``, or an error of the connection.
  func picture(_ link: String) async throws -> Data {
    let kind = Kind(
      accepts: "image/*", types: ["image/"], otherwise: .notAPicture, maximumBytes: PictureCabinet.maximumBytes,
      overflow: .tooLarge)
    return Data(try await fetch(link, kind).1.readableBytesView)
  }

  private func fetch(_ link: String, _ kind: Kind) async throws -> (URL, ByteBuffer) {
    try await withThrowingTaskGroup(of: (URL, ByteBuffer).self) { group in
      group.addTask { try await follow(link, kind) }
      group.addTask {
        try await Task.sleep(for: timeout)
        throw Failure.timeout
      }
      defer { group.cancelAll() }
      guard let found = try await group.next() else { throw Failure.timeout }
      return found
    }
  }

  private enum Answer: Sendable {
    case found(ByteBuffer)
    case redirect(String)
  }

  private func follow(_ link: String, _ kind: Kind) async throws -> (URL, ByteBuffer) {
    var address = try Self.webAddress(link, relativeTo: nil)
    for _ in 0...Self.maximumRedirects {
      switch try await answer(address, kind) {
      case .found(let bytes): return (address, bytes)
      case .redirect(let location): address = try Self.webAddress(location, relativeTo: address)
      }
    }
    throw Failure.tooManyRedirects
  }

  /// Connects to the address that was checked: a second look-up of the name could lead elsewhere.
  private func answer(_ address: URL, _ kind: Kind) async throws -> Answer {
    guard let client else { throw Failure.noClient }
    guard let host = address.host else { throw Failure.notAWebAddress }
    let target = try await resolve(host, address.port ?? (address.scheme == "https" ? 443 : 80))
    guard isAllowed(target), let ip = target.ipAddress else { throw Failure.forbiddenAddress }
    return try await client.get(address, at: ip, accepting: kind.accepts, timeout: timeout) {
      try await Self.read($0, kind)
    }
  }

  private static func read(_ answer: LinkAnswer, _ kind: Kind) async throws -> Answer {
    if (300...399).contains(answer.status), let location = answer.location { return .redirect(location) }
    let type = answer.contentType?.lowercased() ?? ""
    guard answer.status == 200, kind.types.contains(where: type.hasPrefix) else { throw kind.otherwise }
    var bytes = ByteBuffer()
    for try await part in answer.body {
      var part = part
      if let slice = part.readSlice(length: min(part.readableBytes, kind.maximumBytes - bytes.readableBytes)) {
        bytes.writeImmutableBuffer(slice)
      }
      if part.readableBytes > 0 {
        if let overflow = kind.overflow { throw overflow }
        break
      }
    }
    return .found(bytes)
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
  private static func lookUp(_ host: String, _ port: Int) async throws -> SocketAddress {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global(qos: .utility).async {
        continuation.resume(with: Result { try SocketAddress.makeAddressResolvingHost(host, port: port) })
      }
    }
  }
}
