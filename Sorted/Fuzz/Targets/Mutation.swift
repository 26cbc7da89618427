import Foundation

/// SplitMix64: a seed gives the same inputs on every machine.
package struct FuzzRandom: RandomNumberGenerator {
  private var state: UInt64
  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<max(1, bound), using: &self) }
}

/// Mutates bytes: single ones, ranges, and words that parsers treat specially.
package struct Mutation: Sendable {
  private let words: [[UInt8]]
  /// The words that are numbers.
  private let numbers: [[UInt8]]

  /// Reads the words of `Sorted/Fuzz/dictionary` in libFuzzer's format: a quoted word per line.
  package init() throws {
    let dictionary = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("dictionary")
    words = try String(contentsOf: dictionary, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("\"") }.map { Self.unquoted($0.dropFirst().dropLast()) }
    numbers = words.filter { Double(String(decoding: $0, as: UTF8.self)) != nil }
  }

  /// Decodes `\xNN` as a byte, and any other escaped character as itself.
  private static func unquoted(_ word: Substring) -> [UInt8] {
    var bytes = [UInt8]()
    var rest = word.utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() else {
        bytes.append(byte)
        continue
      }
      guard escaped == UInt8(ascii: "x"), let code = UInt8(String(rest.prefix(2)) ?? "", radix: 16) else {
        bytes.append(escaped)
        continue
      }
      bytes.append(code)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  /// - Parameter others: inputs from which pieces are copied.
  package func of(_ bytes: [UInt8], others: [[UInt8]], _ random: inout FuzzRandom) -> [UInt8] {
    var result = bytes
    for _ in 0...random.below(4) { change(&result, others, &random) }
    return Array(result.prefix(20_000))
  }

  private func change(_ bytes: inout [UInt8], _ others: [[UInt8]], _ random: inout FuzzRandom) {
    let place = random.below(bytes.count + 1)
    let end = min(bytes.count, place + 1 + random.below(8))
    switch random.below(9) {
    case 0: if place < bytes.count { bytes[place] ^= 1 << UInt8(random.below(8)) }
    case 1: if place < bytes.count { bytes[place] = UInt8(truncatingIfNeeded: random.next()) }
    case 2: bytes.removeSubrange(place..<end)
    case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
    case 4: bytes.insert(contentsOf: words.randomElement(using: &random)!, at: place)
    case 5: replaceRun(in: &bytes, of: { !" ,:[]{}\n\"/?&=".utf8.contains($0) }, by: words, &random)
    case 6:
      guard let other = others.randomElement(using: &random), !other.isEmpty else { return }
      let start = random.below(other.count)
      bytes.insert(contentsOf: other[start..<min(other.count, start + 1 + random.below(60))], at: place)
    case 7: replaceRun(in: &bytes, of: { "0123456789".utf8.contains($0) }, by: numbers, &random)
    default: bytes.removeSubrange(place...)
    }
  }

  /// Replaces a whole number, name or text by a word.
  private func replaceRun(
    in bytes: inout [UInt8], of isPart: (UInt8) -> Bool, by words: [[UInt8]], _ random: inout FuzzRandom
  ) {
    var runs = [Range<Int>]()
    for (index, byte) in bytes.enumerated() where isPart(byte) {
      if let last = runs.last, last.upperBound == index {
        runs[runs.count - 1] = last.lowerBound..<index + 1
      } else {
        runs.append(index..<index + 1)
      }
    }
    guard let run = runs.randomElement(using: &random), let word = words.randomElement(using: &random) else { return }
    bytes.replaceSubrange(run, with: word)
  }
}
