import Foundation
import JWTKit
import SyncProtocol

/// The keys that tokens are signed with (HS256). The last one signs; all verify, so that keys can be rotated.
public struct TokenKeys: Sendable {
  private let keys: JWTKeyCollection
  private let newest: JWKIdentifier

  struct Payload: JWTPayload {
    var sub: SubjectClaim
    var exp: ExpirationClaim

    func verify(using algorithm: some JWTAlgorithm) async throws { try exp.verifyNotExpired() }
  }

  /// - Parameter secrets: secrets of at least 32 bytes by the names of their keys; the last one signs.
  /// - Throws: ``SyncFailure`` if there is no secret, or a secret is too short.
  public init(_ secrets: [(name: String, secret: String)]) async throws {
    guard let last = secrets.last else { throw SyncFailure(.invalid, "the server needs a key to verify tokens with") }
    keys = JWTKeyCollection()
    for (name, secret) in secrets {
      guard secret.utf8.count >= 32 else {
        throw SyncFailure(
          .invalid, "the key \(name) is too short; use at least 32 bytes, as openssl rand -hex 32 prints")
      }
      await keys.add(
        hmac: HMACKey(from: Data(secret.utf8)), digestAlgorithm: .sha256,
        kid: JWKIdentifier(string: name))
    }
    newest = JWKIdentifier(string: last.name)
  }

  /// Reads a file with a key on each line: a name, a blank, and the secret.
  /// - Throws: ``SyncFailure`` if the file cannot be read or a line has another form.
  public init(file: String) async throws {
    let text: String
    do {
      text = try String(contentsOfFile: file, encoding: .utf8)
    } catch {
      throw SyncFailure(
        .invalid,
        "the file of keys \(file) cannot be read (\(error.localizedDescription)); write a name, a blank and a secret of at"
          + " least 32 bytes into it, as openssl rand -hex 32 prints")
    }
    let secrets = try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let parts = line.split(separator: " ")
      guard parts.count == 2 else {
        throw SyncFailure(.invalid, "a line of \(file) is not a name, a blank and a secret")
      }
      return (name: String(parts[0]), secret: String(parts[1]))
    }
    try await self.init(secrets)
  }

  /// Whether a text can be the name of an account: 1 to 128 bytes of UTF-8, and no slash.
  public static func isAccount(_ text: String) -> Bool { ZoneStore.isName(text, 1...128) && !text.contains("/") }

  /// A token of an account.
  /// - Throws: an error of the signature.
  public func token(for account: String, seconds: Double) async throws -> String {
    try await keys.sign(
      Payload(sub: .init(value: account), exp: .init(value: Date().addingTimeInterval(seconds))), kid: newest)
  }

  /// The account of a token.
  /// - Throws: ``SyncFailure`` with the code `unauthorized`.
  func account(_ authorization: String?) async throws -> String {
    guard let authorization, authorization.hasPrefix("Bearer ") else {
      throw SyncFailure(.unauthorized, "the request has no token; send it in the header Authorization: Bearer …")
    }
    do {
      let payload = try await keys.verify(String(authorization.dropFirst("Bearer ".count)), as: Payload.self)
      let account = payload.sub.value
      guard Self.isAccount(account) else {
        throw SyncFailure(.unauthorized, "the token names no account")
      }
      return account
    } catch let failure as SyncFailure {
      throw failure
    } catch {
      throw SyncFailure(
        .unauthorized, "the token is expired, or not one of this server; swiftdata sync-token makes a new one")
    }
  }
}
