import CoreMetrics

/// Reports a pool of connections to swift-metrics, with the dimension `role` (`primary` or `replica`).
///
/// - `swiftdata.postgres.connections.busy`: a gauge of the lent connections, including those being opened.
/// - `swiftdata.postgres.connections.wait`: a timer of how long threads waited for a connection. Threads that did not
///   wait are not in it.
/// - `swiftdata.postgres.connections.opened`: a counter of new connections. A failover or a restart shows here.
///
/// The pool looks up the backend when it is made, so bootstrap it before the first container.
struct PoolMetrics: Sendable {
  private let busy: Gauge
  private let wait: CoreMetrics.Timer
  private let opened: Counter

  /// Returns nil without a metrics backend.
  init?(_ role: PostgresServers.Role) {
    guard !(MetricsSystem.factory is NOOPMetricsHandler) else { return nil }
    let dimensions = [("role", role == .primary ? "primary" : "replica")]
    busy = Gauge(label: "swiftdata.postgres.connections.busy", dimensions: dimensions)
    wait = CoreMetrics.Timer(label: "swiftdata.postgres.connections.wait", dimensions: dimensions)
    opened = Counter(label: "swiftdata.postgres.connections.opened", dimensions: dimensions)
  }

  func note(busy count: Int) { busy.record(count) }

  func noteWait(since start: ContinuousClock.Instant) {
    wait.recordNanoseconds(Int64((ContinuousClock.now - start) / .nanoseconds(1)))
  }

  func noteOpened() { opened.increment() }
}

/// Reports the retries and the replicas of a store to swift-metrics, with the dimension `store` (the configuration's name).
///
/// - `swiftdata.postgres.saves.retried`: a counter of attempts after the first, with the dimension `reason`: `conflict`
///   (serialization failure, deadlock, collision of unique values) or `lost` (connection).
/// - `swiftdata.postgres.fetches`: a counter of fetches that a replica could have answered, with the dimension `server`:
///   the one that did, `primary` or `replica`.
/// - `swiftdata.postgres.replica.lag.bytes`: a gauge of the log that the replica lacked when it was asked, or 0.
struct StoreMetrics: Sendable {
  private let conflicts: Counter
  private let losses: Counter
  private let byReplica: Counter
  private let byPrimary: Counter
  private let lag: Gauge

  /// Returns nil without a metrics backend.
  init?(_ store: String) {
    guard !(MetricsSystem.factory is NOOPMetricsHandler) else { return nil }
    func counter(_ name: String, _ dimension: String, _ value: String) -> Counter {
      Counter(label: "swiftdata.postgres.\(name)", dimensions: [("store", store), (dimension, value)])
    }
    conflicts = counter("saves.retried", "reason", "conflict")
    losses = counter("saves.retried", "reason", "lost")
    byReplica = counter("fetches", "server", "replica")
    byPrimary = counter("fetches", "server", "primary")
    lag = Gauge(label: "swiftdata.postgres.replica.lag.bytes", dimensions: [("store", store)])
  }

  func noteRetry(isLost: Bool) { (isLost ? losses : conflicts).increment() }

  func noteFetch(byReplica isReplica: Bool) { (isReplica ? byReplica : byPrimary).increment() }

  func note(lag bytes: Int64) { lag.record(max(0, bytes)) }
}
