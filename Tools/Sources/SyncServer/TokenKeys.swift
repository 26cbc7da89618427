import Foundation
import JWTKit
import SyncProtocol

/// The keys that sign and verify tokens (JWT with HS256). The last key signs, and all keys verify, so keys can be rotated.
public struct TokenKeys: Sendable {
  private let keys: JWTKeyCollection
  private let newest: JWKIdentifier

  struct Payload: JWTPayload {
    var sub: SubjectClaim
    var exp: ExpirationClaim

    func verify(using algorithm: some JWTAlgorithm) async throws { try exp.verifyNotExpired() }
  }

  /// Makes the keys from their names and secrets.
  /// - Parameter secrets: the name and the secret of each key. A secret has at least 32 bytes.
  /// - Throws: ``SyncFailure`` if there is no key, or if a secret is too short.
  public init(_ secrets: [(name: String, secret: String)]) async throws {
    guard let last = secrets.last else {
      throw SyncFailure(
        .invalid, "the server has no key to verify tokens; add a key with a secret of at least 32 bytes")
    }
    keys = JWTKeyCollection()
    for (name, secret) in secrets {
      guard secret.utf8.count >= 32 else {
        throw SyncFailure(
          .invalid,
          "the secret of the key \(name) is too short; use at least 32 bytes, for example the output of openssl rand -hex 32"
        )
      }
      await keys.add(
        hmac: HMACKey(from: Data(secret.utf8)), digestAlgorithm: .sha256,
        kid: JWKIdentifier(string: name))
    }
    newest = JWKIdentifier(string: last.name)
  }

  /// Reads a file with one key on each line: a name, a space and the secret.
  /// - Throws: ``SyncFailure`` if the file cannot be read or a line has another form.
  public init(file: String) async throws {
    let text: String
    do {
      text = try String(contentsOfFile: file, encoding: .utf8)
    } catch {
      throw SyncFailure(
        .invalid,
        "the file of keys \(file) cannot be read (\(error.localizedDescription)); write a name, a space and a secret of at"
          + " least 32 bytes into it, for example the output of openssl rand -hex 32")
    }
    let secrets = try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let parts = line.split(separator: " ")
      guard parts.count == 2 else {
        throw SyncFailure(
          .invalid, "a line of the file of keys \(file) is not a name, a space and a secret; correct the line")
      }
      return (name: String(parts[0]), secret: String(parts[1]))
    }
    try await self.init(secrets)
  }

  /// Returns whether a text can be the name of an account: 1 to 128 bytes of UTF-8 without a slash.
  public static func isAccount(_ text: String) -> Bool { ZoneStore.isValidText(text, 1...128) && !text.contains("/") }

  /// Returns a signed token for an account.
  /// - Parameter seconds: the time until the token expires.
  /// - Throws: an error of the signature.
  public func token(for account: String, seconds: Double) async throws -> String {
    try await keys.sign(
      Payload(sub: .init(value: account), exp: .init(value: Date().addingTimeInterval(seconds))), kid: newest)
  }

  /// Verifies the token in the header `Authorization` and returns its account.
  /// - Throws: ``SyncFailure`` with the code `unauthorized`.
  func account(_ authorization: String?) async throws -> String {
    guard let authorization, authorization.hasPrefix("Bearer ") else {
      throw SyncFailure(.unauthorized, "the request has no token; send it in the header Authorization: Bearer …")
    }
    do {
      let payload = try await keys.verify(String(authorization.dropFirst("Bearer ".count)), as: Payload.self)
      let account = payload.sub.value
      guard Self.isAccount(account) else {
        throw SyncFailure(
          .unauthorized, "the token names no valid account; swiftdata sync-token makes a token for an account")
      }
      return account
    } catch let failure as SyncFailure {
      throw failure
    } catch {
      throw SyncFailure(
        .unauthorized,
        "the token has expired, or no key of this server signed it; swiftdata sync-token makes a new token")
    }
  }
}
