/// A checksum of 128 bits that is the same in every process, unlike Swift's hash values.
///
/// It tells whether something changed since it was stored. It does not protect from an attacker.
package struct Fingerprint: Equatable {
  private var low: UInt64 = 0x60EA_27EE_ADC0_B5D6
  private var high: UInt64 = 0x27D4_EB2F_1656_67C5

  package init() {}

  /// Adds a word. Each step is a bijection of the sum, so that one different word always changes it.
  private mutating func add(_ word: UInt64) {
    low = Self.rotate(low &+ word &* 0xC2B2_AE3D_27D4_EB4F, 31) &* 0x9E37_79B1_85EB_CA87
    high = Self.rotate(high ^ word &* 0x9FB2_1C65_1E98_DF25, 29) &* 0xD6E8_FEB8_6659_FD93 &+ 0x1656_67B1_9E37_79F9
  }

  private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 { value << count | value >> (64 - count) }

  package mutating func combine(_ number: Int) { add(UInt64(bitPattern: Int64(number))) }

  package mutating func combine(_ flag: Bool) { add(flag ? 2 : 1) }

  /// Adds a text with its length, so that neighbouring texts do not run together.
  package mutating func combine(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      add(UInt64(bytes.count))
      let bytes = UnsafeRawBufferPointer(bytes)
      let end = bytes.count & ~7
      for offset in stride(from: 0, to: end, by: 8) {
        add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      }
      var rest: UInt64 = 0
      for offset in end..<bytes.count { rest = rest << 8 | UInt64(bytes[offset]) }
      if end < bytes.count { add(rest) }
    }
  }

  package mutating func combine(_ text: String?) {
    combine(text != nil)
    if let text { combine(text) }
  }

  package mutating func combine(_ number: Int?) {
    combine(number != nil)
    if let number { combine(number) }
  }

  package mutating func combine(_ texts: [String]) {
    combine(texts.count)
    for text in texts { combine(text) }
  }

  package mutating func combine(_ lists: [[String]]) {
    combine(lists.count)
    for list in lists { combine(list) }
  }

  package mutating func combine(_ other: Fingerprint) {
    add(other.low)
    add(other.high)
  }

  /// The checksum as 32 hexadecimal digits.
  package var text: String {
    // Multiplication carries upwards only. This spreads the last word's high bits.
    let digits = [low, high].map { sum in
      let mixed = (sum ^ sum >> 32) &* 0xD6E8_FEB8_6659_FD93
      let text = String(mixed ^ mixed >> 32, radix: 16)
      return String(repeating: "0", count: 16 - text.utf8.count) + text
    }
    return digits[0] + digits[1]
  }
}
