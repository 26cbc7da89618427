import Dispatch

/// Where the hub works: on a queue of its own, because it waits for stores, and those who answer browsers must not.
final class HubExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "SortedWeb.hub")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
