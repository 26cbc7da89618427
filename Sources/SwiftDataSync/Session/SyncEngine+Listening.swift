#if Sync
import Foundation
import SyncProtocol

// The engine learns of saves of other devices by a request that waits until the server has changes.

extension SyncEngine {
  func followServer() async {
    var (failures, announcements) = (Backoff(longest: 60), Backoff(longest: 60))
    // Whether the status says that the server cannot be listened to.
    var isCutOff = false
    // The first answer comes at once, also after an error: then the status says that the server is back before the next change.
    var isConnected = false
    while !Task.isCancelled, !opening.isAbandoned {
      let resumed = resumptions
      do {
        guard !status.isPaused, let request = opened?.waitRequest(seconds: isConnected ? 25 : 0) else {
          await sleep(seconds: 25)
          continue
        }
        let response = try await wait(request)
        isConnected = true
        // The engine's own transactions are not changes of other devices.
        if response.isChanged { await waitForExchanges() }
        // From here to the exchange the actor does no other work. ``pause()`` would not know of an exchange that begins after it.
        if status.isPaused { continue }
        let isNews = response.isChanged && hasSeenNothing(since: request)
        if isCutOff || isNews {
          try await syncNow()
          // A faulty server announces what it does not have. Without a pause the engine would ask without end.
          if isNews, hasSeenNothing(since: request) {
            await sleep(seconds: announcements.next(jitter: Double.random(in: 0...1)))
          } else {
            announcements.reset()
          }
        }
        isCutOff = false
        failures.reset()
        // Another process may have saved, which this one does not hear of.
        if opened?.hasUnseenSaves == true { signals.continuation.yield() }
      } catch {
        isConnected = false
        if status.isPaused { continue }
        if Task.isCancelled { break }
        // A failed exchange has set the status already. One failed wait is not an error: proxies close connections that wait long.
        if !(error is SyncError), failures.failures > 0 {
          status.setError(SyncError(error))
          isCutOff = true
        }
        let delay = failures.next(least: SyncError(error).retryAfter, jitter: Double.random(in: 0...1))
        let isWoken = resumptions == resumed ? await sleep(seconds: delay) : true
        if isWoken { failures.reset() }
      }
    }
    if opening.isAbandoned { await abandon() }
  }

  /// Whether the replica is where it was when a request was made.
  private func hasSeenNothing(since request: SyncLog.WaitRequest) -> Bool {
    guard let now = opened?.waitRequest(seconds: 0) else { return true }
    return now.cursor == request.cursor && now.epoch == request.epoch && now.version == request.version
  }

  /// Waits until the time is over, or until ``resume()``, a successful exchange or a new replica cancels ``sleeper``.
  /// - Returns: whether ``sleeper`` was cancelled.
  @discardableResult
  private func sleep(seconds: Double) async -> Bool {
    let sleep = Task { try await Task.sleep(for: .seconds(seconds)) }
    sleeper = sleep
    defer { sleeper = nil }
    return await withTaskCancellationHandler {
      await (try? sleep.value) == nil
    } onCancel: {
      sleep.cancel()
    }
  }

  /// Waits until the server has something new. ``pause()`` and ``stop()`` end the request.
  private func wait(_ request: SyncLog.WaitRequest) async throws -> SyncLog.WaitResponse {
    let poll = Task { [client] in try await client.wait(request) }
    longPoll = poll
    defer { longPoll = nil }
    return try await withTaskCancellationHandler {
      try await poll.value
    } onCancel: {
      poll.cancel()
    }
  }
}
#endif
