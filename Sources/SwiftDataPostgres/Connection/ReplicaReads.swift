import Foundation
import SwiftData

extension PostgresConfiguration {
  /// The server that answers a fetch. (Our own.)
  ///
  /// With any choice, a context sees at least what it saved or has seen: the store remembers the position in the server's
  /// log, and a replica that is behind does not answer.
  public enum ReadPreference: Hashable, Sendable {
    /// The primary answers all fetches.
    case primary
    /// A replica answers if one is recent enough for the context.
    case preferReplica
    /// A replica answers if it has everything that was committed at least `maximumLag` ago.
    case replica(maximumLag: Duration)
  }
}

/// Sends reading statements to replicas that are recent enough.
final class ReplicaReads: Sendable {
  private struct State {
    /// The position in the primary's log that this store has seen, and its timeline.
    var seen: Int64 = 0
    var timeline: Int64 = 0
    /// Whether the store has seen something whose log position is unknown.
    var isUnknown = true
    /// The last known position of the primary, with its time.
    var sample: (position: Int64, time: ContinuousClock.Instant)?
    /// The time until which no replica is asked, because none answered.
    var pause: ContinuousClock.Instant?
  }

  private let pool: PostgresPool
  private let policy: PostgresConfiguration.ReadPreference
  private let metrics: StoreMetrics?
  private let state = Lock(State())
  /// The numbers of statements that replicas and the primary answered.
  let counts = Lock((replica: 0, primary: 0))

  init(_ pool: PostgresPool, _ policy: PostgresConfiguration.ReadPreference, _ metrics: StoreMetrics?) {
    (self.pool, self.policy, self.metrics) = (pool, policy, metrics)
  }

  /// The log position of a server: a replica, or a primary that was a replica.
  private static func far(_ replica: String) -> String {
    "(CASE WHEN pg_is_in_recovery() THEN \(replica) ELSE pg_current_wal_insert_lsn() END - '0/0'::pg_lsn)::bigint"
  }
  /// The position that a replica certainly shows.
  private static let shown = "coalesce(\(far("pg_last_wal_replay_lsn()")), 0)"
  /// The position that a replica shows at most. A change is visible a moment before the server reports it as replayed.
  private static let received = "coalesce(\(far("greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())")), 0)"

  /// The timeline that a replica follows. The server tells what it receives only to members of `pg_read_all_stats`. Others learn of a new
  /// timeline when the replica has written changes of it to its disk.
  private static let timeline = """
    CASE WHEN pg_is_in_recovery() THEN (
      SELECT greatest(c.min_recovery_end_timeline, (SELECT received_tli FROM pg_catalog.pg_stat_wal_receiver))::bigint
      FROM pg_catalog.pg_control_recovery() AS c
    ) ELSE \(timelineOfPrimary) END
    """

  /// The position up to which a replica has shown changes at most, the one that it certainly shows from now on, and its timeline.
  private static let positions = PostgresStatement("SELECT \(received), \(shown), \(timeline)")

  /// The timeline of a primary.
  static let timelineOfPrimary = "('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint"

  /// The log position of a server.
  static func position(of connection: PostgresConnection) throws -> (position: Int64, timeline: Int64) {
    (try connection.run("SELECT \(received)").integer(0, 0), connection.timeline)
  }

  /// The statement with which a commit reports its log position.
  static var position: PostgresStatement { PostgresStatement("SELECT \(received)") }

  /// Records that everything visible on a primary was seen.
  func note(on connection: PostgresConnection) throws {
    note(try Self.position(of: connection), isPrimary: true)
  }

  /// - Parameter isPrimary: whether it is the primary's position, after which nothing unknown is left.
  func note(_ seen: (position: Int64, timeline: Int64), isPrimary: Bool) {
    state.withLock { state in
      if seen.timeline == state.timeline {
        state.seen = max(state.seen, seen.position)
      } else if isPrimary {
        // Another server took over. The part of the old server's log that it lacks is lost.
        (state.seen, state.timeline, state.sample) = (seen.position, seen.timeline, nil)
      }
      if isPrimary { state.isUnknown = false }
    }
  }

  /// Records a commit at an unknown log position. The primary answers until it reports its position.
  func noteUnknown() { state.withLock { $0.isUnknown = true } }

  /// - Parameter ask: returns the position of the primary.
  /// - Returns: nil if the primary has to answer.
  func run(
    _ statement: SQLFragment, _ namespace: String, log: StatementLog?, cancellable: Bool,
    askPrimary ask: () throws -> (position: Int64, timeline: Int64)
  ) throws -> PostgresResult? {
    guard let (wanted, timeline) = wanted(ask) else { return counted(nil) }
    do {
      let result = try pool.with(namespace, log: log, cancellable: cancellable) { connection in
        var statements = [PostgresStatement(marked: statement), Self.positions]
        // A server never shows less than before, so the answer to an earlier fetch can save the question.
        let isKnown = connection.shown >= wanted
        if !isKnown {
          statements.insert(PostgresStatement("SELECT $1::bigint - \(Self.shown)", [.integer(wanted)]), at: 0)
        }
        let results = try connection.pipeline(statements)
        let lag = isKnown ? 0 : results[0].integer(0, 0)
        metrics?.note(lag: lag)
        let positions = results[results.count - 1]
        // A pooler may send the next statement to another server.
        if !connection.isPooled { connection.shown = positions.integer(0, 1) }
        // The position in the log of another timeline says nothing. A replica that follows a former primary has changes that are lost, and one
        // that follows a new primary may lack changes that this store saw on the former one.
        guard lag <= 0, positions.integer(0, 2) == timeline else { return PostgresResult?.none }
        note((positions.integer(0, 0), timeline), isPrimary: false)
        return results[results.count - 2]
      }
      return counted(result)
    } catch let error as PostgresError {
      // The primary could not compute Swift's answer either.
      if error.wantsSwift || error.isCancelled && Task.isCancelled { throw error }
      if error.isLost {
        pool.close()
        state.withLock { $0.pause = .now + .seconds(1) }
      }
      return counted(nil)
    }
  }

  /// The position that a replica needs to answer, and its timeline, or nil if none can.
  private func wanted(_ ask: () throws -> (position: Int64, timeline: Int64)) -> (position: Int64, timeline: Int64)? {
    let now = ContinuousClock.now
    let (mayAnswer, sample) = state.withLock { (!$0.isUnknown && ($0.pause ?? now) <= now, $0.sample) }
    guard mayAnswer else { return nil }
    if case .replica(let lag) = policy, sample.map({ now - $0.time > .seconds(lag.asWait) }) ?? true {
      guard let seen = try? ask() else { return nil }
      note(seen, isPrimary: true)
      state.withLock { $0.sample = (seen.position, now) }
    }
    return state.withLock { $0.isUnknown ? nil : (max($0.seen, $0.sample?.position ?? 0), $0.timeline) }
  }

  private func counted(_ result: PostgresResult?) -> PostgresResult? {
    counts.withLock { counts in
      if result == nil { counts.primary += 1 } else { counts.replica += 1 }
    }
    metrics?.noteFetch(byReplica: result != nil)
    return result
  }
}
