extension Double {
  /// The number as the seconds of a wait: 0 for NaN and negative numbers, and 23 days at most.
  ///
  /// SQLite counts the milliseconds of a wait in 32 bits, and a `Duration` of infinity traps.
  package var asWait: Double { self > 0 ? min(self, 2_000_000) : 0 }
}
