import FirestoreProtocol
import Foundation

/// A request, parsed from its method and path.
struct Call {
  let method: String
  /// The name of a document, a collection, or the database's documents.
  let name: String
  /// The verb after the colon of a POST.
  let verb: String?
  private let query: [URLQueryItem]

  /// - Throws: ``FirestoreError`` with status `notFound` for a path outside the API.
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
    // Python encodes a space as a plus sign, which Foundation does not decode. A real plus sign is always escaped.
    parts.percentEncodedQuery = parts.percentEncodedQuery?.replacing("+", with: "%20")
    self.query = parts.queryItems ?? []
  }

  /// Whether the path ends with a collection rather than a document.
  var isCollection: Bool { name.split(separator: "/").count % 2 == 0 }

  /// Whether the answer is a list. An error's body is then in a list too.
  var isStream: Bool { ["batchGet", "runQuery", "runAggregationQuery"].contains(verb) }

  subscript(key: String) -> String? { query.first { $0.name == key }?.value }

  /// - Throws: ``FirestoreError`` with status `unimplemented` if the parameter is present.
  func refuse(_ key: String, _ what: String) throws {
    if let value = self[key], !value.isEmpty, value.lowercased() != "false" {
      throw FirestoreError(.unimplemented, "this server does not support \(what)")
    }
  }

  /// The paths of a mask, one parameter each, or nil without any.
  func mask(_ key: String) throws -> [FirestoreFieldPath]? {
    let paths = try query.filter { $0.name == key }.map { try FieldAccess.path($0.value ?? "") }
    return paths.isEmpty ? nil : paths
  }

  func mask(_ key: String) throws -> FirestoreMask? { try mask(key).map { FirestoreMask($0) } }

  func precondition() throws -> FirestorePrecondition? {
    if let exists = self["currentDocument.exists"] { return .exists(exists.lowercased() == "true") }
    guard let text = self["currentDocument.updateTime"] else { return nil }
    guard let time = FirestoreTimestamp(text) else {
      throw FirestoreError(.invalidArgument, "\"\(text)\" is not an RFC 3339 time")
    }
    return .updateTime(time)
  }
}
