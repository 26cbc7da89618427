import FirestoreClient
import Foundation

/// A request, apart from any web server.
struct ServerRequest: Sendable {
  var method: String
  /// Path and query, percent-encoded as they came.
  var target: String
  /// The first header of a name.
  var header: @Sendable (String) -> String?
  var body: Data

  /// The target without its query, which may have the token of a file in it.
  var path: Substring { target.prefix { $0 != "?" } }
}

/// An answer, apart from any web server.
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

  /// Google's body of an error, in a list where a stream was asked for.
  init(_ error: FirestoreError, isStream: Bool) {
    let encoder = JSONEncoder()
    code = error.status.httpCode
    // Texts and numbers always become JSON; without a body the code still says what went wrong.
    body = (isStream ? try? encoder.encode([error.body]) : try? encoder.encode(error.body)) ?? Data()
  }
}
