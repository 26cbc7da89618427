import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOFoundationCompat
import SyncProtocol
import UntrustedInput

/// A parsed HTTP request with its route and its account.
struct SyncCall: Sendable {
  let method: String
  /// The components of the path after `/v2`. The paths `/health` and `/metrics` have no version.
  let path: [String]
  /// The protocol version of the client.
  let version: Untrusted<Int>?
  /// The account that the client has synced with before.
  let expectedAccount: String?
  /// The route that answers the request; nil for an unknown path.
  let route: SyncRoute?
  /// The account of the token; empty for a route without authentication.
  var account = ""
  private let parameters: [String: String]
  private let query: [String: String]
  private let request: Request
  private let bodySize: Int

  /// - Parameter bodySize: the largest size of a body in bytes.
  init(_ request: Request, bodySize: Int) {
    method = request.method.rawValue
    var parts = request.uri.path.split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
    if parts.first == "v2" { parts.removeFirst() }
    path = parts
    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { request.headers[$0] } }
    version = header(SyncWire.versionHeader).flatMap { try? Untrusted(text: $0, field: SyncWire.versionHeader) }
    expectedAccount = header(SyncWire.accountHeader)?.removingPercentEncoding
    var found: (route: SyncRoute, parameters: [String: String])?
    for route in SyncRoute.all where route.method == method && found == nil {
      found = route.parameters(parts).map { (route, $0) }
    }
    (route, parameters) = (found?.route, found?.parameters ?? [:])
    var query: [String: String] = [:]
    for (name, value) in request.uri.queryParameters { query[String(name)] = String(value) }
    self.query = query
    (self.request, self.bodySize) = (request, bodySize)
  }

  /// Returns the text of a path parameter.
  func parameter(_ name: String) -> String {
    assert(parameters[name] != nil, "\(route?.name ?? "") has no parameter \(name)")
    return parameters[name] ?? ""
  }

  /// Returns a number of the query; nil if it is missing.
  /// - Throws: `UntrustedInputError` for a text that is not a number.
  func number(_ name: String) throws -> Untrusted<Int64>? {
    try field(.number(name)).map { try Untrusted(text: $0, field: name) }
  }

  /// Returns a text of the query; nil if it is missing.
  func text(_ name: String) -> String? { field(.text(name)) }

  private func field(_ field: SyncRoute.QueryField) -> String? {
    let isDeclared = route?.query.contains(field) == true
    assert(isDeclared, "\(route?.name ?? "") does not declare the field \(field.name)")
    return isDeclared ? query[field.name] : nil
  }

  /// Reads the body.
  /// - Throws: `NIOTooManyBytesError`; an error of the connection.
  func body() async throws -> Data { Data(buffer: try await request.body.collect(upTo: bodySize)) }

  /// Whether each text of the path, of the query and of the account header can be stored and has at most 1024 bytes.
  var hasValidTexts: Bool {
    (path + query.values + [expectedAccount].compactMap(\.self)).allSatisfy { ZoneStore.isValidText($0, 0...1024) }
  }

  /// The failure for an unknown path. A client sends an unknown path if its URL of the server is not the root of the server.
  var unknownPath: SyncFailure {
    let path = path.joined(separator: "/").prefix(200)
    return SyncFailure(.notFound, "the server has no route \(method) /\(path); check the URL of the server")
  }
}
