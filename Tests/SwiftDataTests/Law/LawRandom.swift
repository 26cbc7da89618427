import Foundation

/// SplitMix64: a seed gives the same sequence on every machine.
struct LawRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}

/// What broke the law, with what is needed to see it again.
struct LawFailure: Error, CustomStringConvertible {
  var description: String
}

/// How many random sequences the law runs: a quarter of a suite's number, and all of them in `make test-all`.
///
/// `SWIFTDATA_LAW_RUNS` sets another number, `SWIFTDATA_LAW_SEED` makes it start at a seed:
/// `SWIFTDATA_LAW_SEED=4711 SWIFTDATA_LAW_RUNS=1 swift test --traits Sync --filter LawTests` repeats one that failed.
enum LawSettings {
  static func seeds(default count: Int) -> Range<UInt64> {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["SWIFTDATA_LAW_SEED"].flatMap(UInt64.init) ?? 1
    let usual = environment["TEST_ALL"] == nil ? max(count / 4, 2) : count
    let count = environment["SWIFTDATA_LAW_RUNS"].flatMap(UInt64.init) ?? UInt64(usual)
    return first..<(first + count)
  }
}
