import Foundation
import SwiftData

/// The cell of a property's value, and what the cell leaves out of it.
struct ServerCell {
  let value: SQLValue
  /// The text as it was given, where the server has it in another form.
  let given: String?

  /// - Parameter value: nil where the property is nil.
  /// - Throws: ``SwiftDataError/unwritableValue``.
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

  init(_ cell: SQLValue, _ family: ValueFamily) {
    switch (cell, family) {
    // SQLite has no NaN; PostgreSQL has.
    case (.text, .real), (.text, .date): (value, given) = (.real(.nan), nil)
    case (.text(let text), .json):
      let isKept = StoredText.isKept(json: text)
      (value, given) = (.text(StoredText.json(text)), isKept ? nil : text)
    case (.text(let text), _):
      let stored = StoredText.of(text)
      // Canonically equivalent texts are equal in Swift; what is asked here is whether they are the same.
      (value, given) = (.text(stored), stored.utf8.elementsEqual(text.utf8) ? nil : text)
    default: (value, given) = (cell, nil)
    }
  }

  /// As a column takes it that has values of several types.
  var mixed: SQLValue {
    let whole = given.map { SQLValue.text($0) } ?? value
    guard whole != .null, let json = try? JSONCoding.encode(whole) else { return .null }
    return .text(String(decoding: json, as: UTF8.self))
  }

  /// The cell that a column with values of several types holds.
  static func unmixed(_ cell: SQLValue) -> SQLValue {
    guard case .text(let json) = cell else { return .null }
    return (try? JSONCoding.decode(SQLValue.self, from: Data(json.utf8))) ?? .null
  }

  /// The row's `_given`: base64 of the texts, since JSON on the server has no NUL either.
  static func encode(given: [String: String]) -> SQLValue {
    guard !given.isEmpty else { return .null }
    let coded = given.mapValues { Data($0.utf8).base64EncodedString() }
    return (try? JSONCoding.encode(coded)).map { .text(String(decoding: $0, as: UTF8.self)) } ?? .null
  }

  static func decode(given cell: SQLValue) -> [String: String] {
    guard case .text(let json) = cell,
      let coded = try? JSONCoding.decode([String: String].self, from: Data(json.utf8))
    else { return [:] }
    return coded.compactMapValues { Data(base64Encoded: $0).map { String(decoding: $0, as: UTF8.self) } }
  }
}
