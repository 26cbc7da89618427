@_spi(_Unicode) import Swift
import Testing

@testable import SwiftData

@Suite("Unicode normal form C") struct NormalFormTests {
  @Test("is known from the bytes only where no scalar changes, reorders or composes with one before it (issue 21)")
  func inert() {
    let inert = SwiftText.inertScalars.flatMap { $0.compactMap(Unicode.Scalar.init) }
    let changing = inert.filter { scalar in
      scalar.properties.canonicalCombiningClass != .notReordered
        || !String(scalar)._nfc.elementsEqual(CollectionOfOne(scalar))
    }
    #expect(changing == [])
    // Whatever composes stands behind the first scalar of a decomposition.
    let scalars = (UInt32(0)...0x10FFFF).lazy.compactMap(Unicode.Scalar.init)
    let composing = Set(scalars.filter { $0.properties.isAssigned }.flatMap { String($0)._nfd.dropFirst() })
    #expect(composing.count > 50)
    #expect(composing.isDisjoint(with: inert))
  }

  @Test(
    "is told from other forms",
    arguments: [
      ("Привет, мир", true), ("日本語テキスト", true), ("👍🏽 fine", true), ("한글", true), ("e\u{301}", false),
      ("и\u{306}", false), ("\u{1112}\u{1161}", false), ("\u{212B}", false), ("か\u{3099}", false), ("", true),
      ("ÿ\u{323}", false),
    ])
  func forms(_ text: String, _ isNFC: Bool) {
    #expect(SwiftText.isNFC(text) == isNFC)
    #expect(SwiftText.isNFC(SwiftText.nfc(text)))
  }
}

extension Unicode.Scalar.Properties {
  fileprivate var isAssigned: Bool { generalCategory != .unassigned }
}
