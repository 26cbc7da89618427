import Foundation
import SyncProtocol

extension SyncEngine {
  /// Shows what the user's store does not show yet: what the program's models have since they changed, with the log folded again
  /// where that is necessary, and what is left after changes were undone.
  func catchUp(_ replica: Replica) async throws {
    for zone in replica.refoldingZones {
      while let position = try replica.refoldPosition(zone) {
        try Task.checkCancellation()
        let response: ChangesResponse
        do {
          response = try await client.changes(zone: zone, after: position)
        } catch let failure as SyncFailure {
          guard try replica.didFail(failure, zone: zone) else { throw failure }
          continue
        }
        if response.entries.isEmpty { break }
        try replica.didRefold(response, zone: zone)
      }
    }
    try await fetching(replica) { try replica.catchUp() }
  }
}
