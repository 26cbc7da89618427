import Foundation

#if Encryption
  import Crypto
#endif

/// The cryptography of encrypted columns. This is the only file that needs swift-crypto.
///
/// A package that depends on this one with `traits: []` builds without swift-crypto, which takes BoringSSL along. Encryption
/// then throws an error that names the trait.
struct Cipher: Sendable {
  private let bytes: Data

  /// - Parameter bytes: 32 bytes.
  init(bytes: Data) { self.bytes = bytes }

  #if Encryption
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
        message: "this build of SwiftData has no encryption; enable the trait \"Encryption\" of open-swiftdata in your"
          + " Package.swift")
    }
  #endif
}
