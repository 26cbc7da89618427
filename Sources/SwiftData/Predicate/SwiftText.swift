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

  /// The first byte of U+0300; every later scalar begins with this or a greater byte.
  package static let firstCombining: UInt8 = 0xCC

  /// Whether all scalars are below U+0300: nothing there combines, so each scalar is a character (but CR LF) and the
  /// text is in normal form C.
  static func isInert(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    let bytes = UnsafeRawBufferPointer(utf8)
    var index = 0
    // Eight at a time, since most text is ASCII.
    while index + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0, !bytes[index..<index + 8].allSatisfy({ $0 < firstCombining }) {
        return false
      }
      index += 8
    }
    return bytes[index...].allSatisfy { $0 < firstCombining }
  }
}
