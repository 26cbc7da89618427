import Foundation
import SwiftData
import Testing

/// Random predicates and orders over random data: a fetch returns what `evaluate` finds, as `sorted(using:)` sorts it.
///
/// `PREDICATES=n` in the environment tries n of them in all, `SEED=s` begins at another seed, `DATASETS=d` spreads them
/// over d data sets. What was found, and the largest run: `Documentation/testing.md`.
@Suite
struct DifferentialTests {
  private static let environment = ProcessInfo.processInfo.environment
  /// How many data sets there are; each serves an equal share of the predicates.
  private static let seeds = environment["DATASETS"].flatMap(UInt64.init) ?? 20
  private static let first = environment["SEED"].flatMap(UInt64.init) ?? 1
  private static let share = (environment["PREDICATES"].flatMap(Int.init) ?? 3_000) / Int(seeds)

  @Test("A fetch returns the objects for which evaluate is true, sorted", arguments: first..<(first + seeds))
  func agreement(seed: UInt64) throws {
    let data = try DifferentialData(seed: seed)
    for number in 0..<Self.share {
      if let difference = data.difference(number) { Issue.record("seed \(seed), number \(number): \(difference)") }
    }
  }
}

/// One data set of the differential test.
struct DifferentialData {
  private let seed: UInt64
  private let context: ModelContext
  private let all: [Specimen]
  private let drawers: [Drawer]
  /// Swift's sort has no place for NaN, so that data with it is not sorted.
  private let isSorted: Bool

  /// - Parameter save: makes a context whose store has some objects.
  init(
    seed: UInt64, saving save: ([any PersistentModel]) throws -> ModelContext = SwiftDataTests.context(saving:)
  ) throws {
    self.seed = seed
    isSorted = seed % 3 != 0
    var data = RandomData(seed: seed)
    // Stored text in normal form C takes other SQL.
    data.isNormalized = seed % 2 == 0
    data.hasNaN = !isSorted
    // Another context: what counts is what was stored.
    context = ModelContext(try save(data.objects(24)).container)
    // One data set in five has unsaved changes, which are asked in memory.
    if seed % 5 == 0 { try data.change(context) }
    all = try context.fetch(FetchDescriptor<Specimen>())
    drawers = try context.fetch(FetchDescriptor<Drawer>())
  }

  /// What a fetch with a random predicate and order does differently from Swift; nil where nothing.
  func difference(_ number: Int) -> String? {
    var generator = RandomPredicate(
      seed: seed &* 1_000_003 &+ UInt64(number),
      identifiers: all.map(\.persistentModelID),
      drawerIdentifiers: drawers.map(\.persistentModelID)
    )
    let predicate = generator.predicate(depth: 1 + number % 5)
    var descriptor = FetchDescriptor<Specimen>(predicate: predicate)
    if isSorted, number % 2 == 0 {
      descriptor.sortBy = (0..<generator.random.int(1..<4)).map { _ in
        generator.random.pick(SortTests.keys)(generator.random.pick([.forward, .reverse]))
      }
    }
    var expected = all.filter { (try? predicate.evaluate($0)) ?? false }.sorted(using: descriptor.sortBy)
    if number % 7 == 0 {
      let (offset, limit) = (generator.random.int(0..<5), generator.random.int(1..<10))
      (descriptor.fetchOffset, descriptor.fetchLimit) = (offset, limit)
      expected = Array(expected.dropFirst(offset).prefix(limit))
    }
    let text = ExpressionText.describe(predicate.expression)
    let sort = descriptor.sortBy.map { "\($0.keyPath!) \($0.order)" }.joined(separator: ", ")
    do {
      let found = try context.fetch(descriptor)
      if found.map(\.serial) == expected.map(\.serial) { return nil }
      return "\(text) by [\(sort)] finds \(found.map(\.serial)), not \(expected.map(\.serial))"
    } catch {
      return "\(text) by [\(sort)] throws \(String(reflecting: error))"
    }
  }
}
