import Foundation
import SwiftData
import Testing

/// What the macro takes of values: operators, texts, ranges, optionals, structs.
@Suite
struct MacroValueTests {
  private let store: CatalogStore

  init() throws { store = try CatalogStore() }

  @Test("Enum cases need no type, of optionals neither")
  func enumCases() throws {
    try store.check(#Predicate { $0.status == .pending }) { $0.status == .pending }
    try store.check(#Predicate { $0.status != .pending && $0.mood != .sent }) {
      $0.status != .pending && $0.mood != .sent
    }
    try store.check(#Predicate { $0.mood == .failed }) { $0.mood == .failed }
    try store.check(#Predicate { $0.mood == .none }) { $0.mood == nil }
    try store.check(#Predicate { [.pending, .sent].contains($0.status) }) { [.pending, .sent].contains($0.status) }
    try store.check(#Predicate { $0.mood ?? .sent == .sent }) { $0.mood ?? .sent == .sent }
    try store.check(#Predicate { ($0.flag ? .pending : .sent) == $0.status }) {
      ($0.flag ? .pending : .sent) == $0.status
    }
  }

  @Test("Optionals are compared with values that are none")
  func promotion() throws {
    let status: Catalog.Status? = .sent
    let limit: Int? = 4
    let none: Int? = nil
    try store.check(#Predicate { $0.status == status }) { $0.status == status }
    try store.check(#Predicate { $0.mood == status }) { $0.mood == status }
    try store.check(#Predicate { $0.limit == $0.plays - 1 }) { $0.limit == $0.plays - 1 }
    try store.check(#Predicate { $0.plays == limit || $0.limit == 7 }) { $0.plays == limit || $0.limit == 7 }
    try store.check(#Predicate { $0.limit != $0.plays && $0.limit != none }) {
      $0.limit != $0.plays && $0.limit != none
    }
    try store.check(#Predicate { none == nil && $0.limit == none }) { $0.limit == nil }
    try store.check(#Predicate { ($0.flag ? $0.limit : $0.plays) == 5 }) { ($0.flag ? $0.limit : $0.plays) == 5 }
    try store.check(#Predicate { ($0.limit ?? none) == nil }) { $0.limit == nil }
  }

  @Test("Texts are asked by their methods")
  func texts() throws {
    let needle = "ai"
    let part = "Rain".dropLast()
    try store.check(#Predicate { $0.title.hasPrefix("The ") }) { $0.title.hasPrefix("The ") }
    try store.check(#Predicate { $0.title.hasSuffix("Rain") && !$0.title.hasPrefix("Rain") }) {
      $0.title == "Lovely Rain"
    }
    try store.check(#Predicate { $0.title.lowercased().contains("sun") || $0.title.uppercased() == "RAIN" }) {
      $0.title.lowercased().contains("sun") || $0.title.uppercased() == "RAIN"
    }
    try store.check(#Predicate { $0.title.contains(needle) && needle.contains("a") }) { $0.title.contains(needle) }
    try store.check(#Predicate { !$0.title.isEmpty && "Rainy Sun".contains($0.title) }) { $0.title == "Rain" }
    try store.check(#Predicate { $0.title.isEmpty || $0.title.count == 4 }) { $0.title.isEmpty || $0.title.count == 4 }
    try store.check(#Predicate { $0.title.starts(with: part) }) { $0.title.starts(with: part) }
    try store.check(#Predicate { $0.title.localizedStandardContains("ARGER") }) {
      $0.title.localizedStandardContains("ARGER")
    }
    try store.check(#Predicate { $0.title.caseInsensitiveCompare("RAIN") == .orderedSame }) { $0.title == "Rain" }
    try store.check(#Predicate { $0.title.compare("b") == .orderedDescending }) {
      $0.title.compare("b") == .orderedDescending
    }
    try store.check(#Predicate { $0.title.capitalized == "The Moon" }) { $0.title == "the moon" }
    try store.check(#Predicate { $0.title.contains(/R.in/) }) { $0.title.contains(/R.in/) }
    try store.check(#Predicate { $0.letter == "a" }) { $0.letter == "a" }
    try store.check(#Predicate { $0.genre?.lowercased() == "rock" }) { $0.genre?.lowercased() == "rock" }
    try store.check(#Predicate { $0.title == "\(needle)r" || $0.title > "b" }) { $0.title == "air" || $0.title > "b" }
  }

  @Test("Arithmetic and comparisons keep Swift's meaning")
  func arithmetic() throws {
    try store.check(#Predicate { $0.plays * 2 + 1 > 7 && $0.plays % 2 == 0 }) {
      $0.plays * 2 + 1 > 7 && $0.plays % 2 == 0
    }
    try store.check(#Predicate { $0.duration / 2 < 100 && -$0.plays <= 0 }) { $0.duration / 2 < 100 && -$0.plays <= 0 }
    try store.check(#Predicate { $0.price >= 3.5 && $0.small < 20 }) { $0.price >= 3.5 && $0.small < 20 }
    try store.check(#Predicate { abs($0.plays) > 5 || max($0.plays, 3) == min($0.plays, 4) }) {
      abs($0.plays) > 5 || max($0.plays, 3) == min($0.plays, 4)
    }
    try store.check(#Predicate { Double($0.plays) * 30 > $0.duration - 100 }) {
      Double($0.plays) * 30 > $0.duration - 100
    }
    try store.check(#Predicate { $0.plays.isMultiple(of: 3) }) { $0.plays.isMultiple(of: 3) }
    try store.check(#Predicate { $0.duration < ($0.flag ? 100 : 300) }) { $0.duration < ($0.flag ? 100 : 300) }
    try store.check(#Predicate { !$0.flag && $0.maybe == true || $0.maybe ?? $0.flag }) {
      !$0.flag && $0.maybe == true || $0.maybe ?? $0.flag
    }
  }

  @Test("Ranges contain and match")
  func ranges() throws {
    let range = 100.0...200
    try store.check(#Predicate { range.contains($0.duration) }) { range.contains($0.duration) }
    try store.check(#Predicate { (1...5).contains($0.plays) }) { (1...5).contains($0.plays) }
    try store.check(#Predicate { (1..<5).contains($0.duration / 30) }) { (1..<5).contains($0.duration / 30) }
    try store.check(#Predicate { (5...).contains($0.plays) }) { (5...).contains($0.plays) }
    try store.check(#Predicate { (..<5).contains($0.plays) }) { (..<5).contains($0.plays) }
    try store.check(#Predicate { 1...5 ~= $0.plays || range ~= $0.duration }) {
      1...5 ~= $0.plays || range ~= $0.duration
    }
    try store.check(#Predicate { ($0.plays...($0.plays + 3)).contains(7) }) { ($0.plays...($0.plays + 3)).contains(7) }
  }

  @Test("Members of structs are reached by path")
  func structs() throws {
    try store.check(#Predicate { $0.place.city == "Bern" && $0.place.x > 3 }) {
      $0.place.city == "Bern" && $0.place.x > 3
    }
    try store.check(#Predicate { $0.home?.city == "Genf" }) { $0.home?.city == "Genf" }
    try store.check(#Predicate { $0.home?.zip == nil }) { $0.home?.zip == nil }
    try store.check(#Predicate { $0.home?.zip?.hasPrefix("3") == true }) { $0.home?.zip?.hasPrefix("3") == true }
    try store.check(#Predicate { $0.home != nil && $0.home!.x > 9 }) { $0.home != nil && $0.home!.x > 9 }
    try store.check(#Predicate { $0.loose == nil }) { $0.loose == nil }
    try store.check(#Predicate { $0.loose != nil && $0.plays > 3 }) { $0.loose != nil && $0.plays > 3 }
    try store.check(#Predicate { ($0.loose?.level ?? 0) > 5 }) { ($0.loose?.level ?? 0) > 5 }
  }

  @Test("Arrays, sets and dictionaries are looked into")
  func collections() throws {
    let wanted: Set<Int> = [2, 4]
    let numbers = [3, 5, 7]
    try store.check(#Predicate { $0.tags.contains("b") }) { $0.tags.contains("b") }
    try store.check(#Predicate { $0.marks.contains(2) }) { $0.marks.contains(2) }
    try store.check(#Predicate { numbers.contains($0.plays) || wanted.contains($0.plays) }) {
      numbers.contains($0.plays) || wanted.contains($0.plays)
    }
    try store.check(#Predicate { ["Rain", ""].contains($0.title) }) { ["Rain", ""].contains($0.title) }
    try store.check(#Predicate { ["a", "b"].contains($0.title) || $0.plays > 9 }) { $0.plays > 9 }
    try store.check(#Predicate { $0.tags.contains { $0.count > 1 } }) { $0.tags.contains { $0.count > 1 } }
    try store.check(#Predicate { !$0.tags.isEmpty && $0.tags.allSatisfy { tag in tag.count == 1 } }) {
      !$0.tags.isEmpty && $0.tags.allSatisfy { $0.count == 1 }
    }
    try store.check(#Predicate { track in track.tags.filter { $0 != track.title }.count > 1 }) { $0.tags.count > 1 }
    try store.check(#Predicate { $0.marks.max() == 4 || $0.marks.min() ?? 0 < 1 }) {
      $0.marks.max() == 4 || $0.marks.min() ?? 0 < 1
    }
    try store.check(#Predicate { $0.scores["a"] == 4 || $0.scores["b", default: 9] < $0.plays }) {
      $0.scores["a"] == 4 || $0.scores["b", default: 9] < $0.plays
    }
    try store.check(#Predicate { $0.tags.count > 1 && $0.tags[1] == "b" }) { $0.tags.count > 1 && $0.tags[1] == "b" }
    try store.check(#Predicate { $0.tags.first == "a" }) { $0.tags.first == "a" }
    try store.check(#Predicate { wanted.isDisjoint(with: $0.marks) }) { wanted.isDisjoint(with: $0.marks) }
    try store.check(#Predicate { $0.marks.isSubset(of: [3, 4]) }) { $0.marks.isSubset(of: [3, 4]) }
  }

  @Test("A part that a captured value does not have fails only where it is needed")
  func missingParts() throws {
    let numbers = [3, 5, 7]
    let (names, none): ([String]?, [String]?) = (["Rain"], nil)
    let names2: [String?]? = ["Rain"]
    let byKey: [String: String]? = ["a": "Rain"]
    let value: Any = 3
    try store.check(#Predicate { Array(numbers[0...1]).contains($0.plays) }) { [3, 5].contains($0.plays) }
    try store.check(#Predicate { $0.flag || Array(numbers[1...7]).contains($0.plays) }) { $0.flag }
    try store.check(#Predicate { $0.flag || Array(numbers[4...]).contains($0.plays) }) { $0.flag }
    try store.check(#Predicate { $0.flag || Array(numbers[..<3]).contains($0.plays) }) {
      $0.flag || numbers.contains($0.plays)
    }
    try store.check(#Predicate { $0.title == names?[0] && $0.title == names2?[0] }) { $0.title == "Rain" }
    try store.check(#Predicate { $0.title == byKey?["a"] }) { $0.title == "Rain" }
    try store.check(#Predicate { $0.title.lowercased() == names?[0].lowercased() }) { $0.title == "Rain" }
    try store.check(#Predicate { $0.flag || $0.title == names?[7] }) { $0.flag }
    try store.check(#Predicate { $0.flag || $0.genre == none?[7] }) { $0.flag || $0.genre == nil }
    try store.check(#Predicate { $0.plays == (value as! Int) }) { $0.plays == 3 }
    try store.check(#Predicate { $0.flag || $0.title == (value as! String) }) { $0.flag }
  }
}
