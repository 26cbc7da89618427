import Foundation
import Logging
import ServiceLifecycle

/// Deletes old logs when the server starts, and then every hour.
struct Compactor: Service {
  private let store: ZoneStore
  private let logger: Logger
  /// One waiting run does what several would do.
  private let runs: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init(store: ZoneStore, logger: Logger) {
    (self.store, self.logger) = (store, logger)
    (runs, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Begins a run, or another one after the one that runs.
  func runSoon() { continuation.yield() }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          repeat { runSoon() } while (try? await Task.sleep(for: .seconds(3600))) != nil
        }
        group.addTask {
          for await _ in runs { await compact() }
        }
      }
    }
  }

  /// Deletes what is to be deleted now. A zone that fails does not keep the others from being compacted.
  func compact() async {
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
          logger.error("the log of the zone \(zone) was not deleted completely, the next run goes on: \(error)")
        }
      }
    } catch {
      logger.error("the server cannot look for old logs, it tries again in an hour: \(error)")
    }
  }
}
