import SyncCore
import SyncProtocol
import Testing

@Suite struct ExactTextTests {
  @Test(
    "Texts that String treats as equal differ if their bytes do, from either side",
    arguments: [("K", "\u{212A}"), (";", "\u{37E}"), ("`", "\u{1FEF}"), ("\u{E9}", "e\u{301}")])
  func equivalents(one: String, other: String) {
    #expect(one == other)
    let (left, right) = (ExactText(one), ExactText(other))
    #expect(left != right && right != left)
    #expect((left < right) != (right < left))
    #expect(Set([left, right]).count == 2 && Set([right, left]).count == 2)
    #expect(left == ExactText(one) && right == ExactText(other))
  }

  @Test("Names of records that String treats as equal differ if their bytes do, as their order says")
  func names() {
    let (left, right) = (RecordName("\u{E9}"), RecordName("e\u{301}"))
    #expect(left.text == right.text)
    #expect(left != right && (left < right) != (right < left))
    #expect(Set([left, right]).count == 2)
    #expect(left == RecordName("\u{E9}") && left != RecordName("00000000-0000-0000-0000-000000000000"))
  }

  @Test("Equivalent texts have different hashes: a peer could make millions of names with one hash")
  func equivalentHashes() {
    let texts = ["a\u{323}\u{301}", "a\u{301}\u{323}"]
    #expect(texts[0] == texts[1])
    #expect(ExactText(texts[0]).hashValue != ExactText(texts[1]).hashValue)
    let names = texts.map { RecordName($0) }
    #expect(names[0].hashValue != names[1].hashValue && names[0].quickHash != names[1].quickHash)
  }

  @Test("A combining mark after the prefix of a zone's text is a part of the name")
  func zoneNames() {
    let name = ZoneName.account("\u{301}ann")
    #expect(ZoneName(text: name.text) == name && ZoneName(text: name.text) != .account("ann"))
  }
}
