import Foundation

/// The clock, sleep and randomness of a sync. Tests replace them.
public struct SyncEnvironment: Sendable {
  /// The clock of this machine, which may be wrong by minutes.
  public var now: @Sendable () -> Date
  /// Waits, or throws `CancellationError`.
  public var sleep: @Sendable (TimeInterval) async throws -> Void
  /// A random number in 0 ..< 1.
  public var random: @Sendable () -> Double

  /// Makes an environment. Each part defaults to the machine's.
  public init(
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (TimeInterval) async throws -> Void = {
      try await Task.sleep(for: .seconds($0))
    },
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
  ) {
    self.now = now
    self.sleep = sleep
    self.random = random
  }
}

/// The delays after failures.
package enum Backoff {
  /// 1, 2, 4, then always 8 s (guide, 5.2, point 5), plus up to a quarter as jitter, so that many clients do not retry
  /// at once.
  /// - Parameter failures: the number of failures, at least 1.
  package static func delay(after failures: Int, random: Double) -> TimeInterval {
    let seconds = pow(2, Double(min(max(failures, 1), 4) - 1))
    return seconds * (1 + random / 4)
  }
}
