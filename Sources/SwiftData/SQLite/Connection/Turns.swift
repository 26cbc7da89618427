import Dispatch

/// The turns of threads that use a connection one after another, in the order of their arrival. A thread that waits too long gives up.
final class Turns: Sendable {
  private struct State {
    var isTaken = false
    var waiting = Queue<Waiter>()
  }

  private final class Waiter: Sendable {
    enum Answer { case none, turn, gaveUp }
    let semaphore = DispatchSemaphore(value: 0)
    private let answer = Lock(Answer.none)

    /// Returns false if there is another answer already.
    func settle(_ new: Answer) -> Bool {
      answer.withLock { answer in
        guard case .none = answer else { return false }
        answer = new
        return true
      }
    }
  }

  private let state = Lock(State())

  /// Waits for a turn. The caller ends it with ``end()``.
  /// - Parameter seconds: the longest wait, or nil for one without an end.
  /// - Returns: false if the time is over, and the caller has no turn.
  func begin(within seconds: Double?) -> Bool {
    let waiter: Waiter? = state.withLock { state in
      guard state.isTaken else {
        state.isTaken = true
        return nil
      }
      let waiter = Waiter()
      state.waiting.append(waiter)
      return waiter
    }
    guard let waiter else { return true }
    let end: DispatchTime = seconds.map { .now() + $0 } ?? .distantFuture
    // The turn may come at the moment at which the time is over.
    return waiter.semaphore.wait(timeout: end) == .success || !waiter.settle(.gaveUp)
  }

  /// Gives the turn to the thread that waits longest.
  func end() {
    while true {
      let next: Waiter? = state.withLock { state in
        if let waiter = state.waiting.popFirst() { return waiter }
        state.isTaken = false
        return nil
      }
      guard let next else { return }
      if next.settle(.turn) {
        next.semaphore.signal()
        return
      }
    }
  }
}
