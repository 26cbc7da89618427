import Foundation
import Observation
import Sorted

/// The output of `sorted sync --watch` after a change.
struct WatchLine: Encodable, Equatable, Sendable {
  let online: Bool
  let pending: Int
  let report: SyncSession.Report?
  let error: String?

  @MainActor
  init(_ coordinator: any InboxSync) {
    online = coordinator.isOnline
    pending = coordinator.pendingSyncCount
    report = coordinator.lastReport
    error = coordinator.errorMessage
  }

  /// The line after each sync.
  @MainActor
  static func changes(of coordinator: any InboxSync) -> AsyncStream<WatchLine> {
    let (stream, continuation) = AsyncStream.makeStream(of: WatchLine.self)
    observe(coordinator, continuation)
    return stream
  }

  @MainActor
  private static func observe(
    _ coordinator: any InboxSync, _ continuation: AsyncStream<WatchLine>.Continuation
  ) {
    withObservationTracking {
      if !coordinator.isSyncing { continuation.yield(WatchLine(coordinator)) }
    } onChange: {
      Task { @MainActor in observe(coordinator, continuation) }
    }
  }

  var text: String {
    if let error { return "\(online ? "online" : "offline"), \(pending) waiting: \(error)" }
    guard let report else { return "\(online ? "online" : "offline"), \(pending) waiting" }
    let parts = [
      ("sent", report.outgoing.sent), ("changes sent", report.outgoing.changed), ("failed", report.outgoing.failed),
      ("received", report.incoming.received), ("changes received", report.incoming.updated),
    ].filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
    return (["online, \(pending) waiting"] + parts).joined(separator: ", ")
  }
}
