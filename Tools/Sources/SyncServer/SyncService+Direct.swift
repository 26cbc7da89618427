import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

@_spi(Wire) extension SyncService {
  /// Answers a request without a socket, for tests and for the fuzzer.
  /// - Parameter target: the path with its query, percent-encoded.
  /// - Returns: the status of HTTP and the body. A method or a header that HTTP does not have gets the status 400.
  public nonisolated func answer(
    _ method: String, _ target: String, headers: [String: String] = [:], body: Data = Data()
  ) async -> (status: Int, body: Data) {
    guard let method = HTTPRequest.Method(method) else { return (400, Data()) }
    var fields = HTTPFields()
    for (name, value) in headers {
      guard let name = HTTPField.Name(name) else { return (400, Data()) }
      fields[name] = value
    }
    let head = HTTPRequest(method: method, scheme: nil, authority: nil, path: target, headerFields: fields)
    let answer = await answer(Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body))))
    return (answer.status, answer.body)
  }
}
