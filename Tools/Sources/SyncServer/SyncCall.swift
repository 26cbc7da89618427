import Foundation
import HTTPTypes
import Hummingbird
import SyncProtocol

/// What a request asks for.
struct SyncCall {
  let method: String
  /// The parts of the path behind `/v1`; those of `/health` and `/metrics` as they are.
  let path: [String]
  let version: Int?
  /// The account that the client has synced as.
  let account: String?
  private let query: [String: String]

  init(_ request: Request) {
    method = request.method.rawValue
    var parts = request.uri.path.split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
    if parts.first == "v1" { parts.removeFirst() }
    path = parts
    version = HTTPField.Name(SyncWire.versionHeader).flatMap { request.headers[$0] }.flatMap { Int($0) }
    account = HTTPField.Name(SyncWire.accountHeader).flatMap { request.headers[$0] }?.removingPercentEncoding
    var query: [String: String] = [:]
    for (name, value) in request.uri.queryParameters { query[String(name)] = String(value) }
    self.query = query
  }

  func number(_ name: String) -> Int64? { query[name].flatMap { Int64($0) } }

  func text(_ name: String) -> String? { query[name] }

  /// The failure of a request with an unknown path. A client sends such requests if its URL of the server has a path.
  var unknown: SyncFailure {
    SyncFailure(.notFound, "there is no \(method) /\(path.joined(separator: "/")) here; check the URL of the server")
  }

  /// The path without the names of zones and assets, for metrics.
  var route: String {
    switch path.first {
    case "zones" where path.count >= 3:
      path[2] == "assets" ? "assets" : ["push", "known", "changes", "snapshot"].contains(path[2]) ? path[2] : "other"
    case "wait", "health", "metrics", "shares": path[0]
    default: "other"
    }
  }
}
