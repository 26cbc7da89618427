import Foundation
import SwiftData
import Testing

/// Random data on each pair of versions that `scripts/random-models` generates: fetches equal Swift over all objects, and a
/// migration does what the plain Swift function of the change says. `Documentation/testing.md` says what varies.
///
/// `RANDOM_MODELS=n` in the environment runs n data sets on each pair, `SEED=s` begins at another seed,
/// `RANDOM_PAIRS=text` runs only the pairs whose name contains the text.
@Suite struct RandomPairTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let count = environment["RANDOM_MODELS"].flatMap(UInt64.init) ?? 1
  private static let first = environment["SEED"].flatMap(UInt64.init) ?? 1
  private static let filter = environment["RANDOM_PAIRS"]

  @Test("Random models on SQLite: fetches equal Swift, and migrations equal the plain function")
  func sqlite() { Self.run(on: SQLiteDatabase.self) }

  @Test(
    "Random models on PostgreSQL: fetches equal Swift, and migrations equal the plain function",
    .enabled(
      if: !PostgresDatabase.url.isEmpty && environment["RANDOM_MODELS"] != nil,
      "run `RANDOM_MODELS=1 SWIFTDATA_TESTS=RandomModelTests scripts/postgres swift test --traits Sync`"))
  func postgres() { Self.run(on: PostgresDatabase.self) }

  @Test(
    "Random models on SQLite: an older program that opens a store takes no values that both versions know, and exchanges none"
  )
  func olderProgramOnSQLite() { Self.runOlderProgram(on: SQLiteDatabase.self) }

  @Test(
    "Random models on PostgreSQL: an older program that opens a store takes no values of the newer one",
    .enabled(
      if: !PostgresDatabase.url.isEmpty && environment["RANDOM_MODELS"] != nil,
      "run `RANDOM_MODELS=1 SWIFTDATA_TESTS=RandomModelTests scripts/postgres swift test --traits Sync`"))
  func olderProgramOnPostgres() { Self.runOlderProgram(on: PostgresDatabase.self) }

  private static var pairs: [Pair] { allPairs.filter { pair in filter.map { pair.name.contains($0) } ?? true } }

  private static func runOlderProgram(on database: any TestDatabase.Type) {
    var (sets, turns, wrong) = (0, 0, 0)
    for pair in pairs {
      for seed in first..<(first + count) {
        guard var program = OlderProgram(pair, seed: seed, on: database) else { continue }
        program.run(on: database)
        (sets, turns) = (sets + 1, turns + program.turns)
        guard !program.failures.isEmpty else { continue }
        wrong += 1
        Issue.record(
          "\(database.label), pair \"\(pair.name)\", seed \(seed): \(program.failures.joined(separator: "\n"))")
      }
    }
    print("older programs: \(sets) data sets on \(database.label), \(turns) turns, \(wrong) wrong")
  }

  private static func run(on database: any TestDatabase.Type) {
    var (sets, wrong) = (0, 0)
    for pair in pairs {
      for seed in first..<(first + count) {
        var data = DataSet(pair, seed: seed, questions: 6)
        data.run(on: database)
        sets += 1
        guard !data.failures.isEmpty else { continue }
        wrong += 1
        Issue.record(
          "\(database.label), pair \"\(pair.name)\", seed \(seed): \(data.failures.joined(separator: "\n"))")
      }
    }
    print("random models: \(pairs.count) pairs, \(sets) data sets on \(database.label), \(wrong) wrong")
  }
}
