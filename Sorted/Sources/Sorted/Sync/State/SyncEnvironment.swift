import Foundation

/// What a sync takes from the machine: the time, waiting, and chance. Tests bring their own.
public struct SyncEnvironment: Sendable {
  /// The clock of this machine; it may be wrong by minutes.
  public var now: @Sendable () -> Date
  /// Waits, or throws `CancellationError`.
  public var sleep: @Sendable (TimeInterval) async throws -> Void
  /// A number in 0 ..< 1.
  public var random: @Sendable () -> Double

  /// Makes an environment; each part is the machine's own unless given.
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

/// How long to wait after failures.
enum Backoff {
  /// 1, 2, 4, then always 8 s (guide, 5.2, point 5), and up to a quarter more, so that many clients do not come back
  /// at once.
  /// - Parameter failures: how many there were, at least 1.
  static func delay(after failures: Int, random: Double) -> TimeInterval {
    let seconds = pow(2, Double(min(max(failures, 1), 4) - 1))
    return seconds * (1 + random / 4)
  }
}
