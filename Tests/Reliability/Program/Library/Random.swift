import Foundation

/// SplitMix64: the same numbers for the same seed, everywhere.
struct Random: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: Int, _ stream: Int = 0) {
    state =
      UInt64(bitPattern: Int64(seed)) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: Int64(stream))
      &* 0xD1B5_4A32_D192_ED03
    _ = next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }
  mutating func chance(_ one: Int, in many: Int) -> Bool { below(many) < one }
  mutating func pick<T>(_ values: [T]) -> T? { values.isEmpty ? nil : values[below(values.count)] }
}

/// Data that can be told from other data by its first bytes and checked to the last.
struct Blob: Equatable {
  let seed: Int
  let count: Int

  /// Most are small; some stay in the row and some go to a file beside the store.
  init(_ random: inout Random) {
    seed = random.below(1 << 30)
    count = [16, 90_000, 132_000, 140_000, 260_000][random.below(5)]
  }

  var data: Data {
    var data = Data(repeating: UInt8(truncatingIfNeeded: seed), count: count)
    withUnsafeBytes(of: Int64(seed).littleEndian) { data.replaceSubrange(0..<8, with: $0) }
    return data
  }

  /// Nil where the data is none that was ever stored.
  init?(_ data: Data) {
    guard data.count >= 8 else { return nil }
    seed = data.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
    count = data.count
    guard (0..<1 << 30).contains(seed), self.data == data else { return nil }
  }
}
