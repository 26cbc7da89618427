#if Sync
/// How long to wait before the next try: twice as long after each failure, up to a limit, and not all clients as long as one
/// another.
struct Backoff: Sendable {
  static let first = 0.5

  /// The longest pause, in seconds, unless the server asks for a longer one.
  let longest: Double
  private(set) var failures = 0

  init(longest: Double = 300) { self.longest = longest }

  /// Seconds to wait after another failure.
  /// - Parameters:
  ///   - least: what the server asked for.
  ///   - jitter: between 0 and 1.
  mutating func next(least: Double? = nil, jitter: Double) -> Double {
    let step = min(longest, Self.first * Double(1 << min(failures, 16)))
    failures += 1
    return max(least ?? 0, step * (0.5 + jitter / 2))
  }

  mutating func reset() { failures = 0 }
}
#endif
