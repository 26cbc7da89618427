import Foundation
import Synchronization

/// So many at once, then so many a second, for each key.
final class RateLimit: Sendable {
  private struct Bucket {
    var level: Double
    var time: ContinuousClock.Instant
  }

  private let burst: Double
  private let perSecond: Double
  private let buckets = Mutex<[String: Bucket]>([:])
  /// At most this many keys are remembered, so that memory stays flat.
  private static let maximumKeys = 10_000

  init(burst: Double, perSecond: Double) {
    self.burst = burst
    self.perSecond = perSecond
  }

  /// - Throws: ``PageError/tooMany``.
  func take(_ key: String, at now: ContinuousClock.Instant = .now) throws {
    let isAllowed = buckets.withLock { buckets in
      if buckets.count >= Self.maximumKeys { buckets = buckets.filter { level($0.value, now) > 0 } }
      if buckets.count >= Self.maximumKeys { buckets = [:] }
      let taken = buckets[key].map { level($0, now) } ?? 0
      guard taken + 1 <= burst else { return false }
      buckets[key] = Bucket(level: taken + 1, time: now)
      return true
    }
    guard isAllowed else { throw PageError.tooMany }
  }

  private func level(_ bucket: Bucket, _ now: ContinuousClock.Instant) -> Double {
    max(0, bucket.level - (now - bucket.time) / .seconds(1) * perSecond)
  }
}
