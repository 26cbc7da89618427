import CSwiftDataSQLite
import CoreMetrics
import Logging

/// Reports each statement of a store to swift-log and swift-metrics.
///
/// - Log: label `SwiftData.SQL`. At level `debug` the message is the prepared statement without values. The metadata
///   are `store` (the configuration's name) and `milliseconds`. Level `trace` adds `expanded`, the statement with its
///   values, which may be private. Statements with secret attributes have no `expanded`.
/// - Metrics: the counter `swiftdata.statements` and the timer `swiftdata.statement.duration`, with the dimensions
///   `store` (the configuration's name) and `kind` (`read` or `write`).
///
/// The time includes preparation, all rows, and the code that processes them. Transaction control and schema set-up are
/// excluded. A store looks up both backends when it opens, so bootstrap them before the first container.
package struct StatementLog: Sendable {
  private let logger: Logger
  private let store: String
  /// Nil without a metrics backend.
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

  /// Whether log or metrics need the statements.
  var isOn: Bool { metrics != nil || logger.logLevel <= .debug }

  /// The start time of a statement, or nil if neither log nor metrics need it.
  package func begin() -> ContinuousClock.Instant? { isOn ? .now : nil }

  /// Called before the statement's values are cleared.
  func end(_ statement: OpaquePointer, sql: String, since start: ContinuousClock.Instant) {
    end(sql: sql, isRead: sqlite3_stmt_readonly(statement) != 0, since: start) {
      guard !ColumnCodec.isUsed(in: sql), let text = sqlite3_expanded_sql(statement) else { return nil }
      defer { sqlite3_free(text) }
      return String(cString: text)
    }
  }

  /// - Parameter expanded: the statement with its values.
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

  /// Milliseconds with three decimals.
  private static func milliseconds(_ time: Duration) -> Double {
    Double(time / .microseconds(1)).rounded() / 1000
  }
}
