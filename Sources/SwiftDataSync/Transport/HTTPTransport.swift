#if Sync
public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
#if canImport(AsyncHTTPClient)
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
#endif

/// Sends requests over HTTP: with AsyncHTTPClient on Linux and Android, with URLSession elsewhere.
///
/// URLSession on Linux (Swift 6.3) stops the process where a connection ends within the headers of an answer, holds a request up
/// until it times out where a kept connection is closed, and uses a processor until the first answer of a connection.
public struct HTTPTransport: SyncTransport {
  private let url: URL

  /// - Parameter url: the URL of the server: `https://sync.example.com`.
  public init(url: URL) { self.url = url }

  /// Sends a request and waits for the answer, at most for the request's timeout.
  /// - Throws: `URLError` if no answer came: `.cannotFindHost`, `.cannotConnectToHost`, `.timedOut`, `.networkConnectionLost`, and for a URL
  ///   with `https` also `.secureConnectionFailed` and `.serverCertificateUntrusted`. `CancellationError` if the task was cancelled.
  public func send(_ request: SyncRequest) async throws -> SyncReply {
    guard let target = URL(string: url.absoluteString.trimmingSuffix("/") + request.path), target.host != nil else {
      throw URLError(.badURL)
    }
    do {
      return try await withThrowingTaskGroup(of: SyncReply.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await Self.exchange(request, target) }
        group.addTask {
          try await Task.sleep(for: request.timeout)
          throw URLError(.timedOut)
        }
        return try await group.next()!
      }
    } catch {
      try Task.checkCancellation()
      throw error
    }
  }

  #if canImport(AsyncHTTPClient)
  // It lasts as long as the process, so it needs no end.
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration()
    // An engine that waits for changes holds a connection, and a process can have many engines.
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 10_000
    // The engine tries again, after pauses of its own.
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }()

  /// In bytes. A buffer of NIO ends the process where it grows beyond 4 GiB.
  private static let largestAnswer = 1 << 30

  private static func exchange(_ request: SyncRequest, _ target: URL) async throws -> SyncReply {
    var message = HTTPClientRequest(url: target.absoluteString)
    message.method = HTTPMethod(rawValue: request.method)
    for (name, value) in request.headers { message.headers.add(name: name, value: value) }
    if let body = request.body { message.body = .bytes(body, length: .known(Int64(body.count))) }
    do {
      let reply = try await client.execute(message, deadline: .distantFuture)
      let body = try await reply.body.collect(upTo: largestAnswer)
      return SyncReply(status: Int(reply.status.code), body: Data(body.readableBytesView))
    } catch let error as NIOConnectionError {
      // Without an address it tries no connection.
      throw URLError(error.connectionErrors.isEmpty ? .cannotFindHost : .cannotConnectToHost)
    } catch let error as IOError where [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode) {
      // The address was not looked up by a name.
      throw URLError(.cannotConnectToHost)
    } catch let error as HTTPClientError where error == .connectTimeout {
      throw URLError(.cannotConnectToHost)
    } catch NIOSSLError.handshakeFailed(let reason) {
      let isUntrusted = "\(reason)".contains("CERTIFICATE_VERIFY_FAILED")
      throw URLError(isUntrusted ? .serverCertificateUntrusted : .secureConnectionFailed)
    } catch let error as NIOSSLExtraError where error == .failedToValidateHostname {
      throw URLError(.serverCertificateUntrusted)
    } catch {
      throw URLError(.networkConnectionLost)
    }
  }
  #else
  private static let session: URLSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.httpMaximumConnectionsPerHost = 100
    return URLSession(configuration: configuration)
  }()

  private static func exchange(_ request: SyncRequest, _ target: URL) async throws -> SyncReply {
    var message = URLRequest(url: target)
    message.httpMethod = request.method
    message.httpBody = request.body
    message.timeoutInterval = request.timeout / .seconds(1) + 5
    for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
    let (body, response) = try await session.data(for: message)
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    return SyncReply(status: response.statusCode, body: body)
  }
  #endif
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
#endif
