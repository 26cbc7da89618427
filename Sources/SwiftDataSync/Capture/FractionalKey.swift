#if Sync
/// The places of list members: texts of hexadecimal digits that sort as the list does, with room between any two.
///
/// A key never ends with a zero, so that a key before it exists.
enum FractionalKey {
  private static let digits = Array("0123456789abcdef".utf8)

  /// A key between two others; nil stands for the beginning and the end.
  ///
  /// - Precondition: `low < high` where both are given.
  static func between(_ low: String?, _ high: String?) -> String {
    let low = (low ?? "").utf8.map(value)
    let high = high.map { $0.utf8.map(value) }
    return String(decoding: middle(low[...], high.map { $0[...] }).map { digits[$0] }, as: UTF8.self)
  }

  /// Keys between two others, in order. Each is longer than the others by at most the logarithm of their number.
  static func between(_ low: String?, _ high: String?, count: Int) -> [String] {
    guard count > 0 else { return [] }
    let middle = between(low, high)
    let before = (count - 1) / 2
    return between(low, middle, count: before) + [middle] + between(middle, high, count: count - 1 - before)
  }

  /// Whether there is room next to a text.
  static func isKey(_ text: String) -> Bool {
    text.utf8.allSatisfy(digits.contains) && !text.isEmpty && text.utf8.last != UInt8(ascii: "0")
  }

  private static func value(_ digit: UInt8) -> Int { digits.firstIndex(of: digit) ?? 0 }

  /// The digits between two numbers below 1: the common beginning, then a digit in the middle, or one more digit where
  /// there is no room.
  ///
  /// It is a loop, because another replica chooses the lengths.
  private static func middle(_ low: ArraySlice<Int>, _ high: ArraySlice<Int>?) -> [Int] {
    var (low, high, digits) = (low, high, [Int]())
    while true {
      let first = low.popFirst() ?? 0
      let isOpen = high == nil
      let limit = isOpen ? 16 : high?.popFirst()
      if first == limit {
        digits.append(first)
        continue
      }
      let digit = (first + (limit ?? 0)) / 2
      if digit > first { return digits + [digit] }
      // No digit between: what follows the lower one has room above.
      digits.append(first)
      high = nil
    }
  }
}

/// Which elements of a sequence may stay where they are.
enum LongestRun {
  /// The indices of a longest strictly ascending subsequence; nil elements are not part of it.
  /// - Complexity: O(*n* log *n*).
  static func indices<Key: Comparable>(_ keys: [Key?]) -> Set<Int> {
    var tails: [Int] = []
    var previous = [Int](repeating: -1, count: keys.count)
    for (index, key) in keys.enumerated() {
      guard let key else { continue }
      var (low, high) = (0, tails.count)
      while low < high {
        let middle = (low + high) / 2
        if keys[tails[middle]]! < key { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = tails[low - 1] }
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var result = Set<Int>()
    var index = tails.last ?? -1
    while index >= 0 {
      result.insert(index)
      index = previous[index]
    }
    return result
  }
}
#endif
