import HTTPServing
import Testing

@Suite("Rate limiter") struct RateLimiterTests {
  /// After all limiters are made: they take earlier times for the time of their making.
  private let start = ContinuousClock.now + .seconds(1_000)

  private func seconds(_ count: Double) -> ContinuousClock.Instant { start + .seconds(count) }

  @Test("A key takes its burst at once, then as many as flow in, and hears how long to wait")
  func bucket() throws {
    let limiter = RateLimiter<String>(burst: 3, perSecond: 2)
    for _ in 1...3 { #expect(limiter.take("a", at: seconds(1)) == nil) }
    let wait = try #require(limiter.take("a", at: seconds(1)))
    #expect(abs(wait / .seconds(1) - 0.5) < 1e-6)
    #expect(limiter.take("b", at: seconds(1)) == nil)
    #expect(limiter.take("a", at: seconds(1.25)) != nil)
    #expect(limiter.take("a", at: seconds(1.5)) == nil)
    #expect(limiter.take("a", at: seconds(1.5)) != nil)
    // A bucket holds no more than a burst, however long it fills.
    for _ in 1...3 { #expect(limiter.take("a", at: seconds(9_000)) == nil) }
    #expect(limiter.take("a", at: seconds(9_000)) != nil)
  }

  @Test("An attacker with a key for each request empties no bucket, gains no token, and fills no memory")
  func attack() {
    let limiter = RateLimiter<String>(burst: 10, perSecond: 1, maximumKeys: 100)
    for _ in 1...10 { #expect(limiter.take("guesser", at: seconds(1)) == nil) }
    #expect(limiter.take("guesser", at: seconds(1)) != nil)
    var allowed = 0
    for number in 0..<100_000 where limiter.take("made up \(number)", at: seconds(1)) == nil { allowed += 1 }
    #expect(allowed == 99)
    #expect(limiter.count == 100)
    // The bucket of the guesser is the one that it was.
    #expect(limiter.take("guesser", at: seconds(1)) != nil)
    #expect(limiter.take("guesser", at: seconds(2)) == nil)
    #expect(limiter.take("guesser", at: seconds(2)) != nil)
  }

  @Test("A limiter without room takes a new key as soon as a bucket is full, and never drops one that is not")
  func room() {
    let limiter = RateLimiter<Int>(burst: 256, perSecond: 1, maximumKeys: 10)
    // Key n lacks 20 n tokens, so its bucket is full after 20 n seconds. A slot is a second long here.
    for key in 1...10 { for _ in 1...20 * key { #expect(limiter.take(key, at: seconds(0)) == nil) } }
    for turn in 1...10 {
      let full = Double(20 * turn)
      #expect(limiter.take(1_000, at: seconds(full - 0.5)) != nil)
      for _ in 1...250 { #expect(limiter.take(100 + turn, at: seconds(full + 1.5)) == nil) }
      #expect(limiter.take(1_000, at: seconds(full + 1.5)) != nil)
      #expect(limiter.count == 10)
    }
    #expect(limiter.take(11, at: seconds(5_000)) == nil)
    #expect(limiter.count == 1)
  }

  @Test("A call costs the same, however many keys there are and whatever their times")
  func cost() {
    var random = SystemRandomNumberGenerator()
    for maximum in [100, 10_000] {
      let limiter = RateLimiter<Int>(burst: 20, perSecond: 100, maximumKeys: maximum)
      var (calls, largest) = (0, 0)
      var time = 0.0
      for _ in 0..<100_000 {
        // A new key, an old one, and now and then a pause.
        _ = limiter.take(Int.random(in: 0..<50_000, using: &random), at: seconds(time))
        calls += 1
        time += calls.isMultiple(of: 20_000) ? 3_600 : 0.000_01
        largest = max(largest, limiter.count)
      }
      #expect(largest <= maximum)
      // Each call adds one bucket at most, and a pause is one turn of the wheel at most.
      #expect(limiter.steps < 2 * calls, "\(limiter.steps) steps for \(calls) calls")
    }
  }

  @Test("Buckets behave as the arithmetic says, for random calls in any order of times")
  func law() {
    var random = SystemRandomNumberGenerator()
    var wrong: [String] = []
    for _ in 0..<200 {
      let (burst, rate) = (Double.random(in: 1...50, using: &random), Double.random(in: 0.1...50, using: &random))
      let limiter = RateLimiter<Int>(burst: burst, perSecond: rate, maximumKeys: 1_000)
      var levels: [Int: (tokens: Double, time: Double)] = [:]
      var now = 1.0
      for _ in 0..<300 {
        now += Double.random(in: 0...3, using: &random) / rate
        let key = Int.random(in: 0..<5, using: &random)
        let last = levels[key] ?? (burst, now)
        let tokens = min(burst, last.tokens + (now - last.time) * rate)
        // At the edge, rounding decides.
        guard abs(tokens - 1) > 1e-6 else { break }
        if (limiter.take(key, at: seconds(now)) == nil) != (tokens >= 1) { wrong.append("\(burst) \(rate) \(tokens)") }
        levels[key] = (tokens >= 1 ? tokens - 1 : tokens, now)
      }
    }
    #expect(wrong.isEmpty)
  }
}
