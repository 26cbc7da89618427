import CLibPQ
import Foundation
import SwiftData

extension PostgresConnection {
  /// Whether the thread runs for a task.
  static var isInTask: Bool { withUnsafeCurrentTask { $0 != nil } }

  /// Waits until the next result is here. Where the task is cancelled meanwhile, the server is asked to end what it
  /// runs, and says so in that result.
  /// - Throws: ``PostgresError`` where the connection is lost.
  func awaitResult() throws {
    // Nothing wakes a thread when its task is cancelled, so it looks now and then.
    var isWatching = isCancellable && Self.isInTask
    while PQisBusy(handle) == 1 {
      if isWatching, Task.isCancelled {
        cancelRunning()
        isWatching = false
      }
      var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
      let count = poll(&descriptor, 1, isWatching ? 20 : -1)
      if count > 0, PQconsumeInput(handle) == 0 { throw lost() }
      if count < 0, errno != EINTR { throw lost() }
    }
  }

  /// Runs `COPY … FROM STDIN`.
  /// - Parameter write: sends bytes by the function that it is given.
  func copy(_ sql: String, _ write: (_ send: (UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws {
    let start = log?.begin()
    SQLTrace.note(sql)
    _ = try check(PQexec(handle, sql), sql)
    do {
      try write { bytes in
        let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        if PQputCopyData(handle, text, Int32(bytes.count)) != 1 { throw lost() }
        if isCancellable { try Task.checkCancellation() }
      }
      if PQputCopyEnd(handle, nil) != 1 { throw lost() }
    } catch {
      _ = PQputCopyEnd(handle, "given up")
      while let rest = PQgetResult(handle) { PQclear(rest) }
      throw error
    }
    try awaitResult()
    let result = PQgetResult(handle)
    while let rest = PQgetResult(handle) { PQclear(rest) }
    _ = try check(result, sql)
    note(sql, [], since: start)
  }

  /// Returns when the server has signalled the process that runs the statement, so that the signal hits no later one.
  private func cancelRunning() {
    guard let cancel = PQgetCancel(handle) else { return }
    defer { PQfreeCancel(cancel) }
    var reason = [CChar](repeating: 0, count: 256)
    _ = PQcancel(cancel, &reason, Int32(reason.count))
  }
}
