import Foundation
import SwiftData
import Testing

/// Random predicates over random data: a fetch finds what `evaluate` finds.
///
/// `PREDICATES=n` in the environment tries n of them in all, `SEED=s` begins at another seed.
@Suite
struct DifferentialTests {
  private static let environment = ProcessInfo.processInfo.environment
  /// How many data sets there are; each serves an equal share of the predicates.
  private static let seeds = 20
  private static let first = environment["SEED"].flatMap(UInt64.init) ?? 1
  private static let share = (environment["PREDICATES"].flatMap(Int.init) ?? 22_000) / seeds

  @Test("A fetch finds exactly the objects for which evaluate is true", arguments: first..<(first + UInt64(seeds)))
  func agreement(seed: UInt64) throws {
    try Self.check(seed: seed, predicates: Self.share)
  }

  /// Fetches with each predicate. `from`: the number of the first, to repeat one that failed.
  static func check(seed: UInt64, predicates: Int, from first: Int = 0) throws {
    var data = RandomData(seed: seed)
    // Stored text in normal form C takes other SQL.
    data.isNormalized = seed % 2 == 0
    let context = try SwiftDataTests.context(saving: data.objects(24))
    // Another context: what counts is what was stored.
    let reader = ModelContext(context.container)
    // One data set in five has unsaved changes, which are asked in memory.
    if seed % 5 == 0 { try data.change(reader) }
    let all = try reader.fetch(FetchDescriptor<Specimen>())
    let drawers = try reader.fetch(FetchDescriptor<Drawer>())
    for number in first..<(first + predicates) {
      var generator = RandomPredicate(
        seed: seed &* 1_000_003 &+ UInt64(number),
        identifiers: all.map(\.persistentModelID),
        drawerIdentifiers: drawers.map(\.persistentModelID)
      )
      let predicate = generator.predicate(depth: 1 + number % 5)
      let expected = all.filter { (try? predicate.evaluate($0)) ?? false }.map(\.serial).sorted()
      do {
        let found = try reader.fetch(FetchDescriptor<Specimen>(predicate: predicate)).map(\.serial).sorted()
        if found == expected { continue }
        Issue.record(
          "seed \(seed), predicate \(number): \(ExpressionText.describe(predicate.expression)) finds \(found), not \(expected)"
        )
      } catch {
        Issue.record(
          "seed \(seed), predicate \(number): \(ExpressionText.describe(predicate.expression)) throws \(String(reflecting: error))"
        )
      }
    }
  }
}
