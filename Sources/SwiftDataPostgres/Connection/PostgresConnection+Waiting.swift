import CLibPQ
import Dispatch
import Foundation
import SwiftData

extension PostgresConnection {
  /// Whether the thread runs a task.
  static var isInTask: Bool { withUnsafeCurrentTask { $0 != nil } }

  /// Waits until the next result has arrived. If the task is cancelled meanwhile, asks the server to cancel the
  /// statement, which then reports that in its result.
  /// - Throws: ``PostgresError`` if the connection is lost or the server stops answering.
  func awaitResult() throws {
    try wait { PQisBusy(handle) == 1 }
  }

  /// Sends libpq's buffered data and receives what arrives, while a condition holds.
  ///
  /// A statement may take hours, so silence alone means nothing. After `answerTimeout` of silence, a second connection asks whether
  /// the server still works for this one. The system of a server or a router that vanished may not close this connection for hours.
  func wait(while isNeeded: () -> Bool) throws {
    // Cancelling a task does not wake its thread, so the thread polls. Whether the thread runs a task is asked after the first pause,
    // because most answers come before.
    var isWatching = isCancellable
    var silence = self.silence
    var start: ContinuousClock.Instant?
    while true {
      let isSending = PQflush(handle)
      if isSending < 0 { throw lost() }
      guard isSending == 1 || isNeeded() else { return }
      if isWatching, Task.isCancelled {
        try cancelRunning()
        isWatching = false
      }
      let events = Int16(POLLIN) | (isSending == 1 ? Int16(POLLOUT) : 0)
      var descriptor = pollfd(fd: PQsocket(handle), events: events, revents: 0)
      let count = poll(&descriptor, 1, isWatching ? 20 : Int32(min(silence * 1_000, 3_600_000)))
      if count < 0 {
        guard errno == EINTR else { throw lost() }
        continue
      }
      if count > 0 {
        start = nil
        if descriptor.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0, PQconsumeInput(handle) == 0 { throw lost() }
        continue
      }
      // The first period of silence starts with its first wait.
      let now = ContinuousClock.now
      let since = start ?? (isWatching ? now : now - .seconds(silence))
      start = since
      if isWatching, !Self.isInTask { isWatching = false }
      guard now - since >= .seconds(silence) else { continue }
      let activity = servers.activity(of: process, on: host)
      // The answer may have left the server while this program asked.
      if activity != .working, poll(&descriptor, 1, activity == .idle ? 1_000 : 0) == 0 {
        throw PostgresError(message: "\(host.place) did not answer for \(silence) seconds", isLost: true)
      }
      (silence, start) = (silence * 2, now)
    }
  }

  /// Runs `COPY … FROM STDIN`.
  /// - Parameter write: sends bytes with the given function.
  /// - Returns: the number of written rows.
  func copy(_ sql: String, _ write: (_ send: (UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws -> Int {
    let start = log?.begin()
    SQLTrace.note(sql)
    RoundTrips.note()
    if PQsendQuery(handle, sql) == 0 { throw lost() }
    do {
      _ = try check(try nextResult(), sql)
    } catch {
      while let rest = try nextResult() { PQclear(rest) }
      throw error
    }
    do {
      try write { bytes in
        let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        if PQputCopyData(handle, text, Int32(bytes.count)) != 1 { throw lost() }
        // Otherwise libpq would buffer everything that the server has not accepted.
        try wait { false }
        if isCancellable { try Task.checkCancellation() }
      }
      RoundTrips.note()
      if PQputCopyEnd(handle, nil) != 1 { throw lost() }
    } catch {
      if (error as? PostgresError)?.isLost != true {
        _ = PQputCopyEnd(handle, "given up")
        while let rest = try nextResult() { PQclear(rest) }
      }
      throw error
    }
    let result = try nextResult()
    while let rest = try nextResult() { PQclear(rest) }
    let written = try check(result, sql).affected
    note(sql, [], since: start)
    return written
  }

  /// Cancels the running statement. Returns after the server has signalled the process, so that the signal cannot hit a
  /// later statement.
  /// - Throws: ``PostgresError`` if the server does not accept the request. The connection must not be used again then.
  private func cancelRunning() throws {
    let request = CancelRequest(handle)
    let done = DispatchSemaphore(value: 0)
    // libpq waits for the server's answer without a timeout.
    Thread.detachNewThread {
      request.send()
      done.signal()
    }
    guard done.wait(timeout: .now() + servers.options.answerTimeout.asWait) == .success else {
      throw PostgresError(message: "\(host.place) does not answer", isLost: true)
    }
  }
}

/// A request to cancel a running statement.
// @unchecked Sendable because libpq allows its use on another thread than the connection's, and one thread sends it.
private final class CancelRequest: @unchecked Sendable {
  private let cancel: OpaquePointer?

  init(_ connection: OpaquePointer) { cancel = PQgetCancel(connection) }

  deinit { PQfreeCancel(cancel) }

  func send() {
    guard let cancel else { return }
    var reason = [CChar](repeating: 0, count: 256)
    _ = PQcancel(cancel, &reason, Int32(reason.count))
  }
}
