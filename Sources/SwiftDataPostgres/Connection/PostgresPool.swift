import Dispatch
import Foundation
import SwiftData

/// A pool of connections to the servers of a URL, with a maximum size. Waiting threads are served in order.
final class PostgresPool: Sendable {
  let servers: PostgresServers
  /// The application name, unless the URL has one.
  private let application: String
  private var options: PostgresPoolOptions { servers.options }
  private let state = Lock(State())
  private let metrics: PoolMetrics?

  fileprivate struct State {
    var idle: [PostgresConnection] = []
    /// The number of lent connections and of those being opened.
    var busy = 0
    var waiting = Queue<Waiter>()
    /// Whether a check of the idle connections is scheduled.
    var isWatching = false
    /// The error of a server that accepted no more connections, and when the pool may ask it again.
    var refusal: (error: PostgresError, retry: ContinuousClock.Instant)?
  }

  /// A thread that waits for a connection, or for permission to open one.
  fileprivate final class Waiter: Sendable {
    enum Answer: Sendable {
      case waiting
      case connection(PostgresConnection)
      case permission
      case gaveUp
    }
    let semaphore = DispatchSemaphore(value: 0)
    let answer: Lock<Answer>

    init(_ answer: Answer) { self.answer = Lock(answer) }
  }

  init(_ servers: PostgresServers, application: String) {
    (self.servers, self.application) = (servers, application)
    metrics = PoolMetrics(servers.role)
  }

  /// Lends a connection while `body` runs. A lost connection is not reused.
  /// - Parameters:
  ///   - namespace: the schema of unqualified names.
  ///   - cancellable: whether cancelling the task ends waiting and running statements.
  /// - Throws: ``PostgresError`` if there is no connection, `CancellationError`, and the error of `body`.
  func with<T>(
    _ namespace: String, log: StatementLog?, cancellable: Bool, _ body: (PostgresConnection) throws -> T
  ) throws -> T {
    if cancellable { try Task.checkCancellation() }
    let connection = try take(namespace, cancellable: cancellable)
    metrics?.note(busy: state.withLock { $0.busy })
    connection.isCancellable = cancellable
    connection.log = log
    defer {
      connection.isCancellable = false
      giveBack(connection)
    }
    try connection.use(namespace)
    return try body(connection)
  }

  /// Opens a connection outside the pool's size. Waits for a primary if several hosts have none.
  func connect(_ namespace: String, cancellable: Bool = false) throws -> PostgresConnection {
    let end = ContinuousClock.now + .seconds(options.timeout.asWait)
    var pause = 0.02
    while true {
      do {
        let connection = try PostgresConnection(servers, namespace: namespace, application: application, log: nil)
        metrics?.noteOpened()
        state.withLock { $0.refusal = nil }
        return connection
      } catch var error as PostgresError where error.isLost && servers.isWorthWaiting {
        guard error.mayRecover, ContinuousClock.now < end else {
          error.hasWaited = true
          throw error
        }
        if cancellable { try Task.checkCancellation() }
        Thread.sleep(forTimeInterval: pause * Double.random(in: 0.5...1))
        pause = min(0.5, pause * 2)
      }
    }
  }

  /// Closes idle connections.
  func close() {
    let idle = state.withLock { state in
      defer { state.idle = [] }
      return state.idle
    }
    withExtendedLifetime(idle) {}
  }

  private func watchIdle() {
    DispatchQueue.global().asyncAfter(deadline: .now() + options.idleTimeout.asWait) { [weak self] in
      self?.closeUnused()
    }
  }

  /// Closes connections that were idle for the time of the options.
  private func closeUnused() {
    let limit = ContinuousClock.now - .seconds(options.idleTimeout.asWait)
    let unused = state.withLock { state in
      let unused = state.idle.filter { $0.lastUse <= limit }
      state.idle.removeAll { $0.lastUse <= limit }
      state.isWatching = !state.idle.isEmpty
      if state.isWatching { watchIdle() }
      return unused
    }
    withExtendedLifetime(unused) {}
  }

  /// The number of lent and idle connections.
  var count: Int { state.withLock { $0.busy + $0.idle.count } }

  /// Whether a thread waits for a connection.
  var hasWaiters: Bool { state.withLock { !$0.waiting.isEmpty } }

  // MARK: - Lending

  private func take(_ namespace: String, cancellable: Bool) throws -> PostgresConnection {
    while true {
      let (idle, waiter) = state.withLock { state -> (PostgresConnection?, Waiter?) in
        if state.waiting.isEmpty {
          if let connection = state.takeIdle(namespace) {
            state.busy += 1
            return (connection, nil)
          }
          if state.busy < options.size {
            state.busy += 1
            return (nil, Waiter(.permission))
          }
        }
        let waiter = Waiter(.waiting)
        state.waiting.append(waiter)
        return (nil, waiter)
      }
      if let idle {
        if idle.isAlive { return idle }
        // The server closed it meanwhile; the next may be open.
        passOn(nil)
      } else if let waiter, let connection = try wait(waiter, namespace, cancellable: cancellable) {
        return connection
      }
    }
  }

  /// - Returns: nil if the received connection is closed.
  private func wait(_ waiter: Waiter, _ namespace: String, cancellable: Bool) throws -> PostgresConnection? {
    if case .waiting = waiter.answer.withLock({ $0 }) {
      let start = ContinuousClock.now
      defer { metrics?.noteWait(since: start) }
      let end = DispatchTime.now() + options.timeout.asWait
      // Cancelling a task does not wake its thread, so the thread polls.
      let isWatching = cancellable && PostgresConnection.isInTask
      while true {
        let next = isWatching ? min(end, .now() + .milliseconds(20)) : end
        if waiter.semaphore.wait(timeout: next) == .success { break }
        let isCancelled = cancellable && Task.isCancelled
        guard isCancelled || DispatchTime.now() >= end else { continue }
        guard giveUp(waiter) else { break }
        if isCancelled { throw CancellationError() }
        throw timeoutError()
      }
    }
    switch waiter.answer.withLock({ $0 }) {
    case .connection(let connection):
      if connection.isAlive { return connection }
      fallthrough
    case .permission:
      do {
        return try connect(namespace, cancellable: cancellable)
      } catch let error as PostgresError where error.isServerFull {
        // The pool's own connections come back.
        guard let other = queueUp(after: error) else {
          passOn(nil)
          throw error
        }
        return try wait(other, namespace, cancellable: cancellable)
      } catch {
        passOn(nil)
        throw error
      }
    case .waiting, .gaveUp: return nil
    }
  }

  /// Gives a permission back and waits for a connection of the pool, because the server accepts no more.
  /// - Returns: nil if the pool has no other connection.
  private func queueUp(after error: PostgresError) -> Waiter? {
    state.withLock { state in
      state.refusal = (error, .now + Self.refusalPause)
      if let connection = state.idle.popLast() { return Waiter(.connection(connection)) }
      // Each of the others gives its connection or its permission to a waiting thread.
      guard state.busy > 1 else { return nil }
      state.busy -= 1
      let waiter = Waiter(.waiting)
      state.waiting.append(waiter)
      return waiter
    }
  }

  private static let refusalPause = Duration.seconds(1)

  private func timeoutError() -> PostgresError {
    let (busy, refusal) = state.withLock { ($0.busy, $0.refusal?.error) }
    var error = PostgresError(
      message: "all \(options.size) connections were in use for \(options.timeout.seconds) seconds; raise the size"
        + " of `pool`, or shorten transactions")
    if let refusal {
      error.message =
        "the server accepted only \(busy) of \(options.size) connections (\(refusal.message)), and they were"
        + " in use for \(options.timeout.seconds) seconds; raise max_connections or the limit of the role, or make the pools of"
        + " your programs smaller"
    }
    error.isPoolBusy = true
    return error
  }

  /// Lets a waiting thread ask again a server that accepted no more connections. Otherwise the pool would stay as small as it
  /// was then for as long as threads wait.
  private func retryConnecting() {
    let mayRetry = state.withLock { state -> Bool in
      guard state.busy < options.size, !state.waiting.isEmpty else { return false }
      if let refusal = state.refusal {
        guard refusal.retry <= .now else { return false }
        state.refusal?.retry = .now + Self.refusalPause
      }
      state.busy += 1
      return true
    }
    if mayRetry { passOn(nil) }
  }

  /// Returns false if there is an answer already.
  private func giveUp(_ waiter: Waiter) -> Bool {
    waiter.answer.withLock { answer in
      guard case .waiting = answer else { return false }
      answer = .gaveUp
      return true
    }
  }

  private func giveBack(_ connection: PostgresConnection) {
    connection.lastUse = .now
    connection.log = nil
    let isIdle = connection.isIdle
    let isKept = isIdle && state.withLock { $0.takeBack(connection, watching: watchIdle) }
    if !isKept {
      passOn(isIdle ? connection : nil)
      retryConnecting()
    }
    metrics?.note(busy: state.withLock { $0.busy })
  }

  /// Passes a connection, or the permission to open one, to the first waiting thread.
  private func passOn(_ connection: PostgresConnection?) {
    let answer: Waiter.Answer = connection.map { .connection($0) } ?? .permission
    while true {
      let next: Waiter? = state.withLock { state in
        if let connection, state.takeBack(connection, watching: watchIdle) { return nil }
        if let waiter = state.waiting.popFirst() { return waiter }
        state.busy -= 1
        return nil
      }
      guard let next else { return }
      let isTaken = next.answer.withLock { current in
        guard case .waiting = current else { return false }
        current = answer
        return true
      }
      if isTaken {
        next.semaphore.signal()
        return
      }
    }
  }
}

extension PostgresPool.State {
  /// Keeps a connection that comes back if no thread waits for one.
  /// - Parameter watch: schedules a check of the idle connections.
  fileprivate mutating func takeBack(_ connection: PostgresConnection, watching watch: () -> Void) -> Bool {
    guard waiting.isEmpty else { return false }
    busy -= 1
    idle.append(connection)
    if !isWatching {
      isWatching = true
      watch()
    }
    return true
  }

  /// The most recently used connection, preferably of the same namespace, whose statements it has prepared.
  fileprivate mutating func takeIdle(_ namespace: String) -> PostgresConnection? {
    if let last = idle.last, last.namespace == namespace { return idle.removeLast() }
    guard let place = idle.lastIndex(where: { $0.namespace == namespace }) else { return idle.popLast() }
    return idle.remove(at: place)
  }
}

/// The size and the timeouts of a connection pool. (Our own.)
public struct PostgresPoolOptions: Hashable, Sendable {
  /// The maximum number of connections.
  public var size: Int
  /// The time to wait for a connection. With several hosts in the URL, also the time to wait for a primary.
  public var timeout: Duration
  /// The time without an answer after which the pool checks whether the server is still there. A statement
  /// on a living server may take any time.
  public var answerTimeout: Duration
  /// Whether all stores of this process with the same URL and options share connections. A thousand tenants, each with
  /// a namespace, then need at most `size`.
  public var isShared: Bool
  /// The time after which an unused connection is closed.
  public var idleTimeout: Duration

  /// Makes options.
  /// - Parameters:
  ///   - size: the maximum number of connections, at least 1.
  ///   - timeout: the time to wait for a connection, and for a primary among several hosts.
  ///   - answerTimeout: the time of silence after which to check the server, at least 0.1 seconds.
  ///   - isShared: whether stores with the same URL and options share connections.
  ///   - idleTimeout: the time after which an unused connection is closed, at least 0.1 seconds.
  public init(
    size: Int = 8, timeout: Duration = .seconds(30), answerTimeout: Duration = .seconds(5), isShared: Bool = false,
    idleTimeout: Duration = .seconds(600)
  ) {
    self.idleTimeout = max(.milliseconds(100), idleTimeout)
    self.size = max(1, size)
    self.timeout = timeout
    self.answerTimeout = max(.milliseconds(100), answerTimeout)
    self.isShared = isShared
  }
}
