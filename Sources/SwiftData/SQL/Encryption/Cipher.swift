import Foundation

#if Encryption || Sync
  import Crypto
#endif

/// The cryptography of encrypted columns. This is the only file that needs swift-crypto.
///
/// Without the package traits `Encryption` and `Sync` it builds without swift-crypto. Then a program cannot make a key, so nothing calls
/// the cipher.
struct Cipher: Sendable {
  private let bytes: Data

  /// - Parameter bytes: 32 bytes.
  init(bytes: Data) { self.bytes = bytes }

  #if Encryption || Sync
    private var key: SymmetricKey { SymmetricKey(data: bytes) }

    /// Eight bytes that name a key and tell nothing about it.
    var identifier: [UInt8] {
      Array(HMAC<SHA256>.authenticationCode(for: Data("SwiftData key identifier".utf8), using: key).prefix(8))
    }

    /// AES-GCM's nonce, text and tag. The nonce is new for each value.
    func encrypt(_ text: Data, authenticating context: [UInt8]) throws -> Data {
      // `combined` is nil only for a nonce of another size than the default.
      try AES.GCM.seal(text, using: key, authenticating: context).combined!
    }

    func decrypt(_ text: Data, authenticating context: [UInt8]) throws -> Data {
      try AES.GCM.open(AES.GCM.SealedBox(combined: text), using: key, authenticating: context)
    }
  #else
    var identifier: [UInt8] { Array(repeating: 0, count: 8) }

    func encrypt(_ text: Data, authenticating context: [UInt8]) throws -> Data { throw Self.missing }

    func decrypt(_ text: Data, authenticating context: [UInt8]) throws -> Data { throw Self.missing }

    private static var missing: SwiftDataError {
      SwiftDataError(
        .encryptionKey,
        message:
          "encryption needs the trait Encryption of the package: .package(url: …, from: …, traits: [\"Encryption\"])")
    }
  #endif
}
