import SwiftData
import Testing

/// The enum values of a fetch are found by these texts.
@Suite struct ShortTextTests {
  private func short(_ bytes: [UInt8]) -> __ShortText? { bytes.withUnsafeBufferPointer { __ShortText($0) } }

  @Test("Short texts are equal exactly if their bytes are", arguments: 0...15)
  func equality(count: Int) throws {
    let bytes = (0..<count).map { UInt8(200 + $0) }
    let text = try #require(short(bytes))
    #expect(text == short(bytes))
    for index in 0..<count {
      for bit in 0..<8 {
        var other = bytes
        other[index] ^= 1 << bit
        #expect(text != short(other), "byte \(index), bit \(bit)")
      }
    }
    // A trailing zero is part of a text.
    #expect(text != short(bytes + [0]))
  }

  @Test("A text of sixteen bytes is not short")
  func long() { #expect(short(Array(repeating: 1, count: 16)) == nil) }
}
