public import AsyncHTTPClient
public import FirestoreProtocol
public import Foundation
public import NIOCore
import NIOHTTP1
import UntrustedInput

/// A bucket of Firebase Storage, over its REST API v0 with resumable uploads.
///
/// With `FIREBASE_STORAGE_EMULATOR_HOST` (host:port) in the environment it connects to an emulator, or to `sorted
/// firestore`, without encryption and as its owner. It never retries.
///
/// It uses the protocol of Google's Firebase clients (headers `X-Goog-Upload-…`). Google documents it for Google Photos
/// ("Resumable uploads").
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
  ///   - baseURL: nil reads the environment, and defaults to Google's.
  ///   - credentials: a user's ID token. Nil sends `owner` to an emulator from the environment, and nothing otherwise.
  ///   - client: nil uses the shared connections.
  ///   - timeout: the timeout of each request, including the transfer of a chunk.
  public init(
    bucket: String, baseURL: String? = nil, credentials: (any FirestoreCredentials)? = nil,
    client: HTTPClient? = nil, timeout: TimeAmount = .seconds(60),
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.bucket = bucket
    let emulator = environment["FIREBASE_STORAGE_EMULATOR_HOST"].flatMap { $0.isEmpty ? nil : "http://\($0)" }
    base = baseURL ?? emulator ?? "https://firebasestorage.googleapis.com"
    let isEmulator = baseURL == nil && emulator != nil
    // Firebase uses its own scheme for user tokens. Emulators recognize their owner by the usual one.
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

  /// Begins an upload. Its name is its path and query on the server.
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
      throw FirestoreError(.internal, "\(base) began an upload without a URL to continue at")
    }
    // Without the host, so that credentials never go to another host and an emulator may restart on another port.
    return url.percentEncodedPath + (url.percentEncodedQuery.map { "?" + $0 } ?? "")
  }

  /// Returns the state of an upload.
  public func state(ofUpload upload: String) async throws -> UploadState {
    let (answer, _) = try await send(.POST, upload, [("X-Goog-Upload-Command", "query")], Data())
    switch answer.first(name: "X-Goog-Upload-Status") {
    case "final": return .finished
    case "active":
      if let text = answer.first(name: "X-Goog-Upload-Size-Received") {
        do throws(UntrustedInputError) {
          let received = try Untrusted<Int64>(text: text, field: "X-Goog-Upload-Size-Received")
          // Half of all numbers leaves room for a chunk behind any offset.
          return .active(received: try received.inRange(0...Int64.max / 2, field: "X-Goog-Upload-Size-Received"))
        } catch {
          throw FirestoreError(.internal, "\(base) sent an upload's offset that cannot be: \(error)")
        }
      }
    case "cancelled": throw FirestoreError(.notFound, "the upload was cancelled")
    default: break
    }
    throw FirestoreError(.internal, "\(base) did not return the upload's offset")
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

  /// Cancels an upload.
  public func cancelUpload(_ upload: String) async throws {
    do {
      _ = try await send(.POST, upload, [("X-Goog-Upload-Command", "cancel")], Data())
    } catch let error as FirestoreError where error.status == .notFound {
      return
    }
  }

  // MARK: - Files

  /// Returns the metadata of a file.
  public func file(_ name: String) async throws -> RemoteFile {
    let (_, body) = try await send(.GET, path(name), [], nil)
    do {
      return try JSONDecoder().decode(RemoteFile.self, from: body)
    } catch {
      throw FirestoreError(.internal, "the answer of \(base) about \(name) cannot be decoded: \(error)")
    }
  }

  /// Returns the contents of a file.
  public func contents(of name: String) async throws -> Data {
    try await send(.GET, path(name) + "?alt=media", [], nil).1
  }

  /// Deletes a file.
  public func delete(_ name: String) async throws { _ = try await send(.DELETE, path(name), [], nil) }

  /// The public URL of a file.
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
