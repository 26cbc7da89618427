/// A generator of random numbers whose numbers depend on its seed alone (SplitMix64).
struct Random: RandomNumberGenerator {
  private var state: UInt64
  /// Whether optional values are sometimes nil. A data set without nil reaches migrations that nil makes impossible.
  var hasNil = true
  /// Whether numbers are sometimes the smallest or the greatest of their type.
  var hasExtremes = true

  init(seed: UInt64) { state = seed &* 0xD134_2543_DE82_EF95 &+ 1 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
  /// - Precondition: there is an element.
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  /// Some of the elements, in any order.
  mutating func some<Element>(of elements: [Element], atMost limit: Int) -> [Element] {
    Array(elements.shuffled(using: &self).prefix(below(limit + 1)))
  }
}
