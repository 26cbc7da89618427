extension Duration {
  /// The number of seconds.
  package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }

  /// The seconds of a wait: 0 for negative durations, and 23 days at most. SQLite counts the milliseconds of a wait in 32 bits.
  package var asWait: Double { min(max(seconds, 0), 2_000_000) }
}
