import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOFoundationCompat
import SyncProtocol
import UntrustedInput

/// What a request asks for.
struct SyncCall: Sendable {
  let method: String
  /// The parts of the path behind `/v1`; those of `/health` and `/metrics` as they are.
  let path: [String]
  let version: Untrusted<Int>?
  /// The account that the client has synced as.
  let expectedAccount: String?
  /// The route; nil if none fits.
  let route: SyncRoute?
  /// The account of the token; empty for a route that needs none.
  var account = ""
  private let parameters: [String: String]
  private let query: [String: String]
  private let request: Request
  private let bodySize: Int

  /// - Parameter bodySize: the most bytes that a body may have.
  init(_ request: Request, bodySize: Int) {
    method = request.method.rawValue
    var parts = request.uri.path.split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
    if parts.first == "v1" { parts.removeFirst() }
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

  /// The text of a parameter in the path.
  func parameter(_ name: String) -> String {
    assert(parameters[name] != nil, "\(route?.name ?? "") has no parameter \(name)")
    return parameters[name] ?? ""
  }

  /// A number of the query; nil if it is missing.
  /// - Throws: `UntrustedInputError` for a text that is no number.
  func number(_ name: String) throws -> Untrusted<Int64>? {
    try field(.number(name)).map { try Untrusted(text: $0, field: name) }
  }

  /// A text of the query; nil if it is missing.
  func text(_ name: String) -> String? { field(.text(name)) }

  private func field(_ field: SyncRoute.Field) -> String? {
    let isDeclared = route?.query.contains(field) == true
    assert(isDeclared, "\(route?.name ?? "") does not declare the field \(field.name)")
    return isDeclared ? query[field.name] : nil
  }

  /// Reads the body.
  /// - Throws: `NIOTooManyBytesError`; an error of the connection.
  func body() async throws -> Data { Data(buffer: try await request.body.collect(upTo: bodySize)) }

  /// Whether each text of the path and the query, and the expected account, is short and has no character that a store does not keep.
  var hasNames: Bool {
    (path + query.values + [expectedAccount].compactMap(\.self)).allSatisfy { ZoneStore.isName($0, 0...1024) }
  }

  /// The failure of a request with an unknown path. A client sends such requests if its URL of the server has a path.
  var unknown: SyncFailure {
    let path = path.joined(separator: "/").prefix(200)
    return SyncFailure(.notFound, "there is no \(method) /\(path) here; check the URL of the server")
  }
}
