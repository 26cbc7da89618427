import Sorted
import Testing

@Suite("Text of archives") struct ArchiveTextTests {
  @Test("Bytes that are not UTF-8 become U+FFFD and the rest stays")
  func invalid() {
    #expect(ArchiveText.readable([0x61, 0xFF, 0x62]) == "a\u{FFFD}b")
    // A character that was cut in the middle is one replacement.
    #expect(ArchiveText.readable([0x61, 0xE2, 0x82]) == "a\u{FFFD}")
    // A surrogate and an overlong NUL are no UTF-8 either, and no byte of them vanishes unseen.
    #expect(ArchiveText.readable([0xED, 0xA0, 0x80]).contains("\u{FFFD}"))
    #expect(ArchiveText.readable([0xC0, 0x80]).allSatisfy { $0 == "\u{FFFD}" })
  }

  @Test("Control characters become their pictures, C1 controls U+FFFD")
  func controls() {
    #expect(ArchiveText.readable([0x00, 0x0D, 0x1B, 0x7F]) == "␀␍␛␡")
    #expect(ArchiveText.readable("a\u{85}\u{9B}b") == "a\u{FFFD}\u{FFFD}b")
  }

  @Test("A carriage return before a line feed is a character of its own")
  func carriageReturn() {
    #expect(ArchiveText.readable("a\r\nb") == "a␍\nb")
    #expect(ArchiveText.readable("a\r\nb", keepingLines: false) == "a␍␊b")
  }

  @Test(
    "Text without controls stays as it is",
    arguments: ["", "plain", "naïve", "日本語", "👩‍👩‍👧‍👦", "a\u{2028}b", "\u{FEFF}a", "e\u{301}"])
  func unchanged(text: String) {
    #expect(Array(ArchiveText.readable(Array(text.utf8)).unicodeScalars) == Array(text.unicodeScalars))
    #expect(Array(ArchiveText.readable(text).unicodeScalars) == Array(text.unicodeScalars))
  }
}
