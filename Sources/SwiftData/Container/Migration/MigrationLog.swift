import Logging

/// The lines about a migration. They go to the log when the migration is committed, because one that is refused changes nothing.
package final class MigrationLog {
  private var lines: [(level: Logger.Level, message: String, metadata: Logger.Metadata)] = []

  package init() {}

  package func warn(_ message: String) { add(.warning, message) }

  func add(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata = [:]) {
    lines.append((level, message, metadata))
  }

  /// Says in the log what happened. The caller has committed it.
  package func write() {
    let logger = Logger(label: "SwiftData.Migration")
    for line in lines { logger.log(level: line.level, "\(line.message)", metadata: line.metadata) }
    lines = []
  }
}
