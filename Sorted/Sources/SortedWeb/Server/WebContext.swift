import Foundation
import Hummingbird
import Logging
import NIOCore

/// The person and the session of a request.
struct Visit: Sendable {
  let viewer: Viewer
  /// What its forms carry.
  let formToken: String
  /// Of the session in the store.
  let session: String
}

/// A request on its way through the server.
struct WebContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// Nil without a session.
  var visit: Visit?
  /// The address of the browser: behind a trusted proxy, the one that the proxy names.
  var remote: String
  /// The route that answers it, once the router has found it.
  var route: Route?
  /// Whether the browser's connection is encrypted: by this server, or by a trusted proxy that says so.
  var isSecure = false
  /// The end of the browser's connection; nil without a network.
  var closed: EventLoopFuture<Void>?

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    closed = source.channel.closeFuture
    remote = source.channel.remoteAddress?.ipAddress ?? "?"
  }

  /// A request without a network, from a made-up address.
  init(logger: Logger, remote: String) {
    struct Source: RequestContextSource { let logger: Logger }
    coreContext = .init(source: Source(logger: logger))
    self.remote = remote
  }

  /// Whom the rate limiters take for one client: an address, or a network of 64 bits of IPv6, whose addresses one machine can all have.
  var client: String { Authority.network(of: remote) }

  /// - Throws: ``PageError`` without a session.
  func signedIn() throws -> Visit {
    guard let visit else {
      throw PageError(.unauthorized, "Sign in first", "This page is for people who are signed in.")
    }
    return visit
  }

  /// An identifier in the address.
  /// - Throws: ``PageError/notFound`` for an invalid identifier.
  func id(_ name: String) throws -> String { try Slug.decode(try parameters.require(name)) }
}
