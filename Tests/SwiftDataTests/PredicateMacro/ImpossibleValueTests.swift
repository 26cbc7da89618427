import Foundation
import SwiftData
import Testing

/// Swift would stop the program when it makes these captured values. A predicate fails only for objects whose condition needs the value.
@Suite("A captured value that Swift cannot make")
struct ImpossibleValueTests {
  private let store: CatalogStore
  private let zero = 0
  private let minus = -1
  private let nan = Double.nan
  private let numbers = [3, 5, 7]

  init() throws { store = try CatalogStore() }

  @Test("may be a range whose bounds are in the wrong order")
  func ranges() throws {
    try store.check(#Predicate { $0.flag || (1...zero).contains($0.plays) }) { $0.flag }
    try store.check(#Predicate { $0.flag || !(1..<minus).contains($0.plays) }) { $0.flag }
    try store.check(#Predicate { zero > 0 && (1...zero).contains($0.plays) || $0.flag }) { $0.flag }
    try store.check(#Predicate { $0.flag || 1...zero ~= $0.plays }) { $0.flag }
    try store.check(#Predicate { $0.flag || (0...nan).contains($0.duration) }) { $0.flag }
    try store.check(#Predicate { $0.flag || ("b"..."\(zero)").contains($0.title) }) { $0.flag }
    try store.check(#Predicate { $0.flag || ((.distantFuture)...(.distantPast)).contains($0.released) }) { $0.flag }
    try store.check(#Predicate { $0.flag || !$0.tags[1..<zero].isEmpty }) { $0.flag }
    try store.check(#Predicate { $0.flag || Array(1...zero).contains($0.plays) }) { $0.flag }
    try store.check(#Predicate { $0.flag || Array(numbers[2...zero]).contains($0.plays) }) { $0.flag }
    try store.check(
      #Predicate {
        if $0.flag { return true }
        switch $0.plays {
        case 1...zero: return false
        default: return true
        }
      }
    ) { $0.flag }
    try store.check(#Predicate { (1...(zero + 5)).contains($0.plays) || 8..<(zero + 9) ~= $0.plays }) {
      (1...5).contains($0.plays) || $0.plays == 8
    }
  }

  @Test("may be a range of one bound that is NaN")
  func oneBound() throws {
    try store.check(#Predicate { $0.flag || (nan...).contains($0.duration) }) { $0.flag }
    try store.check(#Predicate { $0.flag || !(...nan).contains($0.duration) }) { $0.flag }
    try store.check(#Predicate { $0.flag || (..<nan).contains($0.duration) }) { $0.flag }
  }

  @Test("may be a let of the predicate")
  func constants() throws {
    try store.check(
      #Predicate {
        let range = 1...zero
        return $0.flag || range.contains($0.plays) || range.lowerBound < $0.plays
      }
    ) { $0.flag }
    try store.check(
      #Predicate {
        let last = numbers[9]
        return $0.flag || numbers.contains { $0 == last } || $0.plays == max(last, 2)
      }
    ) { $0.flag }
    try store.check(
      #Predicate {
        let count: Double = Double(Int(nan)) / 2
        return $0.flag || $0.duration > count
      }
    ) { $0.flag }
    try store.check(
      #Predicate {
        let count = Int(7.9)
        let limit = numbers.contains { $0 == count } ? count : 0
        return $0.plays == limit
      }
    ) { $0.plays == 7 }
  }

  @Test("may be a number of another type")
  func numbersOfOtherTypes() throws {
    let (scale, text) = (1.5, "5")
    try store.check(#Predicate { $0.flag || $0.plays == Int(nan) }) { $0.flag }
    try store.check(#Predicate { $0.flag || $0.plays < Int(1e300 * scale) }) { $0.flag }
    try store.check(#Predicate { $0.flag || $0.small == UInt8(minus) }) { $0.flag }
    try store.check(#Predicate { $0.plays == Int(scale * 2.9) || $0.plays == Int(text)! }) {
      [4, 5].contains($0.plays)
    }
    try store.check(#Predicate { $0.plays == Int(text) ?? 0 || $0.small == UInt8(scale) }) {
      [5, -2].contains($0.plays)
    }
  }

  @Test("may be a part of a list, or a list, of a negative number of elements")
  func counts() throws {
    try store.check(#Predicate { $0.flag || Array(numbers.prefix(minus)).contains($0.plays) }) { $0.flag }
    try store.check(#Predicate { $0.flag || Array(numbers.suffix(minus)).contains($0.plays) }) { $0.flag }
    try store.check(#Predicate { $0.flag || !Array(numbers.dropFirst(minus)).contains($0.plays) }) { $0.flag }
    try store.check(#Predicate { $0.flag || !Array(numbers.dropLast(minus)).contains($0.plays) }) { $0.flag }
    try store.check(#Predicate { $0.flag || [Int](repeating: 3, count: minus).contains($0.plays) }) { $0.flag }
    try store.check(#Predicate { $0.flag || $0.title == String(repeating: "a", count: minus) }) { $0.flag }
    try store.check(#Predicate { Array(numbers.prefix(zero + 2)).contains($0.plays) }) { [3, 5].contains($0.plays) }
    try store.check(#Predicate { $0.flag || $0.title == title.prefix(minus) }) { $0.flag }
    try store.check(#Predicate { $0.title == title.prefix(zero + 4) }) { $0.title == "Rain" }
    // These methods take what they like.
    try store.check(#Predicate { $0.plays == Ruler().prefix(minus) }) { $0.plays == 3 }
    try store.check(#Predicate { $0.title == Ruler().suffix(title) }) { $0.title == "Rain" }
  }

  private let title = "Rain"

  private struct Ruler {
    func prefix(_ number: Int) -> Int { number + 4 }
    func suffix(_ text: String) -> String { text }
  }

  @Test("may be what a function throws, or a part before a question mark")
  func otherParts() throws {
    struct Failure: Error {}
    func number(_ isThere: Bool) throws -> Int? {
      if isThere { return nil }
      throw Failure()
    }
    let (names, missing): ([String?], [String?]?) = (["Rain"], nil)
    let limits: [Int?] = [nil]
    try store.check(#Predicate { $0.flag || $0.limit == limits[1] }) { $0.flag }
    try store.check(#Predicate { $0.limit == limits[0] }) { $0.limit == nil }
    try store.check(#Predicate { $0.flag || $0.limit == (try! number(false)) }) { $0.flag }
    try store.check(#Predicate { $0.limit == (try! number(true)) }) { $0.limit == nil }
    try store.check(#Predicate { $0.flag || $0.title == names[3]?.lowercased() }) { $0.flag }
    try store.check(#Predicate { $0.flag || $0.title == missing![0]?.lowercased() }) { $0.flag }
    try store.check(#Predicate { $0.title == names[0]?.capitalized }) { $0.title == "Rain" }
    try store.check(#Predicate { $0.genre == missing?[3]?.lowercased() }) { $0.genre == nil }
  }
}
