import Crypto
import Foundation

/// A random text that cannot be guessed.
enum Secret {
  /// 256 random bits, fit for a cookie and an address.
  static func random() -> String { SymmetricKey(size: .bits256).withUnsafeBytes { Slug.encode(Data($0)) } }

  /// What is kept of a secret.
  static func digest(_ secret: String) -> String { Slug.encode(Data(SHA256.hash(data: Data(secret.utf8)))) }

  /// What the forms of a session carry: only who knows the cookie can compute it.
  static func formToken(of cookie: String) -> String {
    let key = SymmetricKey(data: Data(cookie.utf8))
    return Slug.encode(Data(HMAC<SHA256>.authenticationCode(for: Data("form".utf8), using: key)))
  }

  /// A code for a text that only who knows the secret can compute.
  static func code(_ text: String, _ secret: String) -> String {
    let key = SymmetricKey(data: Data(secret.utf8))
    return Slug.encode(Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)))
  }

  /// Compares in a time that does not tell how much of them is the same.
  static func isEqual(_ left: some DataProtocol, _ right: some DataProtocol) -> Bool {
    let key = SymmetricKey(size: .bits256)
    let code = HMAC<SHA256>.authenticationCode(for: left, using: key)
    return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: right, using: key)
  }

  static func isEqual(_ left: String, _ right: String) -> Bool { isEqual(Data(left.utf8), Data(right.utf8)) }
}
