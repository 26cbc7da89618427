/// Random numbers that a seed decides, on every platform the same.
struct RandomSource: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func int(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
  mutating func chance(_ one: Int, in all: Int) -> Bool { int(0..<all) < one }
  mutating func pick<T>(_ values: [T]) -> T { values[int(0..<values.count)] }
}
