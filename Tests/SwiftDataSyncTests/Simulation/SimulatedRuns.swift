#if Sync
import Foundation

/// The seeds of the random runs. `SYNC_RUNS=100000 SYNC_SEED=1` runs more, from another seed on. `SYNC_STEPS=1` finds the step
/// that goes wrong.
enum SimulatedRuns {
  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  /// Parts of the seeds, which run at the same time.
  static let parts: [Range<UInt64>] = {
    let (first, count) = (number("SYNC_SEED") ?? 1, number("SYNC_RUNS") ?? 50)
    return stride(from: first, to: first + count, by: 10).map { $0..<min($0 + 10, first + count) }
  }()
}
#endif
