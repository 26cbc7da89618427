import Synchronization

/// A clock that tests set.
final class TestClock: Sendable {
  private let time = Mutex<Int64>(1_800_000_000_000)
  static let day: Int64 = 86_400_000

  var now: Int64 { time.withLock { $0 } }

  func advance(days: Double) { time.withLock { $0 += Int64(days * Double(Self.day)) } }
}
