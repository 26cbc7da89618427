public import Foundation

extension ModelConfiguration {
  /// A key that encrypts the `.allowsCloudEncryption` attributes of a store. (Not Apple's.)
  ///
  ///     var configuration = ModelConfiguration(url: url)
  ///     configuration.encryptionKey = try ModelConfiguration.EncryptionKey(bytesFromTheKeychain)
  ///
  /// The library never stores the key. If you lose the key, you lose the values. No description contains its bytes.
  public struct EncryptionKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
  {
    private let bytes: Data
    /// The name of the key, which reveals nothing about it: 16 hexadecimal digits, stored with the values.
    public let identifier: String

    #if Encryption || Sync
      /// Makes a key.
      /// - Parameter bytes: 32 random bytes. For a password, derive a key first (scrypt, Argon2).
      /// - Throws: ``SwiftDataError/encryptionKey`` for any other number of bytes.
      public init(_ bytes: some DataProtocol) throws {
        guard bytes.count == 32 else {
          throw SwiftDataError(
            .encryptionKey,
            message: "an encryption key has 32 bytes, not \(bytes.count); EncryptionKey.random() makes one")
        }
        self.init(checked: Data(bytes))
      }

      /// Makes a key from the system's random number generator.
      public static func random() -> ModelConfiguration.EncryptionKey {
        ModelConfiguration.EncryptionKey(checked: Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }))
      }
    #else
      /// Makes a key. Needs the package trait `Encryption`.
      @available(
        *, unavailable,
        message:
          "encryption needs the trait Encryption of the package: .package(url: …, from: …, traits: [\"Encryption\"])"
      )
      public init(_ bytes: some DataProtocol) throws { self.init(checked: Data(bytes)) }

      /// Makes a key. Needs the package trait `Encryption`.
      @available(
        *, unavailable,
        message:
          "encryption needs the trait Encryption of the package: .package(url: …, from: …, traits: [\"Encryption\"])"
      )
      public static func random() -> ModelConfiguration.EncryptionKey {
        ModelConfiguration.EncryptionKey(checked: Data())
      }
    #endif

    private init(checked bytes: Data) {
      self.bytes = bytes
      identifier = Cipher(bytes: bytes).identifier.hexDigits
    }

    /// Passes the bytes to code that stores them, such as a keychain.
    public func withBytes<T>(_ body: (Data) throws -> T) rethrows -> T { try body(bytes) }

    /// The identifier.
    public var description: String { "EncryptionKey(\(identifier))" }
    /// The identifier.
    public var debugDescription: String { description }
    /// The identifier.
    public var customMirror: Mirror { Mirror(self, children: ["identifier": identifier]) }

    var ringKey: KeyRing.Key { KeyRing.Key(identifier: identifier, cipher: Cipher(bytes: bytes)) }
  }
}
