#if Sync
public import Foundation

/// A way to a server. The default one speaks HTTP; tests bring their own.
public protocol SyncTransport: Sendable {
  /// Sends a request and waits for the answer.
  /// - Throws: an error if no answer came. The server may have done what was asked.
  func send(_ request: SyncRequest) async throws -> SyncReply
}

/// A request to a server.
public struct SyncRequest: Sendable {
  /// The method of HTTP.
  public var method: String
  /// The path below the server's URL, percent-encoded, with its query.
  public var path: String
  /// Header fields.
  public var headers: [String: String]
  /// The body.
  public var body: Data?
  /// The time to wait for the answer.
  public var timeout: Duration

  /// Makes a request.
  public init(method: String, path: String, headers: [String: String], body: Data?, timeout: Duration) {
    (self.method, self.path, self.headers) = (method, path, headers)
    (self.body, self.timeout) = (body, timeout)
  }
}

/// The answer of a server.
public struct SyncReply: Sendable {
  /// The status of HTTP.
  public var status: Int
  /// The body.
  public var body: Data

  /// Makes an answer.
  public init(status: Int, body: Data) { (self.status, self.body) = (status, body) }
}
#endif
