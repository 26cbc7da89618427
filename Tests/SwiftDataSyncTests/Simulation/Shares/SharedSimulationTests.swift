#if Sync
import Foundation
import SyncProtocol
import Testing

@testable import SwiftDataSync

@Suite("Simulated shares")
struct SharedSimulationTests {
  private static let explains = ProcessInfo.processInfo.environment["SYNC_STEPS"] != nil

  @Test(
    "Devices of an account end equal, participants have what the owner has, others nothing, and no acknowledged save is lost",
    arguments: SimulatedRuns.parts)
  func random(_ seeds: Range<UInt64>) {
    for seed in seeds {
      let problems = SharedSimulation(seed: seed, explains: Self.explains).run()
      #expect(problems.isEmpty, "\(problems.prefix(Self.explains ? 500 : 5).joined(separator: "\n"))")
    }
  }

  /// Each of these found a mistake. `ZoneChangeTests` states the mistakes.
  @Test(
    "The seeds that failed once hold", SimulatedRuns.inTestAll,
    arguments: [
      37, 147, 201, 338, 358, 438, 609, 5081, 20086, 20281, 20298, 20337, 20343, 20443, 20533, 20744, 100643, 150337,
      150485, 150728, 151253, 151343, 151438, 102944, 104911, 155228, 155445, 105801, 120757, 124218, 125291,
    ])
  func failedOnce(seed: UInt64) {
    let problems = SharedSimulation(
      seed: seed, hasAssets: false, hasPast: false, hasSnapshots: false, explains: Self.explains
    ).run()
    #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
  }

  /// `RestoredStoreTests`, `RenamedPropertyTests` and `ProgramUpdateTests` state the mistakes.
  @Test(
    "The seeds that failed once with large values, objects from before the sync, restored stores or old names hold",
    SimulatedRuns.inTestAll, arguments: [12, 1036, 1042, 1053, 1094, 1101, 1125, 2017, 2149, 3022, 3092, 20382, 60085])
  func failedWithPast(seed: UInt64) {
    let problems = SharedSimulation(seed: seed, hasSnapshots: false, explains: Self.explains).run()
    #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
  }

  @Test(
    "A seed that failed once holds",
    arguments: [
      NamedSeed(60064, "A device that has to fold its logs again catches up after its account lost a share"),
      NamedSeed(61641, "A device does not move an object into a share again that a participant took out of it"),
      NamedSeed(12241, "A value that was saved and taken away before a copy of the store was made does not come back"),
      NamedSeed(800632, "An update of a program shows what its unsent deletions take by the new rules"),
      NamedSeed(62467, "A new device of an account has no large value that the others lack"),
      NamedSeed(2_001_427, "Two devices of a participant move an object into a share, one by way of another share"),
      NamedSeed(3_000_446, "Two devices share an object, and the one whose move loses moves it back"),
      NamedSeed(2_002_263, "A store that was restored between the two transactions of a move sends the second one"),
    ])
  func named(_ seed: NamedSeed) {
    let problems = SharedSimulation(seed: seed.number, explains: Self.explains).run()
    #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
  }

  @Test(
    "The simulator finds each planted bug within few runs", SimulatedRuns.inTestAll, arguments: PlantedShareBug.allCases
  )
  func planted(_ bug: PlantedShareBug) {
    let found = (UInt64(1)...60).first { !SharedSimulation(seed: $0, bug: bug).run().isEmpty }
    #expect(found != nil)
  }
}
#endif
