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
}
