import Synchronization

/// The number of a context's objects or fetches that are still alive, for metrics. The last reference to one may end on any thread.
final class LivingCount: Sendable {
  private let number = Atomic(0)

  var value: Int { number.load(ordering: .relaxed) }

  func add(_ change: Int) { number.add(change, ordering: .relaxed) }
}
