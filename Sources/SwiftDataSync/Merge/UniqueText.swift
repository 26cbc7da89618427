#if Sync
import Foundation
import SyncProtocol

/// The texts that stand for unique values.
enum UniqueText {
  /// The texts of a record's unique values. A set with a null among its values is not unique.
  /// - Parameters:
  ///   - name: the name of a property in the texts.
  ///   - value: the value of a property; nil if it has none.
  static func all(
    of entity: String, _ schema: SyncSchema, name: (String) -> String = { $0 }, value: (String) -> FieldValue?
  ) -> [String] {
    guard let entity = schema[entity], !entity.unique.isEmpty else { return [] }
    return entity.unique.compactMap { constraint in
      var parts = [constraint.entity]
      for property in constraint.properties {
        guard let value = value(property), let text = text(value) else { return nil }
        parts += [name(property), text]
      }
      return parts.joined(separator: "\u{1F}")
    }
  }

  private static func text(_ value: FieldValue) -> String? {
    switch value {
    case .null: nil
    case .integer(let number): "i\(number)"
    case .real(let number): "r\(number)"
    case .text(let text):
      "t" + (text.utf8.allSatisfy { $0 < 0x80 } ? text : text.precomposedStringWithCanonicalMapping)
    case .data(let data): "b" + data.base64EncodedString()
    case .record(let name): "o" + name.text
    case .asset(let name, _): "a" + name
    case .sealed(let data): "s" + data.base64EncodedString()
    }
  }
}
#endif
