import CoreMetrics
import GRDBSQLite
import Logging

/// Tells swift-log and swift-metrics of each statement that a store runs.
///
/// - Log: label `SwiftData.SQL`. At level `debug` the message is the statement as it was prepared, without values; the
///   metadata are `store` (the configuration's name) and `milliseconds`. At level `trace` there is also `expanded`, the
///   statement with its values in it, which may be private. Statements that read or write encrypted attributes have none.
/// - Metrics: the counter `swiftdata.statements` and the timer `swiftdata.statement.duration`, both with the dimensions
///   `store` (the configuration's name) and `kind` (`read` or `write`).
///
/// The time counts from the preparation to the last row, so what is done with the rows counts too. Transaction control
/// and the making of tables are not among the statements. Both systems are asked for their backends when a store is
/// opened, so they are bootstrapped before the first container is made.
package struct StatementLog: Sendable {
  private let logger: Logger
  private let store: String
  /// Nil where no metrics backend was bootstrapped.
  private let metrics: (reads: Metrics, writes: Metrics)?

  private struct Metrics: Sendable {
    let count: Counter
    let time: CoreMetrics.Timer

    init(store: String, kind: String) {
      let dimensions = [("store", store), ("kind", kind)]
      count = Counter(label: "swiftdata.statements", dimensions: dimensions)
      time = CoreMetrics.Timer(label: "swiftdata.statement.duration", dimensions: dimensions)
    }
  }

  package init(store: String) {
    self.store = store
    self.logger = Logger(label: "SwiftData.SQL")
    let isOff = MetricsSystem.factory is NOOPMetricsHandler
    self.metrics = isOff ? nil : (Metrics(store: store, kind: "read"), Metrics(store: store, kind: "write"))
  }

  /// The moment a statement begins; nil where nobody wants to know.
  package func begin() -> ContinuousClock.Instant? {
    metrics == nil && logger.logLevel > .debug ? nil : .now
  }

  /// Called while the statement still has its values.
  func end(_ statement: OpaquePointer, sql: String, since start: ContinuousClock.Instant) {
    end(sql: sql, isRead: sqlite3_stmt_readonly(statement) != 0, since: start) {
      guard !EncryptedColumn.isUsed(in: sql), let text = sqlite3_expanded_sql(statement) else { return nil }
      defer { sqlite3_free(text) }
      return String(cString: text)
    }
  }

  /// - Parameter expanded: the statement with its values in it.
  package func end(
    sql: String, isRead: Bool, since start: ContinuousClock.Instant, expanded: () -> String?
  ) {
    let time = ContinuousClock.now - start
    if let metrics {
      let kind = isRead ? metrics.reads : metrics.writes
      kind.count.increment()
      kind.time.recordNanoseconds(Int64(time / .nanoseconds(1)))
    }
    guard logger.logLevel <= .debug else { return }
    var metadata: Logger.Metadata = ["store": "\(store)", "milliseconds": "\(Self.milliseconds(time))"]
    if logger.logLevel == .trace, let text = expanded() { metadata["expanded"] = "\(text)" }
    logger.debug("\(sql)", metadata: metadata)
  }

  /// With three decimals.
  private static func milliseconds(_ time: Duration) -> Double {
    Double(time / .microseconds(1)).rounded() / 1000
  }
}
