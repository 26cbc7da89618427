import AsyncHTTPClient
public import Foundation
import NIOCore
public import SortedWeb

/// Fetches the pages of links over HTTP and HTTPS.
public struct HTTPLinkClient: LinkClient {
  /// Makes a client. It opens a connection for each request.
  public init() {}

  /// Asks a server for a page.
  /// - Throws: what `read` throws, or an error of the connection.
  public func get<Result: Sendable>(
    _ page: URL, at address: String, accepting types: String, timeout: Duration,
    _ read: @Sendable (LinkAnswer) async throws -> Result
  ) async throws -> Result {
    guard let host = page.host else { throw URLError(.badURL) }
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow,
      timeout: .init(connect: TimeAmount(timeout), read: TimeAmount(timeout)))
    configuration.dnsOverride = [host: address]
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    let result: Swift.Result<Result, any Error>
    do {
      var request = HTTPClientRequest(url: page.absoluteString)
      request.headers.add(name: "Accept", value: types)
      request.headers.add(name: "User-Agent", value: "Sorted (link preview)")
      let response = try await client.execute(request, timeout: TimeAmount(timeout))
      let answer = LinkAnswer(
        status: Int(response.status.code), location: response.headers.first(name: "Location"),
        contentType: response.headers.first(name: "Content-Type"), body: response.body)
      result = .success(try await read(answer))
    } catch {
      result = .failure(error)
    }
    try? await client.shutdown()
    return try result.get()
  }
}
