import Crypto
import Foundation
import SyncProtocol

/// Encrypts and decrypts with the key of a zone.
protocol Sealer {
  func seal(_ plain: Data, authenticating place: Data) throws -> Data
  func open(_ sealed: Data, authenticating place: Data) throws -> Data
}

/// Values that only the participants of a zone can read.
enum Sealing {
  /// Where a value belongs: it cannot be moved to another record or property.
  static func place(_ record: RecordName, _ property: String) -> Data { Data("\(record.text)/\(property)".utf8) }

  static func seal(_ value: FieldValue, _ place: Data, _ sealer: any Sealer) throws -> Data {
    try sealer.seal(try SyncWire.encode(value), authenticating: place)
  }

  static func open(_ data: Data, _ place: Data, _ sealer: any Sealer) throws -> FieldValue {
    try SyncWire.decode(FieldValue.self, from: try sealer.open(data, authenticating: place))
  }
}

/// Seals with AES-GCM and a random nonce.
struct ZoneKey: Sealer {
  let key: SymmetricKey

  func seal(_ plain: Data, authenticating place: Data) throws -> Data {
    guard let sealed = try AES.GCM.seal(plain, using: key, authenticating: place).combined else {
      throw ReplicaError(description: "a value cannot be encrypted")
    }
    return sealed
  }

  func open(_ sealed: Data, authenticating place: Data) throws -> Data {
    try AES.GCM.open(try AES.GCM.SealedBox(combined: sealed), using: key, authenticating: place)
  }
}

extension ZoneKey {
  /// The key of a zone that belongs to one account: all its devices make the same of its secret.
  init(secret: String, zone: String) {
    key = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: Data(secret.utf8)), info: Data("SwiftDataSync zone \(zone)".utf8),
      outputByteCount: 32)
  }
}
