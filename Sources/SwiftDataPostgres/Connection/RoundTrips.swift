import Synchronization

/// Counts the round trips to servers of a scope, so that a test can hold the number of each operation.
package final class RoundTrips: Sendable {
  private let count = Atomic<Int>(0)

  @TaskLocal private static var current: RoundTrips?

  /// Runs `body` and returns its result with the number of round trips that it made on this task.
  package static func record<Result>(_ body: () throws -> Result) rethrows -> (result: Result, count: Int) {
    let trips = RoundTrips()
    let result = try $current.withValue(trips, operation: body)
    return (result, trips.count.load(ordering: .relaxed))
  }

  /// Counts one if this task is recorded.
  static func note() { current?.count.add(1, ordering: .relaxed) }
}
