import Logging
import Synchronization

/// Counts the statements that our library logs.
final class StatementCounter: Sendable {
  private let statements = Mutex(0)
  var count: Int { statements.withLock { $0 } }

  /// Call it before the first container, which looks up its log handler.
  static func install() -> StatementCounter {
    let counter = StatementCounter()
    LoggingSystem.bootstrap { _ in Handler(counter: counter) }
    return counter
  }

  private struct Handler: LogHandler {
    let counter: StatementCounter
    var logLevel = Logger.Level.debug
    var metadata = Logger.Metadata()

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { counter.statements.withLock { $0 += 1 } }
  }
}
