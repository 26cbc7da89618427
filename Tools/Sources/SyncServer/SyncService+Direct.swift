import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
public import SwiftData

@_spi(Wire) extension SyncService {
  /// Answers a request without a socket, for tests and for the fuzzer.
  /// - Parameter target: the path with its query, percent-encoded.
  /// - Returns: the HTTP status and the body. The status is 400 for a method or a header name that HTTP does not allow.
  public nonisolated func answer(
    _ method: String, _ target: String, headers: [String: String] = [:], body: Data = Data()
  ) async -> (status: Int, body: Data) {
    guard let request = Self.request(method, target, headers: headers, body: body) else { return (400, Data()) }
    let answer = await answer(request)
    return (answer.status, answer.body)
  }

  /// The names of all routes, for example `POST /zones/{zone}/push`.
  public static var routes: [String] { SyncRoute.all.map(\.name) }

  /// Returns the name of the route that answers a request; nil for an unknown path.
  public static func route(_ method: String, _ target: String) -> String? {
    request(method, target).flatMap { SyncCall($0, bodySize: 0).route?.name }
  }

  /// Returns the history token of the newest save. Tests compare it to find out whether a request changed the store.
  public nonisolated func newestSave() throws -> DefaultHistoryToken {
    try ModelContext(store.container).currentHistoryToken()
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
