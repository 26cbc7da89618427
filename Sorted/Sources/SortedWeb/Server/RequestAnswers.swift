package import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// Answers requests of a ``SortedWebServer`` without a network, for tests with hostile requests.
package struct RequestAnswers: Sendable {
  /// An answer as a browser gets it.
  package struct Answer: Sendable {
    package let status: Int
    package let headers: [(name: String, value: String)]
    /// Empty for a stream of events, which does not end.
    package let body: Data

    /// The first header of a name.
    package subscript(name: String) -> String? {
      headers.first { $0.name.caseInsensitiveCompare(name) == .orderedSame }?.value
    }
  }

  private let responder: RouterResponder<WebContext>
  private let logger: Logger

  init(_ router: Router<WebContext>, _ logger: Logger) {
    responder = router.buildResponder()
    self.logger = logger
  }

  /// Answers a request.
  /// - Parameters:
  ///   - method: for example `GET`.
  ///   - target: the path and the query.
  ///   - headers: a name that is no name of a header is left out, as are characters that no value of a header has.
  ///   - remote: the address of the browser.
  /// - Throws: what the server does not turn into an answer.
  package func answer(
    _ method: String, _ target: String, headers: [(String, String)] = [], body: Data = Data(),
    remote: String = "127.0.0.1"
  ) async throws -> Answer {
    guard let method = HTTPRequest.Method(method) else { return Answer(status: 400, headers: [], body: Data()) }
    var fields = HTTPFields()
    var authority = "localhost"
    for (name, value) in headers {
      if name.lowercased() == "host" {
        authority = value
      } else if let name = HTTPField.Name(name) {
        fields.append(HTTPField(name: name, value: value))
      }
    }
    let request = Request(
      head: HTTPRequest(method: method, scheme: "http", authority: authority, path: target, headerFields: fields),
      body: RequestBody(buffer: ByteBuffer(bytes: body)))
    let response = try await responder.respond(to: request, context: WebContext(logger: logger, remote: remote))
    let writer = BodyWriter()
    if response.headers[.contentType]?.hasPrefix("text/event-stream") != true { try await response.body.write(writer) }
    return Answer(
      status: Int(response.status.code), headers: response.headers.map { ($0.name.rawName, $0.value) },
      body: writer.bytes)
  }

  private final class BodyWriter: ResponseBodyWriter {
    private let buffer = Mutex(ByteBuffer())

    var bytes: Data { buffer.withLock { Data($0.readableBytesView) } }

    func write(_ part: ByteBuffer) async throws { buffer.withLock { _ = $0.writeImmutableBuffer(part) } }

    func finish(_ trailers: HTTPFields?) async throws {}
  }
}
