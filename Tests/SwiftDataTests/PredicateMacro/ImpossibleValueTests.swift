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

  @Test("is not needed after a question mark that ends the chain")
  func chains() throws {
    struct Shelf {
      var rows: [[String]]? = [["Rain"], ["Sun"]]
      var next: [Int]?
      func name(_ row: Int) -> String { rows?[row][0] ?? "" }
      func part(_ row: Int?) -> String? { row.map(name) }
      subscript(_ row: Int, _ column: Int) -> String { rows![row][column] }
    }
    let (shelf, nothing): (Shelf?, Shelf?) = (Shelf(), nil)
    let (first, none): (Int?, Int?) = (0, nil)
    try store.check(#Predicate { $0.genre == nothing?.name(none!) }) { $0.genre == nil }
    try store.check(#Predicate { $0.flag || $0.genre == shelf?.name(none!) }) { $0.flag }
    try store.check(#Predicate { $0.title == shelf?.name(first!) }) { $0.title == "Rain" }
    // A chain that ends with an optional is one optional.
    try store.check(#Predicate { $0.genre == nothing?.part(none!) }) { $0.genre == nil }
    try store.check(#Predicate { $0.title == shelf?.part(first!) }) { $0.title == "Rain" }
    try store.check(#Predicate { $0.genre == nothing?.rows![none!][0].lowercased() }) { $0.genre == nil }
    try store.check(#Predicate { $0.flag || $0.genre == shelf?.rows![7][0].lowercased() }) { $0.flag }
    try store.check(#Predicate { $0.genre == shelf?.next?[none!].description }) { $0.genre == nil }
    try store.check(#Predicate { $0.genre == nothing?.rows?[none!].first?.prefix(minus).lowercased() }) {
      $0.genre == nil
    }
    try store.check(#Predicate { $0.flag || $0.genre == shelf?.rows?[first!].first?.prefix(minus).lowercased() }) {
      $0.flag
    }
    try store.check(#Predicate { $0.genre == nothing?[none!, none!] }) { $0.genre == nil }
    try store.check(#Predicate { $0.title == shelf?[first!, zero] }) { $0.title == "Rain" }
    // The chain is an operand, an argument, and the base of what the model decides.
    try store.check(#Predicate { $0.title == nothing?.name(none!) ?? shelf?.name(first!) }) { $0.title == "Rain" }
    try store.check(#Predicate { $0.title == shelf?.part(nothing?.next![none!] ?? 0) }) { $0.title == "Rain" }
    try store.check(#Predicate { $0.flag || nothing?.rows![none!].contains($0.title) == true }) { $0.flag }
    try store.check(#Predicate { shelf?.rows![first!].contains($0.title) == true }) { $0.title == "Rain" }
    // Parentheses end the chain.
    try store.check(#Predicate { $0.flag || $0.genre == (nothing?.rows)![0][0] }) { $0.flag }
    try store.check(
      #Predicate {
        let name = nothing?.name(none!)
        return $0.genre == name
      }
    ) { $0.genre == nil }
  }
}
