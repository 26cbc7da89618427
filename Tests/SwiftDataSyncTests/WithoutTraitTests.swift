#if !Sync
import Testing

@Suite("Sync")
struct WithoutTraitTests {
  @Test("The tests of sync need the trait Sync", .disabled("run `swift test --traits Sync`"))
  func withoutTrait() {}
}
#endif
