import Foundation
import SyncProtocol
import Testing

@testable import SwiftDataSync

@Suite("Simulated replicas")
struct SimulationTests {
  /// `SYNC_RUNS=100000 SYNC_SEED=1` runs more, from another seed on. `SYNC_STEPS=1` finds the step that goes wrong.
  private static let runs = ProcessInfo.processInfo.environment["SYNC_RUNS"].flatMap { UInt64($0) } ?? 60
  private static let first = ProcessInfo.processInfo.environment["SYNC_SEED"].flatMap { UInt64($0) } ?? 1

  private static let comparesSteps = ProcessInfo.processInfo.environment["SYNC_STEPS"] != nil

  @Test("Replicas end equal, lose no save, see saves whole and in causal order, whatever the network and the clocks do")
  func random() {
    for seed in Self.first..<Self.first + Self.runs {
      let problems = Simulation(seed: seed, comparesSteps: Self.comparesSteps).run()
      #expect(problems.isEmpty, "\(problems.prefix(5).joined(separator: "\n"))")
    }
  }

  /// Each of these found a mistake. `ArrivalOrderTests` and `ProgramUpdateTests` state the mistakes.
  @Test(
    "The seeds that failed once hold",
    arguments: [288, 431, 451, 849, 2632, 3800, 10636, 11287, 700591, 700840, 700904])
  func failedOnce(seed: UInt64) {
    let problems = Simulation(seed: seed).run()
    #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
  }

  @Test("The simulator finds each planted bug within few runs", arguments: PlantedBug.allCases)
  func planted(_ bug: PlantedBug) {
    let found = (UInt64(1)...60).first { !Simulation(seed: $0, bug: bug).run().isEmpty }
    #expect(found != nil)
  }
}
