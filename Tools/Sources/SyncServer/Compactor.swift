import Foundation
import Logging
import ServiceLifecycle

/// A service that folds old logs when the server starts, and then every hour.
struct Compactor: Service {
  let store: ZoneStore
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      repeat { await compact() } while (try? await Task.sleep(for: .seconds(3600))) != nil
    }
  }

  /// Compacts each zone whose old log is due. If one zone fails, the run logs the error and continues with the next zone.
  func compact() async {
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
}
