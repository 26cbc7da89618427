import Foundation
import SwiftData

/// Wakes the requests that wait for changes of zones.
///
/// This process announces its own pushes. For all other changes, the watch polls the history of the store while requests wait. A change of
/// shares counts as a change of the own zones of the accounts that it concerns.
actor ZoneWatch {
  private struct Waiter {
    let zones: Set<String>
    let continuation: CheckedContinuation<Void, Never>
  }

  private let container: ModelContainer
  /// The author of this process's pushes, which the poller skips.
  private let author: String
  private var waiters: [UUID: Waiter] = [:]
  /// The number of requests between ``begin()`` and ``end()``.
  private var activeRequests = 0
  private var poller: Task<Void, Never>?
  private var isStopped = false
  /// The number of announced changes.
  private var changeCount = 0
  /// The count at the last change of each zone, since ``activeRequests`` was 0.
  private var lastChanges: [String: Int] = [:]
  /// The count at the last change that may concern every account.
  private var lastChangeForAll = 0
  /// The history token up to which the poller has read.
  private var polledToken: DefaultHistoryToken?
  /// The number of requests that a change woke. A test compares it with the number of changes.
  private(set) var wakeCount = 0

  init(_ container: ModelContainer, author: String) { (self.container, self.author) = (container, author) }

  /// The number of requests that wait.
  var count: Int { waiters.count }

  /// A position in the sequence of changes. A request takes a cursor before it reads the store, so that a wait since this cursor
  /// also sees the changes that come between the read and the wait.
  struct Cursor: Sendable { fileprivate let changeCount: Int }

  var cursor: Cursor { Cursor(changeCount: changeCount) }

  /// Starts watching for a request, which calls this before its first ``cursor``. The watch misses no change until ``end()``.
  func begin() {
    activeRequests += 1
    startPolling()
  }

  func end() {
    activeRequests -= 1
    if activeRequests == 0 { lastChanges = [:] }
  }

  /// Waits until one of the zones has changed since a cursor, or until the time is over.
  func wait(for zones: Set<String>, since cursor: Cursor, seconds: Double) async {
    guard seconds > 0, !isStopped, !Task.isCancelled, lastChangeForAll <= cursor.changeCount,
      // An account can have many zones, so the common case without any change does not look at them.
      changeCount == cursor.changeCount
        || !zones.contains(where: { lastChanges[$0, default: 0] > cursor.changeCount })
    else { return }
    let id = UUID()
    let timer = Task {
      try? await Task.sleep(for: .seconds(seconds))
      self.resume(id)
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiters[id] = Waiter(zones: zones, continuation: $0) }
    } onCancel: {
      Task { await self.resume(id) }
    }
    timer.cancel()
  }

  private func resume(_ id: UUID) { waiters.removeValue(forKey: id)?.continuation.resume() }

  /// Announces a change of zones, and wakes the requests that wait for one of them.
  func wake(_ zones: Set<String>) {
    changeCount += 1
    if activeRequests > 0 { for zone in zones { lastChanges[zone] = changeCount } }
    wake { !$0.zones.isDisjoint(with: zones) }
  }

  /// Announces a change that may concern every account, and wakes all requests.
  func wakeAll() {
    changeCount += 1
    lastChangeForAll = changeCount
    wake { _ in true }
  }

  private func wake(where isConcerned: (Waiter) -> Bool) {
    let woken = waiters.filter { isConcerned($0.value) }
    for (id, waiter) in woken {
      waiters[id] = nil
      waiter.continuation.resume()
    }
    wakeCount += woken.count
  }

  /// Wakes all requests, and ends each later wait at once.
  func stop() {
    isStopped = true
    wakeAll()
  }

  // MARK: - Changes that this process does not announce

  private func startPolling() {
    guard poller == nil else { return }
    polledToken = newestToken
    poller = Task {
      while !isStopped {
        try? await Task.sleep(for: .milliseconds(100))
        if activeRequests == 0 { break }
        let newest = newestToken
        guard let newest, newest != polledToken else { continue }
        if let zones = try? StoreChanges(since: polledToken, exceptBy: author, ModelContext(container)).zones {
          if !zones.isEmpty { wake(zones) }
        } else {
          wakeAll()
        }
        polledToken = newest
      }
      poller = nil
    }
  }

  private var newestToken: DefaultHistoryToken? { try? ModelContext(container).currentHistoryToken() }
}
