import Foundation
import SwiftData

/// The cell of a property's value, and what the cell cannot represent.
struct ServerCell {
  let value: SQLValue
  /// The original text if the server has it in another form.
  let given: String?

  /// - Parameter value: nil if the property is nil.
  /// - Throws: `SwiftDataError.unwritableValue`.
  init(of value: Any?, _ property: __Property) throws {
    guard let value = value.flatMap(ScalarType.unwrapped) else {
      self.init(value: .null, given: nil)
      return
    }
    let cell: SQLValue?
    if case .attribute(_, .transformed) = property.kind {
      cell = try property.transform(value).map { .blob($0) } ?? .null
    } else {
      cell = ScalarType(of: property).cell(of: value)
    }
    guard let cell else {
      throw SwiftDataError(
        .unwritableValue, entity: property.entityName, property: property.name,
        message: "its value of type \(type(of: value)) cannot be encoded")
    }
    self.init(cell, ValueFamily(property))
  }

  private init(value: SQLValue, given: String?) {
    self.value = value
    self.given = given
  }

  init(_ cell: SQLValue, _ family: ValueFamily, _ codec: ColumnCodec?) throws {
    if let codec {
      // The codec keeps the text as it is.
      self.init(value: try codec.encode(cell), given: nil)
    } else {
      self.init(cell, family)
    }
  }

  init(_ cell: SQLValue, _ family: ValueFamily) {
    switch (cell, family) {
    // PostgreSQL supports NaN, unlike SQLite.
    case (.text, .real), (.text, .date): (value, given) = (.real(.nan), nil)
    case (.text(let text), .json):
      // In normal form C, so that equal values have equal JSON.
      let normal = SwiftText.nfc(text)
      let isKept = StoredText.isKept(json: text) && normal.utf8.elementsEqual(text.utf8)
      (value, given) = (.text(StoredText.json(normal)), isKept ? nil : text)
    case (.text(let text), _):
      let stored = StoredText.of(text)
      // Swift's `==` treats canonically equivalent texts as equal, but here identity counts.
      (value, given) = (.text(stored), stored.utf8.elementsEqual(text.utf8) ? nil : text)
    default: (value, given) = (cell, nil)
    }
  }

  /// The value of a cell of a column with values of several types, which the first format has.
  static func unmixed(_ cell: SQLValue) -> SQLValue {
    guard case .text(let json) = cell else { return .null }
    return (try? JSONCoding.decode(SQLValue.self, from: Data(json.utf8))) ?? .null
  }

  /// The row's `_given`: base64 of the texts, because the server's JSON does not support NUL either.
  static func encode(given: [String: String]) -> SQLValue {
    guard !given.isEmpty else { return .null }
    let coded = given.mapValues { Data($0.utf8).base64EncodedString() }
    return (try? JSONCoding.encode(coded)).map { .text(String(decoding: $0, as: UTF8.self)) } ?? .null
  }

  /// Whether the server still has the stored form of an original text. SQL may have changed the column without `_given`.
  /// The server writes JSON in its own form, so that only its absence shows there.
  static func isOriginal(_ text: String, of cell: SQLValue, isJSON: Bool) -> Bool {
    guard case .text(let stored) = cell else { return false }
    return isJSON || StoredText.of(text).utf8.elementsEqual(stored.utf8)
  }

  static func decode(given cell: SQLValue) -> [String: String] {
    guard case .text(let json) = cell,
      let coded = try? JSONCoding.decode([String: String].self, from: Data(json.utf8))
    else { return [:] }
    return coded.compactMapValues { Data(base64Encoded: $0).map { String(decoding: $0, as: UTF8.self) } }
  }
}
