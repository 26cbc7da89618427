import Foundation
import SwiftData

/// Wakes the requests that wait for changes. While requests wait, it asks the store for its newest save, because other
/// processes save to the store too.
actor ZoneWatch {
  private let container: ModelContainer
  private var waiting: [UUID: CheckedContinuation<Void, Never>] = [:]
  private var byAccount: [String: Int] = [:]
  private var poller: Task<Void, Never>?
  private var isStopped = false
  private var generation = 0
  private var last: DefaultHistoryToken?

  init(_ container: ModelContainer) { self.container = container }

  var count: Int { waiting.count }

  /// A moment in the life of the store. What is read after it need not be waited for.
  struct Mark: Sendable {
    fileprivate let generation: Int
    fileprivate let newest: DefaultHistoryToken?
  }

  var mark: Mark { Mark(generation: generation, newest: newest) }

  /// Waits until something was saved after a moment, or until time is over.
  func wait(since mark: Mark, seconds: Double) async {
    guard seconds > 0, !isStopped, !Task.isCancelled, generation == mark.generation, newest == mark.newest else {
      return
    }
    let id = UUID()
    let timer = Task {
      try? await Task.sleep(for: .seconds(seconds))
      self.wake(id)
    }
    startPolling()
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiting[id] = $0 }
    } onCancel: {
      Task { await self.wake(id) }
    }
    timer.cancel()
  }

  private func wake(_ id: UUID) { waiting.removeValue(forKey: id)?.resume() }

  /// Wakes all requests, because a save happened.
  func wakeAll() {
    generation += 1
    let all = waiting.values
    waiting = [:]
    for continuation in all { continuation.resume() }
  }

  func stop() {
    isStopped = true
    wakeAll()
  }

  private func startPolling() {
    guard poller == nil else { return }
    last = newest
    poller = Task {
      while !isStopped {
        try? await Task.sleep(for: .milliseconds(100))
        if waiting.isEmpty { break }
        let now = newest
        if now != last { wakeAll() }
        last = now
      }
      poller = nil
    }
  }

  private var newest: DefaultHistoryToken? { try? ModelContext(container).newestHistoryToken() }
}
