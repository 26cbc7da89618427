import Foundation
import SwiftData
import Testing

/// Random sequences of operations on a context beside a reference of plain values.
///
/// `SWIFTDATA_RANDOM_RUNS` raises the number, `SWIFTDATA_RANDOM_SEED` starts at a seed:
/// `SWIFTDATA_RANDOM_SEED=4711 SWIFTDATA_RANDOM_RUNS=1 swift test --traits Sync --filter RandomSequenceTests` repeats one.
@Suite struct RandomSequenceTests {
  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment["SWIFTDATA_RANDOM_\(name)"].flatMap(UInt64.init)
  }

  @Test("Contexts and stores show what plain values would, after every step of any sequence", arguments: 0..<2)
  func sequences(share: UInt64) {
    let first = Self.setting("SEED") ?? 1
    let count = Self.setting("RUNS") ?? 1_000
    let stage = RandomStage()
    var failures = 0
    for seed in first..<(first + count) where seed % 2 == share {
      let sequence = RandomSequence(seed: seed, length: Int(Self.setting("LENGTH") ?? 14))
      guard RandomRun.failure(of: sequence, stage) != nil else { continue }
      failures += 1
      let smallest = RandomShrink.smallest(sequence) { RandomRun.failure(of: $0, stage) != nil }
      Issue.record("\(RandomRun.failure(of: smallest, stage) ?? "fails only sometimes: seed \(seed)")")
      // More would hardly be read.
      if failures == 3 { return }
    }
  }
}
