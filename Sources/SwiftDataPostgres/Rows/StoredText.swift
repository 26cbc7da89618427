import SwiftData

/// Text as the server's columns have it: in Unicode normal form C, in which canonically equivalent texts have equal
/// bytes and the order of bytes is Swift's order; and without U+0000, which PostgreSQL cannot have.
///
/// U+0000 becomes U+0001 U+0001 and U+0001 becomes U+0001 U+0002, which keeps equality and order. What a text was before
/// is kept beside it, in the row's `_given`.
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

  /// A text of normal form C from the one that is stored.
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

  /// JSON as `jsonb` can have it: that knows no NUL, and no zero with a sign.
  static func json(_ json: String) -> String { json.replacing("\\u0000", with: "\\ufffd") }

  /// Whether `jsonb` keeps all that the JSON says.
  static func isKept(json: String) -> Bool { !json.contains("\\u0000") && !json.contains("-0") }
}

extension PostgresParameter {
  /// A value that a predicate compares with.
  init(comparing value: SQLValue) {
    if case .text(let text) = value { self.init(.text(StoredText.of(text))) } else { self.init(value) }
  }
}
