import Foundation

/// The values of a unique set of properties, in the form in which two of them are compared.
///
/// Values that a store's unique index treats as equal have equal texts: two texts of one Unicode normal form, or an integer and a
/// floating-point number of the same value.
public struct UniqueValue: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The text, which names the class that declares the set, the properties and the values.
  public let text: ExactText

  /// Takes a text that ``text`` returned before.
  public init(_ text: ExactText) { self.text = text }

  /// The same as ``text``.
  public var description: String { text.text }

  /// Orders values by their texts.
  public static func < (left: UniqueValue, right: UniqueValue) -> Bool { left.text < right.text }

  /// The unique values of a record, in the order of the declarations. A set with a null among its values is not unique.
  package static func all(of record: Registers, _ models: SyncModels) -> [UniqueValue] {
    guard let entity = record.born?.value, let sets = models.rules[entity]?.unique, !sets.isEmpty else { return [] }
    return sets.compactMap { set in
      var text = set.declaringClass.text
      for property in set.properties {
        guard let value = record.field(property)?.value, let part = part(value) else { return nil }
        // The length keeps a text from imitating the boundary between two values.
        text += "\u{1F}\(property.wire)\u{1F}\(part.utf8.count)\u{1F}" + part
      }
      return UniqueValue(ExactText(text))
    }
  }

  private static func part(_ value: RegisterValue) -> String? {
    switch value {
    case .null: return nil
    case .integer(let number): return "i\(number)"
    case .real(let bits):
      let number = Double(bitPattern: bits)
      if number.isNaN { return nil }  // A database stores it as null.
      return Int64(exactly: number).map { "i\($0)" } ?? "r\(number)"
    case .text(let text):
      return "t"
        + (text.text.utf8.allSatisfy { $0 < 0x80 } ? text.text : text.text.precomposedStringWithCanonicalMapping)
    case .data(let data): return "b" + data.base64EncodedString()
    case .asset(let sha256, _): return "a" + sha256.text
    case .sealed(let data): return "s" + data.base64EncodedString()
    case .reference(let reference): return "o" + reference.name.text
    }
  }
}
