import FirestoreProtocol
import Foundation
import SwiftData
import UntrustedInput

/// A document in the server's store.
@Model
final class StoredDocument {
  #Index<StoredDocument>([\.parent, \.key], [\.collection], [\.updateTime])

  /// The ``DocumentName/key`` of the full name.
  @Attribute(.unique) var key: String
  /// The full name.
  var name: String
  /// The ``DocumentName/parentKey``.
  var parent: String
  /// The ``DocumentName/collection``.
  var collection: String
  /// The fields in the JSON of the REST API with sorted keys.
  var fields: Data
  /// The creation time in microseconds since 1970.
  var createTime: Int64
  /// The update time in microseconds since 1970.
  var updateTime: Int64

  init(name: DocumentName, fields: Data, time: Int64) {
    self.key = name.key
    self.name = name.full
    self.parent = name.parentKey
    self.collection = name.collection
    self.fields = fields
    self.createTime = time
    self.updateTime = time
  }

  /// The document in the form of the API.
  /// - Throws: `DecodingError` if another program wrote the store.
  func document() throws -> FirestoreDocument {
    FirestoreDocument(
      name: name, fields: try JSONDecoder().decode([String: FirestoreValue].self, from: fields),
      createTime: FirestoreTimestamp(microseconds: createTime), updateTime: FirestoreTimestamp(microseconds: updateTime)
    )
  }

  /// Encodes fields so that equal fields, and only these, have equal bytes.
  static func data(_ fields: [String: FirestoreValue]) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(fields)
  }
}

extension FirestoreTimestamp {
  init(microseconds: Int64) {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    self.init(
      seconds: rest < 0 ? seconds - 1 : seconds, nanoseconds: Int32(rest < 0 ? rest + 1_000_000 : rest) * 1_000)
  }

  /// The nearest number for a moment that 64 bits of microseconds cannot represent.
  var microseconds: Int64 {
    Untrusted(seconds).multiplyingSaturating(by: 1_000_000).addingSaturating(Int64(nanoseconds) / 1_000)
      .clamped(to: .min ... .max)
  }
}
