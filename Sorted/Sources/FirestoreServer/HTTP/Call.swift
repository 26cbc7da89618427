import FirestoreClient
import Foundation

/// What a request asks for, read from its method and its path.
struct Call {
  let method: String
  /// Of a document, a collection, or the database's documents.
  let name: String
  /// What stands after the colon of a POST.
  let verb: String?
  private let query: [URLQueryItem]

  /// - Throws: ``FirestoreError`` with status `notFound` for a path that is not of the API.
  init(_ method: String, _ target: String) throws {
    guard var parts = URLComponents(string: target), parts.percentEncodedPath.hasPrefix("/v1/") else {
      throw FirestoreError(.notFound, "there is no \(target) here")
    }
    var path = parts.percentEncodedPath.dropFirst("/v1/".count)
    var verb: String?
    if method == "POST", let colon = path.lastIndex(of: ":"), !path[colon...].contains("/") {
      verb = String(path[path.index(after: colon)...])
      path = path[..<colon]
    }
    guard let name = String(path).removingPercentEncoding else {
      throw FirestoreError(.invalidArgument, "the path is not percent-encoded UTF-8")
    }
    let segments = name.split(separator: "/", omittingEmptySubsequences: false)
    guard segments.count >= 5, segments[0] == "projects", segments[2] == "databases", segments[4] == "documents",
      !segments.contains("")
    else { throw FirestoreError(.notFound, "there is no \(target) here") }
    self.method = method
    self.name = name
    self.verb = verb
    // Python writes a blank as a plus, which Foundation leaves alone; a real plus is always escaped.
    parts.percentEncodedQuery = parts.percentEncodedQuery?.replacing("+", with: "%20")
    self.query = parts.queryItems ?? []
  }

  /// Whether the path ends with a collection, not with a document.
  var isCollection: Bool { name.split(separator: "/").count % 2 == 0 }

  /// Whether the answer is a list, and so the body of an error is in one.
  var isStream: Bool { ["batchGet", "runQuery", "runAggregationQuery"].contains(verb) }

  subscript(key: String) -> String? { query.first { $0.name == key }?.value }

  /// - Throws: ``FirestoreError`` with status `unimplemented` where the parameter is there.
  func refuse(_ key: String, _ what: String) throws {
    if let value = self[key], !value.isEmpty, value.lowercased() != "false" {
      throw FirestoreError(.unimplemented, "\(what) is not there in this server")
    }
  }

  /// The paths of a mask, one parameter each; nil without any.
  func mask(_ key: String) throws -> [FirestoreFieldPath]? {
    let paths = try query.filter { $0.name == key }.map { try FieldAccess.path($0.value ?? "") }
    return paths.isEmpty ? nil : paths
  }

  func mask(_ key: String) throws -> FirestoreMask? { try mask(key).map { FirestoreMask($0) } }

  func precondition() throws -> FirestorePrecondition? {
    if let exists = self["currentDocument.exists"] { return .exists(exists.lowercased() == "true") }
    guard let text = self["currentDocument.updateTime"] else { return nil }
    guard let time = FirestoreTimestamp(text) else {
      throw FirestoreError(.invalidArgument, "\"\(text)\" is no RFC 3339 time")
    }
    return .updateTime(time)
  }
}
