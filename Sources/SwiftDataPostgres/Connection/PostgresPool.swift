import Dispatch
import Foundation
import SwiftData
import Synchronization

/// The connections of a store: as many as are needed at a time, up to a limit. Whoever has to wait is served in turn.
final class PostgresPool: Sendable {
  private let url: String
  private let namespace: String
  private let options: PostgresPoolOptions
  private let log: StatementLog?
  private let state = Mutex(State())
  /// The connection that all use, where a transaction is under way on it.
  let transaction: PostgresConnection?

  private struct State {
    var idle: [PostgresConnection] = []
    /// Those that are lent, and those that are being made.
    var busy = 0
    var waiting = Queue<Waiter>()
  }

  /// Somebody who waits for a connection, or for the right to make one.
  private final class Waiter: Sendable {
    enum Answer: Sendable {
      case waiting
      case connection(PostgresConnection)
      case permission
      case gaveUp
    }
    let semaphore = DispatchSemaphore(value: 0)
    let answer = Mutex(Answer.waiting)
  }

  init(url: String, namespace: String, options: PostgresPoolOptions, log: StatementLog? = nil) {
    transaction = nil
    self.log = log
    self.url = url
    self.namespace = namespace
    self.options = options
  }

  /// A pool of one connection, on which somebody else began a transaction and will end it.
  init(within transaction: PostgresConnection) {
    (url, namespace, options, log) = ("", "", PostgresPoolOptions(size: 1), nil)
    self.transaction = transaction
  }

  /// Lends a connection for as long as `body` runs. One that was lost there is not used again.
  /// - Parameter cancellable: whether waiting and running statements end when the task is cancelled.
  /// - Throws: ``PostgresError`` where there is no connection, `CancellationError`, and what `body` throws.
  func with<T>(cancellable: Bool = false, _ body: (PostgresConnection) throws -> T) throws -> T {
    if let transaction { return try body(transaction) }
    if cancellable { try Task.checkCancellation() }
    let connection = try take(cancellable: cancellable)
    connection.isCancellable = cancellable
    defer {
      connection.isCancellable = false
      giveBack(connection)
    }
    return try body(connection)
  }

  /// A connection of its own, which is not counted.
  func connect() throws -> PostgresConnection { try PostgresConnection(url: url, namespace: namespace, log: log) }

  /// Closes what is idle.
  func close() {
    let idle = state.withLock { state in
      defer { state.idle = [] }
      return state.idle
    }
    withExtendedLifetime(idle) {}
  }

  // MARK: - Lending

  private func take(cancellable: Bool) throws -> PostgresConnection {
    while true {
      let waiter = Waiter()
      let found: PostgresConnection? = state.withLock { state in
        if state.waiting.isEmpty {
          if let connection = state.idle.popLast() {
            state.busy += 1
            return connection
          }
          if state.busy < options.size {
            state.busy += 1
            waiter.answer.withLock { $0 = .permission }
            return nil
          }
        }
        state.waiting.append(waiter)
        return nil
      }
      if let found {
        if found.isAlive { return found }
        // The server closed it meanwhile; another may be there.
        passOn(nil)
        continue
      }
      if let connection = try wait(waiter, cancellable: cancellable) { return connection }
    }
  }

  /// - Returns: nil where the connection that was handed over is dead.
  private func wait(_ waiter: Waiter, cancellable: Bool) throws -> PostgresConnection? {
    if case .waiting = waiter.answer.withLock({ $0 }) {
      let end = DispatchTime.now() + options.timeout
      // Nothing wakes a thread when its task is cancelled, so it looks now and then.
      let isWatching = cancellable && PostgresConnection.isInTask
      while true {
        let next = isWatching ? min(end, .now() + .milliseconds(20)) : end
        if waiter.semaphore.wait(timeout: next) == .success { break }
        let isCancelled = cancellable && Task.isCancelled
        guard isCancelled || DispatchTime.now() >= end else { continue }
        guard giveUp(waiter) else { break }
        if isCancelled { throw CancellationError() }
        throw PostgresError(
          message: "all \(options.size) connections were in use for \(options.timeout) seconds; allow more in `pool`")
      }
    }
    switch waiter.answer.withLock({ $0 }) {
    case .connection(let connection):
      if connection.isAlive { return connection }
      fallthrough
    case .permission:
      do {
        return try connect()
      } catch {
        passOn(nil)
        throw error
      }
    case .waiting, .gaveUp: return nil
    }
  }

  /// False where there is an answer already.
  private func giveUp(_ waiter: Waiter) -> Bool {
    waiter.answer.withLock { answer in
      guard case .waiting = answer else { return false }
      answer = .gaveUp
      return true
    }
  }

  private func giveBack(_ connection: PostgresConnection) {
    connection.lastUse = .now
    passOn(connection.isIdle ? connection : nil)
  }

  /// Hands a connection, or the right to make one, to the first who still waits for it.
  private func passOn(_ connection: PostgresConnection?) {
    let answer: Waiter.Answer = connection.map { .connection($0) } ?? .permission
    while true {
      let next: Waiter? = state.withLock { state in
        if let waiter = state.waiting.popFirst() { return waiter }
        state.busy -= 1
        if let connection { state.idle.append(connection) }
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

/// How many connections a store keeps, and how long to wait for one. (Our own.)
public struct PostgresPoolOptions: Hashable, Sendable {
  /// The most connections at a time.
  public var size: Int
  /// How many seconds to wait for one of them.
  public var timeout: Double

  /// Makes options.
  /// - Parameters:
  ///   - size: the most connections at a time; at least 1.
  ///   - timeout: how many seconds to wait for one of them.
  public init(size: Int = 8, timeout: Double = 30) {
    self.size = max(1, size)
    self.timeout = timeout
  }
}
