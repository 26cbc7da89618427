public import AsyncHTTPClient
public import Foundation
public import NIOCore
import NIOHTTP1

/// A bucket of Firebase Storage, over its REST API v0 and its resumable uploads.
///
/// With `FIREBASE_STORAGE_EMULATOR_HOST` (host:port) in the environment it speaks to an emulator, or to
/// `sorted firestore`, without encryption and as its owner. It retries nothing by itself.
///
/// The protocol is the one that Google's own clients for Firebase speak (headers `X-Goog-Upload-…`); Google documents it
/// for Google Photos ("Resumable uploads").
public struct FirebaseStorage: RemoteStorage {
  /// The bucket, such as `project.appspot.com`.
  public let bucket: String
  private let base: String
  private let scheme: String
  private let credentials: any FirestoreCredentials
  private let client: HTTPClient
  private let timeout: TimeAmount

  /// Makes a client of a bucket.
  /// - Parameters:
  ///   - baseURL: nil looks into the environment and then takes Google's.
  ///   - credentials: of a user's ID token; nil sends `owner` where the environment names an emulator, and nothing
  ///     otherwise.
  ///   - client: nil shares the connections of all clients that are given none.
  ///   - timeout: for each request, also for the time that a chunk takes.
  public init(
    bucket: String, baseURL: String? = nil, credentials: (any FirestoreCredentials)? = nil,
    client: HTTPClient? = nil, timeout: TimeAmount = .seconds(60),
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.bucket = bucket
    let emulator = environment["FIREBASE_STORAGE_EMULATOR_HOST"].flatMap { $0.isEmpty ? nil : "http://\($0)" }
    base = baseURL ?? emulator ?? "https://firebasestorage.googleapis.com"
    let isEmulator = baseURL == nil && emulator != nil
    // Firebase's own name for a user's token; emulators know their owner by the usual one.
    scheme = credentials == nil ? "Bearer" : "Firebase"
    self.credentials = credentials ?? FixedToken(isEmulator ? "owner" : nil)
    self.client = client ?? Exchange.connections
    self.timeout = timeout
  }

  // MARK: - Uploads

  private struct Description: Encodable {
    let name: String
    let contentType: String
  }

  /// Begins an upload; the name of the upload is its path and query on the server.
  public func beginUpload(_ name: String, contentType: String, length: Int64) async throws -> String {
    let body = Data(try JSONEncoder().encode(Description(name: name, contentType: contentType)))
    let target = "/v0/b/\(Percent.escaped(bucket))/o?name=\(Percent.escaped(name, keepsSlashes: false))"
    let headers = [
      ("X-Goog-Upload-Protocol", "resumable"), ("X-Goog-Upload-Command", "start"),
      ("X-Goog-Upload-Header-Content-Length", String(length)),
      ("X-Goog-Upload-Header-Content-Type", contentType), ("Content-Type", "application/json; charset=utf-8"),
    ]
    let (answer, _) = try await send(.POST, target, headers, body)
    guard let text = answer.first(name: "X-Goog-Upload-URL"), let url = URLComponents(string: text) else {
      throw FirestoreError(.internal, "\(base) began an upload and did not say where it goes on")
    }
    // Without the host: credentials go to no other one, and an emulator may come back at another port.
    return url.percentEncodedPath + (url.percentEncodedQuery.map { "?" + $0 } ?? "")
  }

  /// How far an upload has come.
  public func state(ofUpload upload: String) async throws -> UploadState {
    let (answer, _) = try await send(.POST, upload, [("X-Goog-Upload-Command", "query")], Data())
    switch answer.first(name: "X-Goog-Upload-Status") {
    case "final": return .finished
    case "active":
      if let received = answer.first(name: "X-Goog-Upload-Size-Received").flatMap({ Int64($0) }) {
        return .active(received: received)
      }
    case "cancelled": throw FirestoreError(.notFound, "the upload was given up")
    default: break
    }
    throw FirestoreError(.internal, "\(base) does not say how far the upload has come")
  }

  /// Sends a chunk.
  public func send(
    _ chunk: Data, at offset: Int64, isLast: Bool, toUpload upload: String
  ) async throws -> UploadState {
    let headers = [
      ("X-Goog-Upload-Command", isLast ? "upload, finalize" : "upload"), ("X-Goog-Upload-Offset", String(offset)),
    ]
    let (answer, _) = try await send(.POST, upload, headers, chunk)
    let isFinished = answer.first(name: "X-Goog-Upload-Status") == "final"
    return isFinished ? .finished : .active(received: offset + Int64(chunk.count))
  }

  /// Gives an upload up.
  public func cancelUpload(_ upload: String) async throws {
    do {
      _ = try await send(.POST, upload, [("X-Goog-Upload-Command", "cancel")], Data())
    } catch let error as FirestoreError where error.status == .notFound {
      return
    }
  }

  // MARK: - Files

  /// What is known of a file.
  public func file(_ name: String) async throws -> RemoteFile {
    let (_, body) = try await send(.GET, path(name), [], nil)
    do {
      return try JSONDecoder().decode(RemoteFile.self, from: body)
    } catch {
      throw FirestoreError(.internal, "what \(base) says of \(name) cannot be read: \(error)")
    }
  }

  /// The bytes of a file.
  public func contents(of name: String) async throws -> Data {
    try await send(.GET, path(name) + "?alt=media", [], nil).1
  }

  /// Deletes a file.
  public func delete(_ name: String) async throws { _ = try await send(.DELETE, path(name), [], nil) }

  /// Where anybody who has it can read a file.
  public func downloadURL(of file: RemoteFile) -> String? {
    file.downloadTokens?.split(separator: ",").first.map { "\(base)\(path(file.name))?alt=media&token=\($0)" }
  }

  private func path(_ name: String) -> String {
    "/v0/b/\(Percent.escaped(bucket))/o/\(Percent.escaped(name, keepsSlashes: false))"
  }

  private func send(
    _ method: HTTPMethod, _ target: String, _ headers: [(String, String)], _ body: Data?
  ) async throws -> (HTTPHeaders, Data) {
    var request = HTTPClientRequest(url: base + target)
    request.method = method
    headers.forEach { request.headers.add(name: $0.0, value: $0.1) }
    if let token = try await credentials.token() {
      request.headers.add(name: "Authorization", value: "\(scheme) \(token)")
    }
    if let body { request.body = .bytes(body) }
    let (status, answer, data) = try await Exchange.answer(to: request, by: client, within: timeout)
    guard (200..<300).contains(status) else { throw FirestoreError(httpCode: status, body: data) }
    return (answer, data)
  }
}
