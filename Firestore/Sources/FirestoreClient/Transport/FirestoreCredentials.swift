public import AsyncHTTPClient
import Crypto
import CryptoExtras
import FirestoreProtocol
import Foundation
import NIOCore
import NIOFoundationCompat

/// The credentials of a client.
public protocol FirestoreCredentials: Sendable {
  /// The token for the header `Authorization: Bearer …`, or nil for none.
  /// - Throws: ``FirestoreError``.
  func token() async throws -> String?
}

/// A given token: of a signed-in user, or `owner` for an emulator, which then applies no rules.
public struct FixedToken: FirestoreCredentials, CustomStringConvertible, CustomReflectable {
  private let fixed: String?
  /// Makes credentials of a token, or of none.
  public init(_ token: String?) { fixed = token }
  /// The token.
  public func token() async throws -> String? { fixed }
  /// Whether there is a token. Does not reveal it.
  public var description: String { fixed == nil ? "no token" : "a token" }
  /// Whether there is a token. Does not reveal it.
  public var customMirror: Mirror { Mirror(self, children: ["token": description]) }
}

/// The key of a service account, a JSON file from Google's console.
///
/// It signs a request for an access token and caches the token until a minute before it expires. (Google's
/// documentation, "Using OAuth 2.0 for server to server applications".)
public actor ServiceAccount: FirestoreCredentials, CustomReflectable {
  private struct Key: Decodable {
    let client_email: String
    let private_key: String
    let private_key_id: String?
    let token_uri: String?
  }
  private struct Header: Encodable {
    let alg = "RS256"
    let typ = "JWT"
    let kid: String?
  }
  private struct Claims: Encodable {
    let iss: String
    let scope: String
    let aud: String
    let iat: Int
    let exp: Int
  }
  private struct Answer: Decodable {
    let access_token: String
    let expires_in: Double
  }

  private let key: Key
  private let client: HTTPClient
  private let now: @Sendable () -> Date
  private var current: (token: String, end: Date)?
  /// The pending token request, shared by concurrent callers.
  private var renewal: Task<String, any Error>?

  /// Reads a key.
  /// - Throws: ``FirestoreError`` with status `unauthenticated` if the data is not a key.
  public init(key: Data, client: HTTPClient? = nil, now: @escaping @Sendable () -> Date = { Date() }) throws {
    guard let key = try? JSONDecoder().decode(Key.self, from: key) else {
      throw FirestoreError(
        .unauthenticated, "this is not a service account key: client_email and private_key are missing")
    }
    self.key = key
    self.client = client ?? Exchange.connections
    self.now = now
  }

  /// The e-mail address of the account. Does not reveal the key.
  public nonisolated var customMirror: Mirror { Mirror(self, children: ["client_email": key.client_email]) }

  /// Returns a token that is valid for at least a minute.
  public func token() async throws -> String? {
    if let current, current.end > now() { return current.token }
    if let renewal { return try await renewal.value }
    let task = Task { try await renew() }
    renewal = task
    defer { renewal = nil }
    return try await task.value
  }

  /// A JSON Web Token (RFC 7519) with the signature RS256.
  private func signed(_ claims: Claims) throws -> String {
    let signer: _RSA.Signing.PrivateKey
    do {
      signer = try _RSA.Signing.PrivateKey(pemRepresentation: key.private_key)
    } catch {
      throw FirestoreError(.unauthenticated, "the private_key of the service account cannot be read")
    }
    do {
      let encoder = JSONEncoder()
      let parts = [try encoder.encode(Header(kid: key.private_key_id)), try encoder.encode(claims)]
      let text = parts.map(Self.base64URL).joined(separator: ".")
      let signature = try signer.signature(for: SHA256.hash(data: Data(text.utf8)), padding: .insecurePKCS1v1_5)
      return text + "." + Self.base64URL(signature.rawRepresentation)
    } catch {
      throw FirestoreError(.unauthenticated, "the private_key of the service account cannot sign")
    }
  }

  private static func base64URL(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  private func renew() async throws -> String {
    let uri = key.token_uri ?? "https://oauth2.googleapis.com/token"
    let start = now()
    let seconds = Int(start.timeIntervalSince1970)
    let claims = Claims(
      iss: key.client_email, scope: "https://www.googleapis.com/auth/datastore", aud: uri, iat: seconds,
      exp: seconds + 3_600)
    let assertion = try signed(claims)
    var request = HTTPClientRequest(url: uri)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
    // The characters of a signed token need no escaping.
    request.body = .bytes(
      ByteBuffer(string: "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"))
    let (status, _, body) = try await Exchange.answer(to: request, by: client, within: .seconds(30))
    guard status == 200, let answer = try? JSONDecoder().decode(Answer.self, from: body) else {
      throw FirestoreError(
        status >= 500 ? .unavailable : .unauthenticated, "\(uri) returned no token; it answered with code \(status)")
    }
    current = (answer.access_token, start.addingTimeInterval(answer.expires_in - 60))
    return answer.access_token
  }
}
