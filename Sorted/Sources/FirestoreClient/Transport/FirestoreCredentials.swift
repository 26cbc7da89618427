public import AsyncHTTPClient
import Foundation
import JWTKit
import NIOCore
import NIOFoundationCompat

/// Who asks.
public protocol FirestoreCredentials: Sendable {
  /// What goes into the header `Authorization: Bearer …`; nil sends none.
  /// - Throws: ``FirestoreError``.
  func token() async throws -> String?
}

/// A token that the caller has: of a user signed in elsewhere, or `owner` for an emulator, which then asks no rules.
public struct FixedToken: FirestoreCredentials, CustomStringConvertible, CustomReflectable {
  private let fixed: String?
  /// Nil sends none.
  public init(_ token: String?) { fixed = token }
  /// The token.
  public func token() async throws -> String? { fixed }
  /// Whether there is a token, and nothing of it.
  public var description: String { fixed == nil ? "no token" : "a token" }
  /// Whether there is a token, and nothing of it.
  public var customMirror: Mirror { Mirror(self, children: ["token": description]) }
}

/// The key of a service account, as Google's console gives it (a JSON file).
///
/// It signs a request for an access token, which is kept until a minute before it ends. (Google's documentation, "Using
/// OAuth 2.0 for server to server applications".)
public actor ServiceAccount: FirestoreCredentials, CustomReflectable {
  private struct Key: Decodable {
    let client_email: String
    let private_key: String
    let private_key_id: String?
    let token_uri: String?
  }
  private struct Claims: JWTPayload {
    let iss: String
    let scope: String
    let aud: String
    let iat: Int
    let exp: Int
    func verify(using algorithm: some JWTAlgorithm) async throws {}
  }
  private struct Answer: Decodable {
    let access_token: String
    let expires_in: Double
  }

  private let key: Key
  private let client: HTTPClient
  private let now: @Sendable () -> Date
  private var current: (token: String, end: Date)?
  /// One request at a time, however many ask.
  private var renewal: Task<String, any Error>?

  /// Reads a key.
  /// - Throws: ``FirestoreError`` with status `unauthenticated` for what is no key.
  public init(key: Data, client: HTTPClient? = nil, now: @escaping @Sendable () -> Date = { Date() }) throws {
    guard let key = try? JSONDecoder().decode(Key.self, from: key) else {
      throw FirestoreError(
        .unauthenticated, "this is no key of a service account: client_email and private_key are needed")
    }
    self.key = key
    self.client = client ?? Exchange.connections
    self.now = now
  }

  /// Whose it is, and nothing of the key.
  public nonisolated var customMirror: Mirror { Mirror(self, children: ["client_email": key.client_email]) }

  /// A token that is good for a minute at least.
  public func token() async throws -> String? {
    if let current, current.end > now() { return current.token }
    if let renewal { return try await renewal.value }
    let task = Task { try await renew() }
    renewal = task
    defer { renewal = nil }
    return try await task.value
  }

  private func renew() async throws -> String {
    let uri = key.token_uri ?? "https://oauth2.googleapis.com/token"
    let start = now()
    let keys = JWTKeyCollection()
    do {
      await keys.add(rsa: try Insecure.RSA.PrivateKey(pem: key.private_key), digestAlgorithm: .sha256)
    } catch {
      throw FirestoreError(.unauthenticated, "the private_key of the service account cannot be read")
    }
    let seconds = Int(start.timeIntervalSince1970)
    let claims = Claims(
      iss: key.client_email, scope: "https://www.googleapis.com/auth/datastore", aud: uri, iat: seconds,
      exp: seconds + 3_600)
    let assertion: String
    do {
      assertion = try await keys.sign(claims, header: key.private_key_id.map { ["kid": .string($0)] } ?? [:])
    } catch {
      throw FirestoreError(.unauthenticated, "the private_key of the service account cannot sign")
    }
    var request = HTTPClientRequest(url: uri)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
    // A signed token has only characters that need no escaping.
    request.body = .bytes(
      ByteBuffer(string: "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"))
    let (status, _, body) = try await Exchange.answer(to: request, by: client, within: .seconds(30))
    guard status == 200, let answer = try? JSONDecoder().decode(Answer.self, from: body) else {
      throw FirestoreError(
        status >= 500 ? .unavailable : .unauthenticated, "\(uri) gave no token; it answered with code \(status)")
    }
    current = (answer.access_token, start.addingTimeInterval(answer.expires_in - 60))
    return answer.access_token
  }
}
