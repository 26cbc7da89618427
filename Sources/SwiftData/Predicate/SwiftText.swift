@_spi(_Unicode) import Swift

/// What Swift's string semantics ask of stored text.
package enum SwiftText {
  /// Whether a text is in Unicode normal form C, in which canonically equivalent texts have equal bytes and Swift's
  /// order is the order of the bytes.
  package static func isNFC(_ text: String) -> Bool {
    var text = text
    if text.withUTF8({ isInert($0) }) { return true }
    return text._nfc.elementsEqual(text.unicodeScalars)
  }

  /// The text in Unicode normal form C.
  package static func nfc(_ text: String) -> String {
    var text = text
    if text.withUTF8({ isInert($0) }) { return text }
    var result = String.UnicodeScalarView()
    for scalar in text._nfc { result.append(scalar) }
    return String(result)
  }

  /// Whether all scalars are below U+0300: nothing there combines, so each scalar is a character (but CR LF) and the
  /// text is in normal form C.
  static func isInert(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    // U+0300 is CC 80; every later scalar begins with a greater byte.
    utf8.allSatisfy { $0 < 0xCC }
  }
}
