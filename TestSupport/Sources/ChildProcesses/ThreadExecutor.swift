import Foundation

/// Gives each job of a task a thread of its own, for tests that block: that wait for processes.
///
/// The threads of Swift's tasks are as few as the cores. Two tests that block them hold up all others of the process, and their servers and
/// clients in the process with them, until requests pass their deadlines.
public final class ThreadExecutor: TaskExecutor {
  /// The only one. It has no state.
  public static let shared = ThreadExecutor()

  private init() {}

  /// Runs a job on a new thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
