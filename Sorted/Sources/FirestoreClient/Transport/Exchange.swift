import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// One request and its answer.
enum Exchange {
  /// The connections of all clients that are given none of their own; they last as long as the process.
  ///
  /// `HTTPClient.shared` tries a refused connection again for a minute before it says so; who asks here wants to know.
  static let connections: HTTPClient = {
    var configuration = HTTPClient.Configuration(timeout: .init(connect: .seconds(10)))
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }()

  /// As much as Firestore sends at most, and some more.
  private static let maximumBytes = 64 * 1_024 * 1_024

  /// - Throws: ``FirestoreError`` that is retryable where there was no answer; `CancellationError`.
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

  /// The client gives up a request that waits for one of its connections after the time that connecting may take. It is
  /// not sent yet then, and may wait as long as its own time lasts.
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
