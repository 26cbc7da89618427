#if Sync
import Crypto
import Foundation
import SyncCore
import SyncProtocol

/// Values that only the participants of a zone can read.
enum Sealing {
  /// Where a value belongs: it cannot be moved to another record or property.
  static func place(_ record: RecordName, _ property: String) -> Data { Data("\(record.text)/\(property)".utf8) }
}

/// A key that encrypts values with AES-GCM and a random nonce.
///
/// Its encrypted values begin with ``identifier``, so that a reader with several keys knows which one to take.
struct ZoneKey {
  let key: SymmetricKey
  /// Eight bytes that follow from the key and do not tell it.
  let identifier: Data

  init(_ key: SymmetricKey) {
    self.key = key
    let code = HMAC<SHA256>.authenticationCode(for: Data("SwiftDataSync key identifier".utf8), using: key)
    identifier = Data(Data(code).prefix(8))
  }

  init(_ bytes: Data) { self.init(SymmetricKey(data: bytes)) }

  /// The key of a zone that belongs to one account: all its devices make the same of its secret.
  init(secret: String, zone: String) {
    self.init(Keyring.derive("SwiftDataSync zone \(zone)", from: secret))
  }

  var bytes: Data { key.withUnsafeBytes { Data($0) } }

  func seal(_ value: RegisterValue, _ place: Data) throws -> Data { try encrypt(value.encoded, place) }

  func open(_ sealed: Data, _ place: Data) throws -> RegisterValue {
    try RegisterValue(encoded: decrypt(sealed, place))
  }

  func encrypt(_ plain: Data, _ place: Data) throws -> Data {
    guard let sealed = try AES.GCM.seal(plain, using: key, authenticating: place).combined else {
      throw ReplicaError(description: "a value cannot be encrypted")
    }
    return identifier + sealed
  }

  func decrypt(_ sealed: Data, _ place: Data) throws -> Data {
    guard sealed.starts(with: identifier) else {
      throw ReplicaError(description: "the value is encrypted with another key")
    }
    return try AES.GCM.open(
      try AES.GCM.SealedBox(combined: sealed.dropFirst(identifier.count)), using: key, authenticating: place)
  }
}

/// The keys of an account: what its secret gives, and the keys of shares.
struct Keyring {
  /// Encrypts what is in the private zone.
  let own: ZoneKey
  /// Unwraps the keys of shares that were wrapped for the account.
  let account: Curve25519.KeyAgreement.PrivateKey
  /// The keys of shares by zone, of all generations, the oldest first.
  private(set) var shares: [String: [ZoneKey]] = [:]
  private var all: [Data: ZoneKey] = [:]

  init(secret: String) {
    own = ZoneKey(secret: secret, zone: "private")
    let seed = Self.derive("SwiftDataSync account", from: secret).withUnsafeBytes { Data($0) }
    // Every 32 bytes are a private key of X25519.
    account = (try? .init(rawRepresentation: seed)) ?? .init()
    all[own.identifier] = own
  }

  fileprivate static func derive(_ purpose: String, from secret: String) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: Data(secret.utf8)), info: Data(purpose.utf8), outputByteCount: 32)
  }

  mutating func set(_ shares: [String: [Data]]) {
    self.shares = shares.mapValues { $0.map(ZoneKey.init) }
    all = [own.identifier: own]
    for key in self.shares.values.joined() { all[key.identifier] = key }
  }

  /// The key that encrypts new values of a zone; nil for a share whose key did not arrive yet.
  func newest(_ zone: ZoneName) -> ZoneKey? { zone.isShare ? shares[zone.text]?.last : own }

  /// - Throws: an error if the keyring has no key for the value, or the value was not encrypted for this place.
  func open(_ sealed: Data, _ place: Data) throws -> RegisterValue {
    guard let key = all[sealed.prefix(8)] else {
      throw ReplicaError(description: "the value is encrypted with a key that this account does not have")
    }
    let value = try key.open(sealed, place)
    switch value {
    case .sealed, .asset, .reference:
      // No program encrypts these. A participant could have every other device fetch what is not there, or open values without end.
      throw ReplicaError(description: "an encrypted value has a content that no program writes")
    case .null, .integer, .real, .text, .data: return value
    }
  }
}

// MARK: - Wrapping

/// Wraps the key of a zone for an account (HPKE with X25519, authenticated by the key of the account that wraps it).
enum KeyWrapping {
  private static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly

  private static func purpose(_ zone: String, _ generation: Int) -> Data {
    Data("SwiftDataSync key \(generation) of \(zone)".utf8)
  }

  static func wrap(
    _ key: ZoneKey, zone: String, generation: Int, for recipient: Data, by sender: Curve25519.KeyAgreement.PrivateKey
  ) throws -> Data {
    var hpke = try HPKE.Sender(
      recipientKey: try Curve25519.KeyAgreement.PublicKey(rawRepresentation: recipient), ciphersuite: suite,
      info: purpose(zone, generation), authenticatedBy: sender)
    return hpke.encapsulatedKey + (try hpke.seal(key.bytes))
  }

  static func unwrap(
    _ wrapped: Data, zone: String, generation: Int, by sender: Data, for account: Curve25519.KeyAgreement.PrivateKey
  ) throws -> ZoneKey {
    guard wrapped.count > 32 else { throw ReplicaError(description: "the wrapped key is damaged") }
    var hpke = try HPKE.Recipient(
      privateKey: account, ciphersuite: suite, info: purpose(zone, generation),
      encapsulatedKey: Data(wrapped.prefix(32)),
      authenticatedBy: try Curve25519.KeyAgreement.PublicKey(rawRepresentation: sender))
    return ZoneKey(try hpke.open(Data(wrapped.dropFirst(32))))
  }

  /// The place of the key of a generation, encrypted with the key that followed it.
  static func place(_ zone: String, _ generation: Int) -> Data { Data("\(zone)/\(generation)".utf8) }
}

/// The part of a link after `#`, which the client does not send to the server.
struct LinkKey {
  let generation: Int
  let key: ZoneKey
  let ownerKey: Data

  init(generation: Int, key: ZoneKey, ownerKey: Data) {
    (self.generation, self.key, self.ownerKey) = (generation, key, ownerKey)
  }

  /// Reads ``text``; nil for anything else.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let generation = Int(parts[0]), generation > 0, let key = Self.bytes(parts[1]),
      let ownerKey = Self.bytes(parts[2])
    else { return nil }
    self.init(generation: generation, key: ZoneKey(key), ownerKey: ownerKey)
  }

  var text: String { "\(generation).\(Self.text(key.bytes)).\(Self.text(ownerKey))" }

  private static func text(_ bytes: Data) -> String {
    bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  private static func bytes(_ text: some StringProtocol) -> Data? {
    let base64 = String(text).replacing("-", with: "+").replacing("_", with: "/")
    guard let data = Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)),
      data.count == AccountKey.size
    else { return nil }
    return data
  }
}

/// A text that people compare to find out whether a server handed out a false key.
enum Fingerprint {
  /// Six groups of five digits.
  static func text(of key: Data) -> String {
    let hash = Array(SHA256.hash(data: Data("SwiftDataSync fingerprint".utf8) + key))
    return (0..<6).map { group in
      let value = hash[group * 4..<group * 4 + 4].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 100_000
      return String(repeating: "0", count: 5 - String(value).count) + String(value)
    }.joined(separator: " ")
  }
}
#endif
