public import Dispatch
public import Foundation
import Logging
import Synchronization

/// Tells when the network comes and goes. (The shape is that of `NWPathMonitor` in Apple's Network framework, which is not
/// there on Linux.)
///
/// It listens to the kernel's messages of links, addresses and routes. With a probe it also asks the remote itself: after
/// each message, every 30 seconds, and when ``recheck()`` is called. What comes and goes within a second is not told, so
/// that flapping starts no two syncs; the handler never hears the same status twice in a row.
public final class NetworkPathMonitor: Sendable {
  /// Called on the queue of ``start(queue:)`` with the first path, and with each that differs in status or links.
  public typealias Handler = @Sendable (NetworkPath) -> Void

  private struct State {
    var handler: Handler?
    var queue: DispatchQueue?
    var path = NetworkPath(status: .unsatisfied, availableInterfaces: [])
    var isTold = false
    var isCancelled = false
    /// Of the newest change: an older one that has settled meanwhile says nothing.
    var generation = 0
    var tasks = [Work: Task<Void, Never>]()
  }
  private enum Work { case listening, asking, looking }

  private let state = Mutex(State())
  private let source: any LinkSource
  private let probe: (@Sendable () async -> Bool)?
  private let settling: TimeInterval
  private let probeInterval: TimeInterval
  private let sleep: @Sendable (TimeInterval) async throws -> Void
  private let logger = Logger(label: "sorted.reachability")

  /// Makes a monitor that does nothing until it is started.
  /// - Parameters:
  ///   - probe: whether the remote answers; nil trusts a default route.
  ///   - settling: as many seconds as a change has to last before it is told.
  ///   - probeInterval: in seconds.
  ///   - sleep: waits for some seconds, or throws `CancellationError`.
  public init(
    source: any LinkSource, probe: (@Sendable () async -> Bool)? = nil, settling: TimeInterval = 1,
    probeInterval: TimeInterval = 30,
    sleep: @escaping @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
  ) {
    self.source = source
    self.probe = probe
    self.settling = settling
    self.probeInterval = probeInterval
    self.sleep = sleep
  }

  deinit { cancel() }

  /// Set it before ``start(queue:)``, or the first path may be missed.
  public var pathUpdateHandler: Handler? {
    get { state.withLock { $0.handler } }
    set { state.withLock { $0.handler = newValue } }
  }

  /// What was told last; unsatisfied before that.
  public var currentPath: NetworkPath { state.withLock { $0.path } }

  /// Begins. A second call, or one after ``cancel()``, does nothing.
  /// - Parameter queue: a serial one.
  /// - Throws: where the kernel cannot be listened to.
  public func start(queue: DispatchQueue) throws {
    let isFirst = state.withLock { state in
      guard state.queue == nil, !state.isCancelled else { return false }
      state.queue = queue
      return true
    }
    guard isFirst else { return }
    // Before the first look, so that no change falls in between.
    let changes = try source.changes()
    look(after: 0)
    // The stream ends with the task; the monitor may go before that.
    keep(
      .listening,
      Task { [weak self] in
        for await _ in changes { self?.recheck() }
      })
    guard probe != nil else { return }
    let (interval, sleep) = (probeInterval, sleep)
    keep(
      .asking,
      Task { [weak self] in
        while (try? await sleep(interval)) != nil { self?.recheck() }
      })
  }

  /// Looks again, as when a request to the remote has failed.
  public func recheck() { look(after: settling) }

  /// Ends it for good; the handler is not called any more, but for what is on the queue already.
  public func cancel() {
    let tasks = state.withLock { state in
      state.isCancelled = true
      state.handler = nil
      defer { state.tasks = [:] }
      return state.tasks
    }
    tasks.values.forEach { $0.cancel() }
  }

  // MARK: - Looking

  /// Instead of the look that is still to come, if there is one.
  private func look(after seconds: TimeInterval) {
    let generation = state.withLock { state in
      state.generation += 1
      return state.generation
    }
    let sleep = sleep
    keep(
      .looking,
      Task { [weak self] in
        if seconds > 0, (try? await sleep(seconds)) == nil { return }
        await self?.look(generation: generation)
      })
  }

  private func keep(_ work: Work, _ task: Task<Void, Never>) {
    let superfluous = state.withLock { state in
      if state.isCancelled { return Optional(task) }
      return state.tasks.updateValue(task, forKey: work)
    }
    superfluous?.cancel()
  }

  private func look(generation: Int) async {
    guard isNewest(generation) else { return }
    let path: NetworkPath
    do {
      let (interfaces, hasDefaultRoute) = try source.current()
      path = NetworkPath(status: await status(hasDefaultRoute), availableInterfaces: interfaces)
    } catch {
      logger.warning("the links cannot be read: \(error)")
      return
    }
    tell(path, generation)
  }

  /// A local remote answers without any route.
  private func status(_ hasDefaultRoute: Bool) async -> NetworkPath.Status {
    guard let probe else { return hasDefaultRoute ? .satisfied : .unsatisfied }
    if await probe() { return .satisfied }
    return hasDefaultRoute ? .requiresConnection : .unsatisfied
  }

  private func isNewest(_ generation: Int) -> Bool {
    state.withLock { $0.generation == generation && !$0.isCancelled }
  }

  private func tell(_ path: NetworkPath, _ generation: Int) {
    state.withLock { state in
      guard state.generation == generation, !state.isCancelled, !state.isTold || state.path != path else { return }
      (state.path, state.isTold) = (path, true)
      // Inside the lock, so that the queue has them in order.
      if let handler = state.handler { state.queue?.async { handler(path) } }
    }
  }
}

extension NetworkPathMonitor {
  /// Starts it in place of ``start(queue:)``, and says whether there is a network, now and each time that something
  /// changes; it is cancelled with whoever reads that. For
  /// ``BackgroundSyncCoordinator/init(container:database:userID:reachability:environment:)``.
  ///
  /// A remote that does not answer where there is a way to it is no missing network: who asks it waits for it. When it
  /// answers again, that is told by another true. Where the kernel cannot be listened to, the stream ends at once.
  public func networkIsThere() -> AsyncStream<Bool> {
    AsyncStream { continuation in
      pathUpdateHandler = { continuation.yield($0.status != .unsatisfied) }
      // It also keeps the monitor until then.
      continuation.onTermination = { _ in self.cancel() }
      do {
        try start(queue: DispatchQueue(label: "sorted.reachability"))
      } catch {
        logger.warning("the network is not watched: \(error)")
        continuation.finish()
      }
    }
  }
}
