import Synchronization

/// Limits how often each client may do something: each key has a bucket of tokens, which fills steadily, and each call takes one.
///
/// The limiter remembers a bounded number of keys. A full bucket says nothing that a new one would not, so the limiter drops
/// buckets when they are full. Where it has no room for another bucket, it refuses new keys: a client that makes up a key for each
/// request gets no more tokens than there is room for, and no key that is used up gets a new bucket.
public final class RateLimiter<Key: Hashable & Sendable>: Sendable {
  private let buckets: Mutex<Buckets<Key>>

  /// Makes a limiter whose buckets are all full.
  /// - Parameters:
  ///   - burst: how many calls a key may make at once, at least 1.
  ///   - perSecond: how many calls a key may make in a second for long, more than 0.
  ///   - maximumKeys: how many keys the limiter remembers.
  public init(burst: Double, perSecond: Double, maximumKeys: Int = 10_000) {
    buckets = Mutex(Buckets(burst: burst, perSecond: perSecond, maximumKeys: maximumKeys))
  }

  /// Takes a token from the bucket of a key.
  /// - Returns: nil if the call is allowed, or else how long the client should wait.
  /// - Complexity: O(1), amortized, for any sequence of keys.
  public func take(_ key: Key, at time: ContinuousClock.Instant = .now) -> Duration? {
    buckets.withLock { $0.take(key, at: time) }
  }

  /// How many buckets the limiter has.
  public var count: Int { buckets.withLock { $0.count } }

  /// How many slots and buckets the limiter has looked at to find full ones.
  package var steps: Int { buckets.withLock { $0.steps } }
}

/// The buckets of a ``RateLimiter``, ordered by the time when they are full.
///
/// A bucket is the time when it is full: what it lacks is what flows into it until then. The order is a wheel of slots. Each slot
/// is a list of the buckets that are full by the end of a short stretch of time. Taking a token moves the bucket to another list,
/// and dropping the full buckets empties the lists whose time is over.
private struct Buckets<Key: Hashable & Sendable> {
  private struct Bucket {
    let key: Key
    /// In seconds since ``start``.
    var isFullAt: Double
    /// The neighbors in the list of the slot, -1 for none.
    var previous = -1
    var next = -1
  }

  /// The slots cover the time in which an empty bucket fills, so the limiter drops a full bucket at most 1/256 of it late.
  private static var slotCount: Int { 256 }

  private let capacity: Double
  private let secondsPerToken: Double
  private let maximumKeys: Int
  private let slotLength: Double
  private let start = ContinuousClock.now
  /// The latest time of a call. Calls of several threads may come in another order than their times.
  private var now = 0.0
  /// The first slot that may have buckets, counted from ``start``.
  private var firstSlot = 0.0
  /// The place of each key's bucket in ``buckets``.
  private var places: [Key: Int] = [:]
  private var buckets: [Bucket] = []
  private var unused: [Int] = []
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

  var count: Int { places.count }

  mutating func take(_ key: Key, at time: ContinuousClock.Instant) -> Duration? {
    now = max(now, (time - start) / .seconds(1))
    dropFull()
    if let place = places[key] {
      let isFullAt = max(buckets[place].isFullAt, now) + secondsPerToken
      let wait = isFullAt - now - capacity * secondsPerToken
      // A sum of fractions is not exact.
      guard wait < 1e-9 else { return .seconds(wait) }
      unlink(place)
      link(place, isFullAt: isFullAt)
    } else {
      guard places.count < maximumKeys else { return .seconds(secondsPerToken) }
      let bucket = Bucket(key: key, isFullAt: now)
      let place = unused.popLast() ?? buckets.count
      if place < buckets.count { buckets[place] = bucket } else { buckets.append(bucket) }
      places[key] = place
      link(place, isFullAt: now + secondsPerToken)
    }
    return nil
  }

  /// Drops the buckets of all slots whose time is over.
  private mutating func dropFull() {
    let current = (now / slotLength).rounded(.down)
    // After more than a turn, all buckets are full.
    firstSlot = max(firstSlot, current - Double(wheel.count))
    while firstSlot < current {
      let slot = index(firstSlot)
      while wheel[slot] >= 0 {
        let place = wheel[slot]
        wheel[slot] = buckets[place].next
        places[buckets[place].key] = nil
        unused.append(place)
        steps += 1
      }
      firstSlot += 1
      steps += 1
    }
  }

  private func index(_ slot: Double) -> Int { Int(slot.truncatingRemainder(dividingBy: Double(wheel.count))) }

  private func index(of bucket: Bucket) -> Int { index((bucket.isFullAt / slotLength).rounded(.down)) }

  private mutating func link(_ place: Int, isFullAt: Double) {
    buckets[place].isFullAt = isFullAt
    let slot = index(of: buckets[place])
    buckets[place].previous = -1
    buckets[place].next = wheel[slot]
    if wheel[slot] >= 0 { buckets[wheel[slot]].previous = place }
    wheel[slot] = place
  }

  private mutating func unlink(_ place: Int) {
    let bucket = buckets[place]
    if bucket.previous >= 0 {
      buckets[bucket.previous].next = bucket.next
    } else {
      wheel[index(of: bucket)] = bucket.next
    }
    if bucket.next >= 0 { buckets[bucket.next].previous = bucket.previous }
  }
}
