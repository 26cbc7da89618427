import Foundation
import SwiftData
import Testing

/// Random predicates over random data: a fetch finds what `evaluate` finds.
@Suite
struct DifferentialTests {
  @Test("A fetch finds exactly the objects for which evaluate is true", arguments: UInt64(1)...6)
  func agreement(seed: UInt64) throws {
    try Self.check(seed: seed, predicates: ProcessInfo.processInfo.environment["PREDICATES"].flatMap(Int.init) ?? 150)
  }

  static func check(seed: UInt64, predicates: Int, from first: Int = 0) throws {
    var data = RandomData(seed: seed)
    // Stored text in normal form C takes other SQL.
    data.isNormalized = seed % 2 == 0
    let context = try SwiftDataTests.context(saving: data.objects(40))
    // Another context: what counts is what was stored.
    let reader = ModelContext(context.container)
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
      let text = ExpressionText.describe(predicate.expression)
      do {
        let found = try reader.fetch(FetchDescriptor<Specimen>(predicate: predicate)).map(\.serial).sorted()
        if ProcessInfo.processInfo.environment["SHAPES"] != nil {
          print("SHAPE", expected.isEmpty ? "none" : expected.count == all.count ? "all" : "some")
        }
        #expect(found == expected, "seed \(seed), predicate \(number): \(text)")
      } catch {
        Issue.record("seed \(seed), predicate \(number): \(text) throws \(String(reflecting: error))")
      }
    }
  }
}
