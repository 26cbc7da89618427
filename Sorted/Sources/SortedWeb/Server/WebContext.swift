import Foundation
import Hummingbird
import NIOCore

/// Who sent a request.
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
  /// Nil as long as nobody is signed in.
  var visit: Visit?
  /// The address of the other side.
  let remote: String

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    remote = source.channel.remoteAddress?.ipAddress ?? "?"
  }

  /// - Throws: ``PageError`` where nobody is signed in.
  func signedIn() throws -> Visit {
    guard let visit else {
      throw PageError(.unauthorized, "Sign in first", "This page is for people who are signed in.")
    }
    return visit
  }
}
