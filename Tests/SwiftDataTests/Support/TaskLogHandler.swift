import Logging
import Synchronization

/// Keeps what is logged in the tasks that ask for it. Logging is set up once for the process, so the handler looks at
/// the task.
struct TaskLogHandler: LogHandler {
  typealias Line = (level: Logger.Level, message: String, metadata: Logger.Metadata)

  final class Lines: Sendable {
    let all = Mutex<[Line]>([])
  }

  @TaskLocal static var lines: (level: Logger.Level, Lines)?
  static let bootstrapped: Void = LoggingSystem.bootstrap { _ in TaskLogHandler() }

  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level {
    get { Self.lines?.level ?? .critical }
    set {}
  }
  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    Self.lines?.1.all.withLock { $0.append((event.level, "\(event.message)", event.metadata ?? [:])) }
  }

  /// What is logged at a level and above it while `body` runs.
  static func logged(_ level: Logger.Level, _ body: () throws -> Void) rethrows -> [Line] {
    bootstrapped
    let lines = Lines()
    try $lines.withValue((level, lines), operation: body)
    return lines.all.withLock { $0 }
  }
}
