import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
public import SwiftData

@_spi(Wire) extension SyncService {
  /// Answers a request without a socket, for tests and for the fuzzer.
  /// - Parameter target: the path with its query, percent-encoded.
  /// - Returns: the status of HTTP and the body. A method or a header that HTTP does not have gets the status 400.
  public nonisolated func answer(
    _ method: String, _ target: String, headers: [String: String] = [:], body: Data = Data()
  ) async -> (status: Int, body: Data) {
    guard let request = Self.request(method, target, headers: headers, body: body) else { return (400, Data()) }
    let answer = await answer(request)
    return (answer.status, answer.body)
  }

  /// The names of all routes, for example `POST /zones/{zone}/push`.
  public static var routes: [String] { SyncRoute.all.map(\.name) }

  /// The name of the route that answers a request; nil if none fits.
  public static func route(_ method: String, _ target: String) -> String? {
    request(method, target).flatMap { SyncCall($0, bodySize: 0).route?.name }
  }

  /// The token of the newest save, which tells whether a request changed something.
  public nonisolated func newestSave() throws -> DefaultHistoryToken {
    try ModelContext(store.container).newestHistoryToken()
  }

  private static func request(
    _ method: String, _ target: String, headers: [String: String] = [:], body: Data = Data()
  ) -> Request? {
    guard let method = HTTPRequest.Method(method) else { return nil }
    var fields = HTTPFields()
    for (name, value) in headers {
      guard let name = HTTPField.Name(name) else { return nil }
      fields[name] = value
    }
    let head = HTTPRequest(method: method, scheme: nil, authority: nil, path: target, headerFields: fields)
    return Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body)))
  }
}
