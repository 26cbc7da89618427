#if Sync
import Foundation
import SyncProtocol
import UntrustedInput

// How the engine hears of what others saved: a request waits until the server has news.

extension SyncEngine {
  func followServer() async {
    var (failures, announcements, invitations) = (Backoff(longest: 60), Backoff(longest: 60), 0)
    // Whether the status says that the server cannot be listened to.
    var isCutOff = false
    // The first answer comes at once, also after an error: then the status need not wait for news to say that the server is back.
    var isConnected = false
    while !Task.isCancelled, !opening.isAbandoned {
      let resumed = resumptions
      do {
        guard !status.isPaused, let replica = opened else {
          await sleep(seconds: 25)
          continue
        }
        let request = known.request(replica, seconds: isConnected ? 25 : 0, invitations: invitations)
        let response = try await wait(request)
        isConnected = true
        if status.isPaused { continue }
        if try isCutOff || hasNews(response, request) {
          try await syncNow()
          // A faulty server announces numbers that its zones do not have. Without a pause the engine would ask without end.
          if isAhead(response) {
            await sleep(seconds: announcements.next(jitter: Double.random(in: 0...1)))
          } else {
            announcements.reset()
          }
        }
        isCutOff = false
        failures.reset()
        // Another process may have saved, which this one does not hear of.
        if opened?.hasUnseenSaves == true { signals.continuation.yield() }
        if let count = try response.invitations?.inRange(0...Int(Int32.max), field: "wait.invitations"),
          count != invitations
        {
          invitations = count
          end(begin(.sharing), nil)
        }
      } catch {
        isConnected = false
        // The answer to the next request says all that there is to be done again.
        known.forget()
        if status.isPaused { continue }
        if Task.isCancelled { break }
        // A failed exchange has set the status already. One failed wait is no error: proxies close connections that wait long.
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

  /// Whether an answer has something that the replica does not have. If not, the replica has the list of the answer.
  private func hasNews(_ response: WaitResponse, _ request: WaitRequest) throws -> Bool {
    let replica = try replica()
    // What this engine sent meanwhile is no news.
    if isAhead(response) { return true }
    if response.isPartial != true, !response.zones.isEmpty {
      if !replica.hasTaken(response.zones) || response.hasKeys(newerThan: replica.keyGenerations) { return true }
    }
    // Unless an exchange brought a list meanwhile.
    guard known.version == request.version else { return false }
    if request.version != nil, response.isPartial != true {
      // Another server process answered, at once, since it does not know the list. The next request says all, so that any of them waits.
      known.forget()
    } else if response.version != nil {
      known.note(response.zones, isPartial: response.isPartial)
      known.didTake(response.version)
    }
    return false
  }

  /// Whether an answer names numbers that the replica has not seen.
  private func isAhead(_ response: WaitResponse) -> Bool {
    guard let opened else { return false }
    return response.latest.contains { $0.value > Untrusted(opened.position($0.key)) }
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
  private func wait(_ request: WaitRequest) async throws -> WaitResponse {
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
