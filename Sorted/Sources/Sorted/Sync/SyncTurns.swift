/// Runs one sync of an inbox at a time: a request during a sync waits for it and for one more.
@MainActor
package final class SyncTurns {
  /// Whether the request that began a sync ends it when it is cancelled.
  private let endsWithRequest: Bool
  private var running: Task<Void, Never>?
  private var isAnotherWanted = false
  private var isNextUrgent = false

  package init(endsWithRequest: Bool) { self.endsWithRequest = endsWithRequest }

  /// - Parameters:
  ///   - urgent: whether failed messages are sent before their retry time.
  ///   - sync: one sync; it is told whether a request was urgent.
  package func request(urgent: Bool, _ sync: @escaping @MainActor (_ urgent: Bool) async -> Void) async {
    isNextUrgent = isNextUrgent || urgent
    if let running {
      // The running sync may have missed what was written after it began.
      isAnotherWanted = true
      return await running.value
    }
    let task = Task {
      repeat {
        isAnotherWanted = false
        let isUrgent = isNextUrgent
        isNextUrgent = false
        await sync(isUrgent)
      } while isAnotherWanted
      running = nil
    }
    running = task
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      if endsWithRequest { task.cancel() }
    }
  }
}
