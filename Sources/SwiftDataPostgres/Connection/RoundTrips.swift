import Synchronization

/// Counts the round trips of operations, so that a test can hold their number. The round trips that open a connection do not count.
package final class RoundTrips: Sendable {
  private let count = Atomic<Int>(0)

  @TaskLocal private static var current: RoundTrips?

  /// Runs `body` and returns its result with the number of round trips that it made on this task.
  package static func record<Result>(_ body: () throws -> Result) rethrows -> (result: Result, count: Int) {
    let trips = RoundTrips()
    let result = try $current.withValue(trips, operation: body)
    return (result, trips.count.load(ordering: .relaxed))
  }

  /// Runs `body` and counts none of its round trips. Whether an operation opens a connection depends on what other threads do meanwhile.
  static func uncounted<Result>(_ body: () throws -> Result) rethrows -> Result {
    try $current.withValue(nil, operation: body)
  }

  /// Counts one if this task is recorded.
  static func note() { current?.count.add(1, ordering: .relaxed) }
}
