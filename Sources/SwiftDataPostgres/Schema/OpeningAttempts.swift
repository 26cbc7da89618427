import Foundation
import SwiftData

/// Opens a store, or changes all of its rows, next to programs that use it.
///
/// A change of tables needs locks that running saves hold, and saves take theirs in any order. An opening therefore waits
/// for a lock less long than the server waits before it looks for a deadlock. Then it gives its locks back and tries again,
/// so that no save fails.
struct OpeningAttempts {
  let connections: ServerConnections
  let configuration: PostgresConfiguration
  let current: VersionLayout
  let plan: (any SchemaMigrationPlan.Type)?

  /// The longest wait for a lock. The server's `deadlock_timeout` is a second.
  static let lockTimeout = "700ms"

  /// - Parameter body: does everything in one transaction.
  /// - Throws: `SwiftDataError.storeLocked` if the tables are in use for the pool's whole timeout.
  func run<T>(_ body: (PostgresOpening) throws -> T) throws -> T {
    let end = ContinuousClock.now + .seconds(configuration.pool.timeout.asWait)
    var (conflicts, losses) = (0, 0)
    while true {
      var isConnected = false
      do {
        return try connections.with { connection in
          isConnected = true
          return try body(
            PostgresOpening(connection: connection, configuration: configuration, current: current, plan: plan))
        }
      } catch {
        guard let cause = Self.cause(of: error) else { throw error }
        if cause.isLost {
          // A server that was never reached is reported at once.
          guard isConnected || losses > 0 && cause.mayRecover, !cause.hasWaited else { throw error }
          losses += 1
          guard losses < configuration.maximumSaveAttempts else { throw error }
          connections.close()
        } else {
          guard cause.isTransient || cause.isPlanStale else { throw error }
          conflicts += 1
          guard ContinuousClock.now < end else { throw busy(cause) }
        }
        let (step, count) = cause.isLost ? (0.05, losses) : (0.01, conflicts)
        Thread.sleep(forTimeInterval: min(1, step * Double(1 << min(count, 10))) * Double.random(in: 0.5...1))
      }
    }
  }

  /// The server's error. A closure of a migration plan gets it as the cause of the store's.
  private static func cause(of error: any Error) -> PostgresError? {
    error as? PostgresError ?? (error as? SwiftDataError)?.underlyingError as? PostgresError
  }

  private func busy(_ error: PostgresError) -> SwiftDataError {
    SwiftDataError(
      .storeLocked,
      message:
        "other programs used the tables of the store \"\(configuration.name)\" for \(configuration.pool.timeout.seconds)"
        + " seconds, so that they could not be changed; end long transactions (pg_stat_activity shows them as"
        + " \"swiftdata \(configuration.namespace)\"), or raise the timeout of `pool`", underlying: error)
  }
}
