import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

@Model private final class Card {
  var key: String
  var number: Int?
  init(_ number: Int?) { (key, self.number) = ("k\(number ?? -1)", number) }
}

/// Thousands of composed conditions are one flat condition for the server too.
@Suite("Depth on the server", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct PostgresDeepPredicateTests {
  private let store = TestStore()
  private let container: ModelContainer

  init() throws {
    container = try store.open(Card.self)
    let context = ModelContext(container)
    for number in 0..<12 { context.insert(Card(number)) }
    context.insert(Card(nil))
    try context.save()
  }

  private static let count = 5_000
  private static let stored = Set((0..<12).map { "k\($0)" })

  /// Compares the keys that a fetch finds on a thread of the concurrency runtime, whose stack is small.
  private func check(
    _ expected: Set<String>, from start: Predicate<Card>, _ location: SourceLocation = #_sourceLocation,
    _ step: @escaping @Sendable (Predicate<Card>, Int) -> Predicate<Card>
  ) async throws {
    let (fetched, counted, plan) = try await Task.detached { [container] in
      let context = ModelContext(container)
      let descriptor = FetchDescriptor(predicate: (0..<Self.count).reduce(start, step))
      return (
        try context.fetch(descriptor).map(\.key), try context.fetchCount(descriptor), try context.explain(descriptor)
      )
    }.value
    #expect(Set(fetched) == expected, sourceLocation: location)
    #expect(counted == expected.count, sourceLocation: location)
    // The server computes the whole condition.
    #expect(plan.sql.contains("WHERE"), sourceLocation: location)
  }

  @Test("5,000 alternatives, nested from either side")
  func alternatives() async throws {
    try await check(Self.stored, from: #Predicate<Card> { _ in false }) { former, number in
      let key = "k\(number)"
      return #Predicate<Card> { former.evaluate($0) || $0.key == key }
    }
    try await check(Self.stored, from: #Predicate<Card> { _ in false }) { former, number in
      let key = "k\(number)"
      return #Predicate<Card> { $0.key == key || former.evaluate($0) }
    }
  }

  @Test("5,000 conditions that all have to hold, nested from either side")
  func conditions() async throws {
    try await check(["k7", "k-1"], from: #Predicate<Card> { _ in true }) { former, number in
      let key = "k\(number == 7 ? 5_000 : number)"
      return #Predicate<Card> { former.evaluate($0) && $0.key != key }
    }
    try await check(["k7", "k-1"], from: #Predicate<Card> { _ in true }) { former, number in
      let key = "k\(number == 7 ? 5_000 : number)"
      return #Predicate<Card> { $0.key != key && former.evaluate($0) }
    }
  }

  @Test("5,000 conditions with && and || in turn, nested from either side")
  func alternating() async throws {
    try await check(["k4"], from: #Predicate<Card> { _ in false }) { former, number in
      let (added, removed) = ("k\(number)", "k\(number == 4 ? 5_000 : number)")
      return #Predicate<Card> { (former.evaluate($0) || $0.key == added) && $0.key != removed }
    }
    try await check(["k4"], from: #Predicate<Card> { _ in false }) { former, number in
      let (added, removed) = ("k\(number)", "k\(number == 4 ? 5_000 : number)")
      return #Predicate<Card> { $0.key != removed && ($0.key == added || former.evaluate($0)) }
    }
  }

  @Test("what cannot be flat is refused, and not evaluated in memory")
  func nested() async throws {
    await Task.detached { [container] in
      let nested = (0..<Self.count).reduce(#Predicate<Card> { _ in false }) { former, number in
        #Predicate<Card> { former.evaluate($0) ? $0.number == number : $0.key == "a" }
      }
      #expect(throws: SwiftDataError.unsupportedPredicate) {
        try ModelContext(container).fetch(FetchDescriptor(predicate: nested))
      }
    }.value
  }

  @Test("5,000 conditions that can throw")
  func throwing() async throws {
    try await check(Self.stored, from: #Predicate<Card> { _ in false }) { former, number in
      #Predicate<Card> { former.evaluate($0) || $0.number! == number }
    }
    try await check(["k11"], from: #Predicate<Card> { _ in true }) { former, number in
      let other = number == 11 ? -5 : number
      return #Predicate<Card> { $0.number! != other && former.evaluate($0) }
    }
  }
}
