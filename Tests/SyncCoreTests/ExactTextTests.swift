import SyncCore
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
}
