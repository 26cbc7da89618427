import Foundation
import SwiftData
import Testing

@Model private final class Card {
  var key: String
  var number: Int?
  init(_ number: Int?) { (key, self.number) = ("k\(number ?? -1)", number) }
}

/// A condition that is composed of thousands of others needs no more stack, in SQL or in memory, than one of few.
@Suite("Depth")
struct DeepPredicateTests {
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(for: Card.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    for number in 0..<12 { context.insert(Card(number)) }
    context.insert(Card(nil))
    try context.save()
  }

  private static let count = 5_000

  /// The keys that a fetch and `evaluate` find, on a thread of the concurrency runtime, whose stack is small.
  private func keys(
    _ make: @escaping @Sendable () -> Predicate<Card>
  ) async throws -> (fetched: Set<String>, evaluated: Set<String>, counted: Int) {
    try await Task.detached { [container] in
      let context = ModelContext(container)
      let predicate = make()
      let fetched = Set(try context.fetch(FetchDescriptor(predicate: predicate)).map(\.key))
      let counted = try context.fetchCount(FetchDescriptor(predicate: predicate))
      let all = try context.fetch(FetchDescriptor<Card>())
      // Unsaved objects are looked at in memory.
      let new = Card(3)
      context.insert(new)
      let withNew = try context.fetchCount(FetchDescriptor(predicate: predicate))
      #expect(try withNew == counted + (predicate.evaluate(new) ? 1 : 0))
      return (fetched, Set(all.filter { (try? predicate.evaluate($0)) == true }.map(\.key)), counted)
    }.value
  }

  private func check(
    _ expected: Set<String>, _ make: @escaping @Sendable () -> Predicate<Card>,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await keys(make)
    #expect(found.fetched == expected, sourceLocation: location)
    #expect(found.evaluated == expected, sourceLocation: location)
    #expect(found.counted == expected.count, sourceLocation: location)
  }

  private static let stored = Set((0..<12).map { "k\($0)" })

  @Test("5,000 alternatives, each composed with the former ones")
  func alternatives() async throws {
    try await check(Self.stored) {
      (0..<Self.count).reduce(#Predicate<Card> { _ in false }) { former, number in
        let key = "k\(number)"
        return #Predicate<Card> { former.evaluate($0) || $0.key == key }
      }
    }
    try await check(Self.stored) {
      (0..<Self.count).reduce(#Predicate<Card> { _ in false }) { former, number in
        let key = "k\(number)"
        return #Predicate<Card> { $0.key == key || former.evaluate($0) }
      }
    }
  }

  @Test("5,000 conditions that all have to hold")
  func conditions() async throws {
    try await check(["k7", "k-1"]) {
      (0..<Self.count).reduce(#Predicate<Card> { _ in true }) { former, number in
        let key = "k\(number == 7 ? 5_000 : number)"
        return #Predicate<Card> { former.evaluate($0) && $0.key != key }
      }
    }
    try await check(["k7", "k-1"]) {
      (0..<Self.count).reduce(#Predicate<Card> { _ in true }) { former, number in
        let key = "k\(number == 7 ? 5_000 : number)"
        return #Predicate<Card> { $0.key != key && former.evaluate($0) }
      }
    }
  }

  @Test("5,000 conditions with && and || in turn, and with negations")
  func alternating() async throws {
    for newFirst in [false, true] {
      // Even numbers are added, and then each of them but 4 is taken away.
      try await check(["k4"]) {
        (0..<Self.count / 2).reduce(#Predicate<Card> { _ in false }) { former, number in
          let (added, removed) = ("k\(number * 2)", "k\(number == 2 ? 5_000 : number * 2)")
          if newFirst { return #Predicate<Card> { $0.key != removed && ($0.key == added || former.evaluate($0)) } }
          return #Predicate<Card> { (former.evaluate($0) || $0.key == added) && $0.key != removed }
        }
      }
      try await check(Self.stored.subtracting(["k0", "k2"])) {
        (0..<Self.count).reduce(#Predicate<Card> { $0.number != nil }) { former, number in
          let key = "k\(number % 2 == 0 ? 0 : 2)"
          if newFirst { return #Predicate<Card> { !($0.key == key || !former.evaluate($0)) } }
          return #Predicate<Card> { !(!former.evaluate($0) || $0.key == key) }
        }
      }
    }
  }

  @Test("5,000 conditions that can throw")
  func throwing() async throws {
    try await check(Self.stored) {
      (0..<Self.count).reduce(#Predicate<Card> { _ in false }) { former, number in
        #Predicate<Card> { former.evaluate($0) || $0.number! == number }
      }
    }
    try await check(Set(["k11"])) {
      (0..<Self.count).reduce(#Predicate<Card> { _ in true }) { former, number in
        let other = number == 11 ? -5 : number
        return #Predicate<Card> { $0.number! != other && former.evaluate($0) }
      }
    }
  }

  @Test("5,000 predicates joined one after another")
  func joined() async throws {
    try await check(Self.stored) {
      (0..<Self.count).reduce(#Predicate<Card> { _ in false }) { former, number in
        Predicate(any: [former, #Predicate<Card> { $0.number == number }])
      }
    }
    try await check(Self.stored) {
      (0..<Self.count).reduce(#Predicate<Card> { _ in false }) { former, number in
        Predicate(any: [#Predicate<Card> { $0.number == number }, former])
      }
    }
  }

  @Test("a fetch returns what evaluate says of random compositions", arguments: 0..<100)
  func random(seed: Int) async throws {
    var random = RandomSource(seed: UInt64(seed))
    let predicate = Self.predicate(&random, size: 1 + Int(random.next() % 60))
    let context = ModelContext(container)
    let all = try context.fetch(FetchDescriptor<Card>())
    let expected = Set(all.filter { (try? predicate.evaluate($0)) == true }.map(\.key))
    do {
      #expect(Set(try context.fetch(FetchDescriptor(predicate: predicate)).map(\.key)) == expected)
    } catch let error as SwiftDataError where error.code == .unsupportedPredicate {
      #expect(error.message?.contains("in so many levels") == true)
    }
  }

  private static func predicate(_ random: inout RandomSource, size: Int) -> Predicate<Card> {
    let number = Int(random.next() % 22)
    if size <= 1 {
      switch random.next() % 6 {
      case 0: return #Predicate<Card> { $0.number == number }
      case 1: return #Predicate<Card> { $0.number != number }
      case 2: return #Predicate<Card> { $0.number! < number }
      case 3: return #Predicate<Card> { $0.number! > number }
      case 4: return #Predicate<Card> { $0.key == "k3" }
      default: return #Predicate<Card> { ($0.number ?? 3) < number }
      }
    }
    // Chains are as likely as trees.
    let left = random.pick([1, size - 1, random.int(1..<size)])
    let one = predicate(&random, size: left)
    let other = predicate(&random, size: size - left)
    switch random.next() % 6 {
    case 0, 1: return #Predicate<Card> { one.evaluate($0) && other.evaluate($0) }
    case 2, 3: return #Predicate<Card> { one.evaluate($0) || other.evaluate($0) }
    case 4: return #Predicate<Card> { !(one.evaluate($0) || other.evaluate($0)) }
    default: return random.next() % 2 == 0 ? Predicate(all: [one, other]) : Predicate(any: [one, other])
    }
  }

  @Test("a predicate of thousands can be printed and explained, and what cannot be flat is refused")
  func messages() async throws {
    try await Task.detached { [container] in
      let deep = (0..<Self.count).reduce(#Predicate<Card> { _ in false }) { former, number in
        #Predicate<Card> { former.evaluate($0) || $0.number == number }
      }
      #expect("\(deep)".count < 10_000)
      let context = ModelContext(container)
      let explanation = try context.explain(FetchDescriptor(predicate: deep))
      #expect(!explanation.plan.isEmpty)
      let nested = (0..<Self.count).reduce(#Predicate<Card> { _ in false }) { former, number in
        #Predicate<Card> { former.evaluate($0) ? $0.number == number : $0.key == "a" }
      }
      let error = #expect(throws: SwiftDataError.self) {
        try context.fetch(FetchDescriptor(predicate: nested))
      }
      #expect(error?.code == .unsupportedPredicate)
    }.value
  }
}
