import Foundation
import SwiftData

/// The stored form of text: Unicode normal form C, in which canonically equivalent texts have equal bytes and the byte
/// order is Swift's order, without U+0000, which PostgreSQL does not support.
///
/// U+0000 becomes U+0001 U+0001, and U+0001 becomes U+0001 U+0002, which preserves equality and order. The row's
/// `_given` has the original text.
enum StoredText {
  static func of(_ text: String) -> String {
    let text = SwiftText.nfc(text)
    guard text.utf8.contains(where: { $0 <= 1 }) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0: result.append(contentsOf: "\u{1}\u{1}".unicodeScalars)
      case 1: result.append(contentsOf: "\u{1}\u{2}".unicodeScalars)
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// Whether a text is stored unchanged, as far as its bytes prove.
  static func isPlain(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    let bytes = UnsafeRawBufferPointer(utf8)
    var index = 0
    // Eight bytes at a time: none above U+007F, and none below U+0002, for which subtracting 2 borrows the highest bit.
    while index + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if (word | (word &- 0x0202_0202_0202_0202)) & 0x8080_8080_8080_8080 != 0 { break }
      index += 8
    }
    if index == bytes.count { return true }
    let rest = UnsafeBufferPointer(rebasing: utf8[index...])
    return rest.allSatisfy { $0 > 1 } && SwiftText.isSurelyNFC(rest)
  }

  /// The text in normal form C for a stored text.
  static func text(ofStored stored: String) -> String {
    guard stored.utf8.contains(1) else { return stored }
    var result = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in stored.unicodeScalars {
      if isEscaped {
        result.append(scalar == "\u{1}" ? "\u{0}" : "\u{1}")
        isEscaped = false
      } else if scalar == "\u{1}" {
        isEscaped = true
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// JSON for `jsonb`, which supports neither NUL nor negative zero.
  static func json(_ json: String) -> String {
    // A combining mark may follow, with which the last digit is another character.
    json.replacingOccurrences(of: "\\u0000", with: "\\ufffd", options: .literal)
  }

  /// Whether `jsonb` preserves the JSON completely.
  static func isKept(json: String) -> Bool {
    var json = json
    return json.withUTF8(isKept)
  }

  static func isKept(json utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    for (index, byte) in utf8.enumerated() where byte == UInt8(ascii: "-") || byte == UInt8(ascii: "\\") {
      if utf8[(index + 1)...].starts(with: byte == UInt8(ascii: "-") ? "0".utf8 : "u0000".utf8) { return false }
    }
    return true
  }
}

extension PostgresParameter {
  /// A value for a comparison in a predicate.
  init(comparing value: SQLValue) {
    guard case .text(var text) = value else {
      self.init(value)
      return
    }
    // Most texts are stored as they are.
    if let plain = text.withUTF8({ StoredText.isPlain($0) ? [UInt8]($0) : nil }) {
      self.init(text: plain)
    } else {
      self.init(.text(StoredText.of(text)))
    }
  }
}
