import Foundation
import Logging
import ServiceLifecycle

/// A service that deletes old logs when the server starts, and then every hour.
struct Compactor: Service {
  private let store: ZoneStore
  private let logger: Logger
  /// The scheduled runs, at most one: a run deletes everything that is old, so a second one in the queue has no work.
  private let runs: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init(store: ZoneStore, logger: Logger) {
    (self.store, self.logger) = (store, logger)
    (runs, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Schedules a run. It starts at once, or after the current run.
  func schedule() { continuation.yield() }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          repeat { schedule() } while (try? await Task.sleep(for: .seconds(3600))) != nil
        }
        group.addTask {
          for await _ in runs { await compact() }
        }
      }
    }
  }

  /// Compacts each zone whose old log is due. If one zone fails, the run logs the error and continues with the next zone.
  func compact() async {
    await compactLogs()
    await compactReplacedLogs()
  }

  /// Compacts the logs of version 2.
  private func compactLogs() async {
    do {
      while try await store.packTransactions() { try Task.checkCancellation() }
      for zone in try await store.zonesToCompactLog() where !Task.isCancelled {
        do {
          let done = try await store.compactLog(zone)
          guard done.folded != nil || done.assets > 0 else { continue }
          logger.info(
            "compacted",
            metadata: [
              "zone": "\(zone)", "folded": "\(done.folded ?? 0)", "forgotten": "\(done.forgotten)",
              "assets": "\(done.assets)", "asset-bytes": "\(done.assetBytes)",
            ])
        } catch is CancellationError {
        } catch {
          logger.error("the log of the zone \(zone) is not compacted to its end; the next run continues: \(error)")
        }
      }
    } catch is CancellationError {
    } catch {
      logger.error("the server cannot list the zones with old logs; it tries again in an hour: \(error)")
    }
  }

  /// Deletes the logs of version 1 that snapshots replaced.
  private func compactReplacedLogs() async {
    do {
      for zone in try await store.zonesToCompact() where !Task.isCancelled {
        do {
          let done = try await store.compact(zone)
          guard done.entries > 0 || done.assets > 0 else { continue }
          logger.info(
            "compacted",
            metadata: [
              "zone": "\(zone)", "entries": "\(done.entries)", "assets": "\(done.assets)", "bytes": "\(done.bytes)",
            ])
        } catch is CancellationError {
        } catch {
          logger.error("the zone \(zone) still has a part of its old log; the next run deletes the rest: \(error)")
        }
      }
    } catch {
      logger.error("the server cannot list the zones with old logs; it tries again in an hour: \(error)")
    }
  }
}
