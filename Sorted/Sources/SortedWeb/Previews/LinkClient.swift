public import Foundation
public import NIOCore

/// Sends the requests of previews. `HTTPLinkClient` of SortedNetwork does. A server without a client shows no previews.
public protocol LinkClient: Sendable {
  /// Asks a server for a page with one GET request. Does not follow redirects.
  /// - Parameters:
  ///   - address: the IP address to connect to. The name of the page's host is not looked up again.
  ///   - types: the value of the header `Accept`.
  ///   - timeout: the timeout of the connection and of the answer.
  ///   - read: reads the answer. The connection is open meanwhile.
  /// - Throws: what `read` throws, or an error of the connection.
  func get<Result: Sendable>(
    _ page: URL, at address: String, accepting types: String, timeout: Duration,
    _ read: @Sendable (LinkAnswer) async throws -> Result
  ) async throws -> Result
}

/// The answer of a server to a request of a ``LinkClient``.
public struct LinkAnswer: Sendable {
  /// The HTTP status code.
  public let status: Int
  /// The header `Location`, or nil.
  public let location: String?
  /// The header `Content-Type`, or nil.
  public let contentType: String?
  /// The parts of the body, as they come.
  public let body: any AsyncSequence<ByteBuffer, any Error> & Sendable

  /// Makes an answer.
  public init(
    status: Int, location: String?, contentType: String?, body: any AsyncSequence<ByteBuffer, any Error> & Sendable
  ) {
    self.status = status
    self.location = location
    self.contentType = contentType
    self.body = body
  }
}
