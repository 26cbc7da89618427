import Synchronization

/// A rate limiter with a token bucket for each key: `burst` calls at once, then `perSecond` calls a second.
///
/// The limiter keeps a bounded number of buckets. It drops a bucket when it is full, because a new bucket is full as well. It
/// refuses new keys while it has no room for another bucket. So a client that invents a key for each request gets at most
/// `maximumKeys` tokens, and no exhausted key gets a new bucket.
public final class RateLimiter<Key: Hashable & Sendable>: Sendable {
  private let buckets: Mutex<Buckets<Key>>

  /// Makes a limiter whose buckets are all full.
  /// - Parameters:
  ///   - burst: the capacity of a bucket in calls, at least 1.
  ///   - perSecond: the number of tokens that flow into a bucket each second, more than 0.
  ///   - maximumKeys: the largest number of buckets.
  public init(burst: Double, perSecond: Double, maximumKeys: Int = 10_000) {
    buckets = Mutex(Buckets(burst: burst, perSecond: perSecond, maximumKeys: maximumKeys))
  }

  /// Takes a token from the bucket of a key.
  /// - Returns: nil if the call is allowed, or else the time that the client should wait.
  /// - Complexity: O(1), amortized, for any sequence of keys.
  public func take(_ key: Key, at time: ContinuousClock.Instant = .now) -> Duration? {
    buckets.withLock { $0.take(key, at: time) }
  }

  /// The number of buckets.
  public var count: Int { buckets.withLock { $0.count } }

  /// The number of slots and buckets that the limiter has visited to find full buckets.
  package var steps: Int { buckets.withLock { $0.steps } }
}

/// The buckets of a ``RateLimiter`` in a timing wheel.
///
/// A bucket is stored as the time when it is full, from which the number of its tokens follows. Each slot of the wheel is a
/// linked list of the buckets that become full within one short interval. Taking a token moves a bucket to a later slot.
/// Dropping full buckets empties the slots whose interval is over.
private struct Buckets<Key: Hashable & Sendable> {
  private struct Bucket {
    let key: Key
    /// The time when the bucket is full, in seconds since ``start``.
    var isFullAt: Double
    /// The previous bucket in the list of the slot, -1 for none.
    var previous = -1
    /// The next bucket in the list of the slot, -1 for none.
    var next = -1
  }

  /// The number of slots that cover the time in which an empty bucket fills. The limiter drops a full bucket at most 1/256 of
  /// that time late.
  private static var slotCount: Int { 256 }

  private let capacity: Double
  private let secondsPerToken: Double
  private let maximumKeys: Int
  private let slotLength: Double
  private let start = ContinuousClock.now
  /// The latest time of a call. Calls of several threads may arrive out of order.
  private var now = 0.0
  /// The first slot that may have buckets, counted from ``start``.
  private var firstSlot = 0.0
  /// The index of each key's bucket in ``buckets``.
  private var indices: [Key: Int] = [:]
  private var buckets: [Bucket] = []
  /// The indices in ``buckets`` that no key has.
  private var freeIndices: [Int] = []
  /// The first bucket of each slot, -1 for none. A bucket is full at most ``slotCount`` slots after now, and the wheel has two more
  /// slots, so no list has buckets of two turns.
  private var wheel = [Int](repeating: -1, count: slotCount + 2)
  private(set) var steps = 0

  init(burst: Double, perSecond: Double, maximumKeys: Int) {
    capacity = max(1, burst)
    secondsPerToken = 1 / max(1e-6, perSecond)
    self.maximumKeys = max(1, maximumKeys)
    slotLength = max(1e-6, capacity * secondsPerToken / Double(Self.slotCount))
  }

  var count: Int { indices.count }

  mutating func take(_ key: Key, at time: ContinuousClock.Instant) -> Duration? {
    now = max(now, (time - start) / .seconds(1))
    dropFull()
    if let index = indices[key] {
      let isFullAt = max(buckets[index].isFullAt, now) + secondsPerToken
      let wait = isFullAt - now - capacity * secondsPerToken
      // Rounding may leave a wait of a few bits.
      guard wait < 1e-9 else { return .seconds(wait) }
      unlink(index)
      link(index, isFullAt: isFullAt)
    } else {
      guard indices.count < maximumKeys else { return .seconds(secondsPerToken) }
      let bucket = Bucket(key: key, isFullAt: now)
      let index = freeIndices.popLast() ?? buckets.count
      if index < buckets.count { buckets[index] = bucket } else { buckets.append(bucket) }
      indices[key] = index
      link(index, isFullAt: now + secondsPerToken)
    }
    return nil
  }

  /// Drops the buckets of all slots whose time is over.
  private mutating func dropFull() {
    let current = (now / slotLength).rounded(.down)
    // All buckets are full after a whole turn.
    firstSlot = max(firstSlot, current - Double(wheel.count))
    while firstSlot < current {
      let slot = wheelIndex(firstSlot)
      while wheel[slot] >= 0 {
        let index = wheel[slot]
        wheel[slot] = buckets[index].next
        indices[buckets[index].key] = nil
        freeIndices.append(index)
        steps += 1
      }
      firstSlot += 1
      steps += 1
    }
  }

  private func wheelIndex(_ slot: Double) -> Int { Int(slot.truncatingRemainder(dividingBy: Double(wheel.count))) }

  private func slot(of bucket: Bucket) -> Int { wheelIndex((bucket.isFullAt / slotLength).rounded(.down)) }

  private mutating func link(_ index: Int, isFullAt: Double) {
    buckets[index].isFullAt = isFullAt
    let slot = self.slot(of: buckets[index])
    buckets[index].previous = -1
    buckets[index].next = wheel[slot]
    if wheel[slot] >= 0 { buckets[wheel[slot]].previous = index }
    wheel[slot] = index
  }

  private mutating func unlink(_ index: Int) {
    let bucket = buckets[index]
    if bucket.previous >= 0 {
      buckets[bucket.previous].next = bucket.next
    } else {
      wheel[slot(of: bucket)] = bucket.next
    }
    if bucket.next >= 0 { buckets[bucket.next].previous = bucket.previous }
  }
}
