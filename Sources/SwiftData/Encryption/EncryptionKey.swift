import Crypto
public import Foundation

extension ModelConfiguration {
  /// A key that encrypts the `.allowsCloudEncryption` attributes of a store. (Not Apple's.)
  ///
  ///     var configuration = ModelConfiguration(url: url)
  ///     configuration.encryptionKey = try ModelConfiguration.EncryptionKey(bytesFromTheKeychain)
  ///
  /// The key itself is nowhere stored; whoever loses it loses the values. Its bytes appear in no description.
  public struct EncryptionKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
  {
    private let bytes: Data
    /// Names the key without telling anything of it: 16 hexadecimal digits, which the store keeps beside the values.
    public let identifier: String

    /// - Parameter bytes: 32 random bytes. A password is none: derive a key from it first (scrypt, Argon2).
    /// - Throws: ``SwiftDataError/encryptionKey`` for another number of bytes.
    public init(_ bytes: some DataProtocol) throws {
      guard bytes.count == 32 else {
        throw SwiftDataError(.encryptionKey, message: "a key has 32 bytes, and these are \(bytes.count)")
      }
      self.init(checked: Data(bytes))
    }

    private init(checked bytes: Data) {
      self.bytes = bytes
      let digest = HMAC<SHA256>.authenticationCode(
        for: Data("SwiftData key identifier".utf8), using: SymmetricKey(data: bytes))
      identifier = digest.prefix(8).map { byte in String(byte, radix: 16).leftPadded }.joined()
    }

    /// A new key from the system's random numbers.
    public static func random() -> ModelConfiguration.EncryptionKey {
      ModelConfiguration.EncryptionKey(checked: SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) })
    }

    /// Hands the bytes to whoever keeps them, a keychain for example.
    public func withBytes<T>(_ body: (Data) throws -> T) rethrows -> T { try body(bytes) }

    /// The identifier alone.
    public var description: String { "EncryptionKey(\(identifier))" }
    /// The identifier alone.
    public var debugDescription: String { description }
    /// The identifier alone.
    public var customMirror: Mirror { Mirror(self, children: ["identifier": identifier]) }

    var symmetric: SymmetricKey { SymmetricKey(data: bytes) }
  }
}

extension String {
  fileprivate var leftPadded: String { count < 2 ? "0" + self : self }
}
