public import Dispatch
public import Foundation
import Logging
import Synchronization

/// Reports changes of the network. (It has the API of `NWPathMonitor` in Apple's Network framework, which does not
/// exist on Linux.)
///
/// It listens to the kernel's messages about links, addresses and routes. With a probe it also asks the remote: after
/// each message, every 30 seconds, and on ``recheck()``. A change that reverts within a second is not reported, so that
/// a flapping network starts no syncs. The handler never receives the same status twice in a row.
public final class NetworkPathMonitor: Sendable {
  /// Called on the queue of ``start(queue:)`` with the first path, and with each one that differs in status or links.
  public typealias Handler = @Sendable (NetworkPath) -> Void

  private struct State {
    var handler: Handler?
    var queue: DispatchQueue?
    var path = NetworkPath(status: .unsatisfied, availableInterfaces: [])
    var isTold = false
    var isCancelled = false
    /// The number of the newest change. An older one that settles later is ignored.
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

  /// Makes a monitor that is not started.
  /// - Parameters:
  ///   - source: the network interfaces of the machine.
  ///   - probe: whether the remote answers. Nil trusts a default route.
  ///   - settling: the time in seconds that a change must last.
  ///   - probeInterval: the time between probes in seconds.
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

  /// Set it before ``start(queue:)``, or it may miss the first path.
  public var pathUpdateHandler: Handler? {
    get { state.withLock { $0.handler } }
    set { state.withLock { $0.handler = newValue } }
  }

  /// The last reported path, unsatisfied at first.
  public var currentPath: NetworkPath { state.withLock { $0.path } }

  /// Starts the monitor. Does nothing if it was started or cancelled before.
  /// - Parameter queue: a serial queue.
  /// - Throws: an error if the source is unavailable.
  public func start(queue: DispatchQueue) throws {
    let isFirst = state.withLock { state in
      guard state.queue == nil, !state.isCancelled else { return false }
      state.queue = queue
      return true
    }
    guard isFirst else { return }
    // Before the first look, so that no change in between is missed.
    let changes = try source.changes()
    look(after: 0)
    // The task ends the stream; the monitor may be released before.
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

  /// Checks again, for example after a failed request.
  public func recheck() { look(after: settling) }

  /// Cancels the monitor. The handler is not called any more, except for pending calls on the queue.
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

  /// Schedules a check and replaces a pending one.
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
      // Inside the lock, to keep the order on the queue.
      if let handler = state.handler { state.queue?.async { handler(path) } }
    }
  }
}

extension NetworkPathMonitor {
  /// Starts the monitor like ``start(queue:)`` and reports whether there is a network, now and at each change. Ending
  /// the iteration cancels it. For
  /// ``BackgroundSyncCoordinator/init(container:database:userID:reachability:environment:)``.
  ///
  /// An unreachable remote on an existing route is not a missing network. When it answers again, the stream reports
  /// another true. If the source is unavailable, the stream ends at once.
  public func networkIsThere() -> AsyncStream<Bool> {
    AsyncStream { continuation in
      pathUpdateHandler = { continuation.yield($0.status != .unsatisfied) }
      // This also retains the monitor until then.
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
