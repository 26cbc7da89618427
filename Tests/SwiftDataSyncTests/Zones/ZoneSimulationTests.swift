#if Sync
import Foundation
import Testing

@testable import SwiftDataSync

@Suite("Simulated replicas of zones")
struct ZoneSimulationTests {
  private static let comparesSteps = ProcessInfo.processInfo.environment["SYNC_STEPS"] != nil

  @Test(
    "Replicas end equal, lose no save, see saves whole and in causal order, whatever the network and the clocks do",
    arguments: SimulatedRuns.parts)
  func random(_ seeds: Range<UInt64>) {
    for seed in seeds {
      let problems = ZoneSimulation(seed: seed, comparesSteps: Self.comparesSteps).run()
      #expect(problems.isEmpty, "\(problems.prefix(5).joined(separator: "\n"))")
    }
  }

  @Test(
    "Devices of three accounts that share objects end equal, and nothing acknowledged is lost",
    arguments: SimulatedRuns.parts)
  func shared(_ seeds: Range<UInt64>) {
    for seed in seeds {
      let problems = ZoneSharedSimulation(seed: seed, comparesSteps: Self.comparesSteps).run()
      #expect(problems.isEmpty, "\(problems.prefix(5).joined(separator: "\n"))")
    }
  }

  @Test(
    "New objects come to a list in its order, also where the writer has the list in memory",
    arguments: [505348, 710279, 710422] as [UInt64])
  func newMembers(_ seed: UInt64) {
    let problems = ZoneSharedSimulation(seed: seed).run()
    #expect(problems.isEmpty, "\(problems.prefix(5).joined(separator: "\n"))")
  }
}
#endif
