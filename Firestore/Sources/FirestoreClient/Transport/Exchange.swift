import AsyncHTTPClient
import FirestoreProtocol
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// One request and its answer.
enum Exchange {
  /// The default connections, shared by clients and open as long as the process.
  ///
  /// `HTTPClient.shared` retries a refused connection for a minute before it reports it. Here callers need to know at
  /// once.
  static let connections: HTTPClient = {
    var configuration = HTTPClient.Configuration(timeout: .init(connect: .seconds(10)))
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }()

  /// A little more than the maximum that Firestore sends, in bytes.
  private static let maximumBytes = 64 * 1_024 * 1_024

  /// - Throws: a retryable ``FirestoreError`` if there is no answer; `CancellationError`.
  static func answer(
    to request: HTTPClientRequest, by client: HTTPClient, within timeout: TimeAmount
  ) async throws -> (status: Int, headers: HTTPHeaders, body: Data) {
    do {
      let response = try await response(to: request, by: client, until: .now() + timeout)
      let body = try await response.body.collect(upTo: maximumBytes)
      return (Int(response.status.code), response.headers, Data(buffer: body))
    } catch let error as CancellationError {
      throw error
    } catch let error as HTTPClientError where error == .deadlineExceeded || error == .readTimeout {
      throw FirestoreError(.deadlineExceeded, "\(request.url) did not answer in time")
    } catch let error as HTTPClientError where error == .cancelled && Task.isCancelled {
      throw CancellationError()
    } catch is NIOTooManyBytesError {
      throw FirestoreError(.internal, "\(request.url) answered with more than \(maximumBytes) bytes")
    } catch {
      throw FirestoreError(.unavailable, "\(request.url) cannot be reached: \(error)")
    }
  }

  /// Sends a request. The client gives up a request that waits for a connection after the connect timeout, although it
  /// was not sent. Such a request is repeated within its own timeout.
  private static func response(
    to request: HTTPClientRequest, by client: HTTPClient, until deadline: NIODeadline
  ) async throws -> HTTPClientResponse {
    while true {
      do {
        return try await client.execute(request, deadline: deadline)
      } catch let error as HTTPClientError where error == .getConnectionFromPoolTimeout && .now() < deadline {}
    }
  }
}
