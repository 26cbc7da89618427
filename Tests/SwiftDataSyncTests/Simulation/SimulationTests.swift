#if Sync
import Foundation
import SyncProtocol
import Testing

@testable import SwiftDataSync

@Suite("Simulated replicas")
struct SimulationTests {
  private static let comparesSteps = ProcessInfo.processInfo.environment["SYNC_STEPS"] != nil

  @Test(
    "Replicas end equal, lose no save, see saves whole and in causal order, whatever the network and the clocks do",
    arguments: SimulatedRuns.parts)
  func random(_ seeds: Range<UInt64>) {
    for seed in seeds {
      let problems = Simulation(seed: seed, comparesSteps: Self.comparesSteps).run()
      #expect(problems.isEmpty, "\(problems.prefix(5).joined(separator: "\n"))")
    }
  }

  /// Each of these found a mistake. `ArrivalOrderTests` and `ProgramUpdateTests` state the mistakes.
  @Test(
    "The seeds that failed once hold", SimulatedRuns.inTestAll,
    arguments: [288, 431, 451, 849, 2632, 3800, 10636, 11287, 700591, 700840, 700904])
  func failedOnce(seed: UInt64) {
    let problems = Simulation(seed: seed, hasAssets: false, hasPast: false, hasSnapshots: false).run()
    #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
  }

  @Test("A write to a record that became one with another one finds it on a restored server, too (seed 7003)")
  func restored() {
    let problems = Simulation(seed: 7003, hasPast: false, hasSnapshots: false).run()
    #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
  }

  /// `RestoredStoreTests`, `RenamedPropertyTests` and `ProgramUpdateTests` state the mistakes.
  @Test(
    "The seeds that failed once with objects from before the sync, restored stores or old names hold",
    SimulatedRuns.inTestAll, arguments: [17, 52, 1052, 1101, 8107, 60073])
  func failedWithPast(seed: UInt64) {
    let problems = Simulation(seed: seed, hasSnapshots: false).run()
    #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
  }

  @Test(
    "A seed that failed once holds",
    arguments: [
      // `LargeValueTests.sameBytes` states the mistake.
      NamedSeed(60675, "A restored server gets a large value that another record had, too"),
      NamedSeed(720270, "A list that was saved before the first look at its store keeps its order"),
      NamedSeed(63726, "A replica has a large value that the others have"),
    ])
  func named(_ seed: NamedSeed) {
    let problems = Simulation(seed: seed.number, comparesSteps: Self.comparesSteps).run()
    #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
  }

  @Test(
    "The simulator finds each planted bug within few runs", SimulatedRuns.inTestAll, arguments: PlantedBug.allCases)
  func planted(_ bug: PlantedBug) {
    let found = (UInt64(1)...60).first { !Simulation(seed: $0, bug: bug).run().isEmpty }
    #expect(found != nil)
  }
}

/// A seed of a run that failed once, with what the run shows.
struct NamedSeed: CustomTestStringConvertible {
  let number: UInt64
  let testDescription: String

  init(_ number: UInt64, _ lesson: String) { (self.number, testDescription) = (number, "\(number): \(lesson)") }
}

/// The seeds of the random runs. `SYNC_RUNS=100000 SYNC_SEED=1` runs more, from another seed on. `SYNC_STEPS=1` finds the step
/// that goes wrong.
enum SimulatedRuns {
  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  /// `make test` has 50 runs of each simulator. The mistakes that seeds found have tests of their own, which it runs too.
  static let inTestAll: ConditionTrait = .enabled(
    if: ProcessInfo.processInfo.environment["TEST_ALL"] != nil, "only in make test-all: TEST_ALL is not set")

  /// Parts of the seeds, which run at the same time.
  static let parts: [Range<UInt64>] = {
    let (first, count) = (number("SYNC_SEED") ?? 1, number("SYNC_RUNS") ?? 50)
    return stride(from: first, to: first + count, by: 10).map { $0..<min($0 + 10, first + count) }
  }()
}
#endif
