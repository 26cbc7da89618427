import FirestoreProtocol
import Foundation
import Logging

/// Answers the requests of Firebase Storage's REST API v0, independent of any web server.
struct StorageHandler: Sendable {
  let files: FileStore
  /// Nil allows everything.
  let rules: AccessRules?
  let logger: Logger

  func answer(_ request: ServerRequest) async -> ServerAnswer {
    do {
      let call = try StorageCall(request)
      let identity: Identity = rules == nil ? .owner : try Identity(header: request.header("Authorization"))
      return try await answer(call, Access(rules: rules, identity: identity))
    } catch {
      let failure = RequestHandler.failure(error)
      if failure.status == .internal { logger.error("\(request.method) \(request.path): \(error)") }
      return ServerAnswer(failure, isStream: false)
    }
  }

  private func answer(_ call: StorageCall, _ access: Access) async throws -> ServerAnswer {
    if let id = call.uploadID { return try await continueUpload(id, call, access) }
    switch (call.method, call.name) {
    case ("POST", nil): return try await begin(call, access)
    case ("GET", let name?):
      let file = try await readable(name, call, access)
      guard call["alt"] == "media" else { return ServerAnswer(json: try RequestHandler.encoded(file)) }
      let (described, bytes) = try await files.contents(call.bucket, name)
      return ServerAnswer(body: bytes, contentType: described.contentType ?? "application/octet-stream")
    case ("DELETE", let name?):
      try access.checkFile(.write, name)
      try await files.delete(call.bucket, name)
      return ServerAnswer(code: 204)
    default: throw FirestoreError(.unimplemented, "\(call.method) of this path is not supported by this server")
    }
  }

  /// Returns the file if the user may read it or has its token.
  private func readable(_ name: String, _ call: StorageCall, _ access: Access) async throws -> RemoteFile {
    do {
      try access.checkFile(.read, name)
      return try await files.file(call.bucket, name)
    } catch let refusal as FirestoreError where refusal.status == .permissionDenied {
      guard let token = call["token"], let file = try? await files.file(call.bucket, name),
        file.downloadTokens == token
      else { throw refusal }
      return file
    }
  }

  // MARK: - Uploads

  private struct Description: Decodable {
    let name: String?
    let contentType: String?
  }

  private func begin(_ call: StorageCall, _ access: Access) async throws -> ServerAnswer {
    guard call.header("X-Goog-Upload-Protocol") == "resumable", call.commands == ["start"] else {
      throw FirestoreError(.unimplemented, "an upload is resumable, and begins with the command start")
    }
    let description: Description = try RequestHandler.decoded(call.body)
    guard let name = call["name"] ?? description.name, !name.isEmpty else {
      throw FirestoreError(.invalidArgument, "the upload has no name")
    }
    try access.checkFile(.write, name)
    let type = call.header("X-Goog-Upload-Header-Content-Type") ?? description.contentType
    let length: Int64? = try call.number("X-Goog-Upload-Header-Content-Length")
    let id = try await files.begin(
      call.bucket, name, contentType: type ?? "application/octet-stream", length: length)
    var answer = ServerAnswer(json: Data())
    answer.headers = [
      ("X-Goog-Upload-Status", "active"), ("X-Goog-Upload-Chunk-Granularity", String(256 * 1_024)),
      ("X-Goog-Upload-URL", call.uploadURL(id, name)),
    ]
    return answer
  }

  private func continueUpload(_ id: String, _ call: StorageCall, _ access: Access) async throws -> ServerAnswer {
    try access.checkFile(.write, try await files.name(ofUpload: id))
    switch call.commands {
    case ["query"]: return Self.answer(try await files.state(id))
    case ["cancel"]:
      try await files.cancel(id)
      return ServerAnswer(json: Data(), headers: [("X-Goog-Upload-Status", "cancelled")])
    case ["upload"], ["upload", "finalize"], ["finalize"]:
      if call.commands.contains("upload") {
        guard let offset: Int64 = try call.number("X-Goog-Upload-Offset") else {
          throw FirestoreError(.invalidArgument, "X-Goog-Upload-Offset is needed")
        }
        try await files.append(call.body, at: offset, to: id)
      }
      guard call.commands.contains("finalize") else { return Self.answer(try await files.state(id)) }
      let file = try await files.finish(id)
      return ServerAnswer(
        json: try RequestHandler.encoded(file), headers: [("X-Goog-Upload-Status", "final")])
    default:
      throw FirestoreError(.invalidArgument, "X-Goog-Upload-Command is upload, finalize, both, query or cancel")
    }
  }

  private static func answer(_ state: UploadState) -> ServerAnswer {
    var answer = ServerAnswer(json: Data())
    switch state {
    case .finished: answer.headers = [("X-Goog-Upload-Status", "final")]
    case .active(let received):
      answer.headers = [("X-Goog-Upload-Status", "active"), ("X-Goog-Upload-Size-Received", String(received))]
    }
    return answer
  }
}

/// A parsed request of Firebase Storage: `/v0/b/{bucket}/o/{name}`.
struct StorageCall {
  static let prefix = "/v0/b/"

  let method: String
  let bucket: String
  /// Nil if the path ends with `o`.
  let name: String?
  /// The commands of the header `X-Goog-Upload-Command`.
  let commands: [String]
  private let request: ServerRequest
  private let query: [URLQueryItem]

  /// - Throws: ``FirestoreError`` with status `notFound` for a path outside the API.
  init(_ request: ServerRequest) throws {
    let none = FirestoreError(.notFound, "there is no \(request.target) here")
    guard let url = URLComponents(string: request.target), url.percentEncodedPath.hasPrefix(Self.prefix) else {
      throw none
    }
    // A slash in a name is escaped and is not a separator.
    let parts = url.percentEncodedPath.dropFirst(Self.prefix.count).split(separator: "/", maxSplits: 2)
      .map { String($0).removingPercentEncoding }
    guard parts.count >= 2, parts[1] == "o", !parts.contains(nil), let bucket = parts[0] else { throw none }
    self.method = request.method
    self.bucket = bucket
    self.name = parts.count == 3 ? parts[2] : nil
    self.request = request
    self.query = url.queryItems ?? []
    self.commands = (request.header("X-Goog-Upload-Command") ?? "").split(separator: ",")
      .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
  }

  var body: Data { request.body }
  var uploadID: String? { self["upload_id"] }
  func header(_ name: String) -> String? { request.header(name) }
  subscript(key: String) -> String? { query.first { $0.name == key }?.value }

  /// A number of a header that is 0 or more, or nil without the header.
  /// - Throws: ``FirestoreError`` with status `invalidArgument`, which names the header.
  func number(_ name: String) throws -> Int64? {
    try header(name).map { try RequestHandler.number($0, in: 0...Int64.max, field: name) }
  }

  /// The URL that continues an upload.
  func uploadURL(_ id: String, _ name: String) -> String {
    var url = URLComponents()
    url.path = Self.prefix + bucket + "/o"
    url.queryItems = [
      URLQueryItem(name: "name", value: name), URLQueryItem(name: "upload_id", value: id),
      URLQueryItem(name: "upload_protocol", value: "resumable"),
    ]
    return "http://\(request.header("Host") ?? "localhost")\(url.string ?? "")"
  }
}
