import Crypto
import CryptoExtras
import Foundation

/// A password that cannot be read back: scrypt with a salt of its own, as RFC 7914 has it.
struct PasswordHash {
  /// 32 MiB and about a tenth of a second for each guess.
  static let rounds = 1 << 15
  private static let blockSize = 8
  private static let maximumMemory = 64 << 20

  /// `scrypt$rounds$blockSize$salt$key`, so that accounts outlive a change of the cost.
  let text: String

  /// Hashes a password.
  init(of password: String, rounds: Int = rounds) throws {
    let salt = Self.random(.bits128)
    self.init(try Self.derive(password, salt: salt, rounds: rounds, blockSize: Self.blockSize), salt, rounds)
  }

  private init(_ key: Data, _ salt: Data, _ rounds: Int) {
    text = "scrypt$\(rounds)$\(Self.blockSize)$\(salt.base64EncodedString())$\(key.base64EncodedString())"
  }

  /// A hash that no known password has. It takes as long to compare with as one of a password.
  static func ofNoPassword(rounds: Int) -> PasswordHash {
    PasswordHash(random(.bits256), random(.bits128), rounds)
  }

  private static func random(_ size: SymmetricKeySize) -> Data { SymmetricKey(size: size).withUnsafeBytes { Data($0) } }

  /// Whether a password is the one that was hashed; no where the text is no hash.
  static func matches(_ password: String, _ text: String) throws -> Bool {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0] == "scrypt", let rounds = Int(parts[1]), let blockSize = Int(parts[2]),
      let salt = Data(base64Encoded: String(parts[3])), let key = Data(base64Encoded: String(parts[4]))
    else { return false }
    return Secret.isEqual(try derive(password, salt: salt, rounds: rounds, blockSize: blockSize), key)
  }

  private static func derive(_ password: String, salt: Data, rounds: Int, blockSize: Int) throws -> Data {
    // The same letters typed on another keyboard are the same password.
    let bytes = Data(password.precomposedStringWithCanonicalMapping.utf8)
    let key = try KDF.Scrypt.deriveKey(
      from: bytes, salt: salt, outputByteCount: 32, rounds: rounds, blockSize: blockSize, parallelism: 1,
      maxMemory: maximumMemory)
    return key.withUnsafeBytes { Data($0) }
  }
}
