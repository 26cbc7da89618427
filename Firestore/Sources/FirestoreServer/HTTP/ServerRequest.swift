import FirestoreProtocol
import Foundation

/// A request, independent of any web server.
struct ServerRequest: Sendable {
  var method: String
  /// Path and query, percent-encoded.
  var target: String
  /// The first header with a name.
  var header: @Sendable (String) -> String?
  var body: Data

  /// The target without its query, which may contain the token of a file.
  var path: Substring { target.prefix { $0 != "?" } }
}

/// An answer, independent of any web server.
struct ServerAnswer: Sendable {
  var code = 200
  var headers = [(name: String, value: String)]()
  var contentType = "application/json; charset=UTF-8"
  var body = Data()

  init(code: Int = 200, body: Data = Data(), contentType: String = "application/json; charset=UTF-8") {
    self.code = code
    self.body = body
    self.contentType = contentType
  }

  init(json: Data, headers: [(String, String)] = []) {
    self.body = json
    self.headers = headers.map { (name: $0.0, value: $0.1) }
  }

  /// Google's error body, in a list if a stream was requested.
  init(_ error: FirestoreError, isStream: Bool) {
    let encoder = JSONEncoder()
    code = error.status.httpCode
    // Encoding strings and numbers cannot fail. Without a body, the code still tells the error.
    body = (isStream ? try? encoder.encode([error.body]) : try? encoder.encode(error.body)) ?? Data()
  }
}
