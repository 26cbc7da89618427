#if Sync
/// Random numbers that a seed determines (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) {
    // Neighbouring seeds must not begin with neighbouring states: the sequences would be the same, shifted by one.
    var value = seed &+ 0xD1B5_4A32_D192_ED03
    value = (value ^ (value >> 32)) &* 0xDABA_0B6E_B093_22E3
    value = (value ^ (value >> 32)) &* 0xDABA_0B6E_B093_22E3
    state = value ^ (value >> 32)
  }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
#endif
