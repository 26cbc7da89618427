@_spi(_Unicode) import Swift

/// Helpers for Swift's string semantics.
package enum SwiftText {
  /// Whether a text is in Unicode normal form C, in which canonically equivalent texts have equal bytes and Swift's
  /// order is the byte order.
  package static func isNFC(_ text: String) -> Bool {
    var text = text
    if text.withUTF8({ isSurelyNFC($0) }) { return true }
    return text._nfc.elementsEqual(text.unicodeScalars)
  }

  /// The text in Unicode normal form C.
  package static func nfc(_ text: String) -> String {
    var text = text
    if text.withUTF8({ isSurelyNFC($0) }) { return text }
    var result = String.UnicodeScalarView()
    for scalar in text._nfc { result.append(scalar) }
    return String(result)
  }

  /// The first byte of U+0300. All later scalars begin with this or a greater byte.
  static let firstCombining: UInt8 = 0xCC

  /// Whether all scalars are below U+0300. No scalar combines there, so each is a character (except CR LF), and the
  /// text is in normal form C.
  static func isInert(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    let bytes = UnsafeRawBufferPointer(utf8)
    var index = 0
    // Eight bytes at a time, because most text is ASCII.
    while index + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0, !bytes[index..<index + 8].allSatisfy({ $0 < firstCombining }) {
        return false
      }
      index += 8
    }
    return bytes[index...].allSatisfy { $0 < firstCombining }
  }

  /// Whether the bytes alone prove that a text is in normal form C: no scalar changes, reorders, or composes with the
  /// one before it. True for most text in Latin, Cyrillic, Greek, Chinese, Japanese and Korean, including emoji.
  package static func isSurelyNFC(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    var index = 0
    while index < utf8.count {
      let first = utf8[index]
      if first < firstCombining {
        index += 1
        continue
      }
      let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
      var scalar = UInt32(first) & (0xFF >> UInt32(length + 1))
      // Strings are well-formed UTF-8.
      for next in utf8[(index + 1)..<(index + length)] { scalar = scalar << 6 | UInt32(next & 0x3F) }
      guard inertScalars.contains(where: { $0.contains(scalar) }) else { return false }
      index += length
    }
    return true
  }

  /// Starters that normal form C never changes. (Unicode Standard Annex 15, quick check.)
  static let inertScalars: [ClosedRange<UInt32>] = [
    0x0400...0x0482, 0x048A...0x052F, 0x4E00...0x9FFF, 0x1F000...0x1FAFF, 0x3041...0x3096, 0x30A1...0x30FA,
    0xAC00...0xD7A3, 0x2010...0x2027, 0x2030...0x205E, 0x3000...0x3029, 0x2190...0x2328, 0x2600...0x27BF,
    0x0388...0x03FF, 0x200C...0x200D, 0xFE00...0xFE0F, 0xFF01...0xFF5E,
  ]
}
