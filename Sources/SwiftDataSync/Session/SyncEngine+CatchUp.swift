import Foundation
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
          response = try await client.changes(zone: zone, after: position, snapshot: replica.refoldSnapshot(zone))
        } catch let failure as SyncFailure {
          // If the snapshot was replaced meanwhile, the second ledger begins again.
          guard try replica.didFail(failure, zone: zone) else { throw failure }
          if failure.code == .compacted { return try await catchUp(replica) }
          continue
        }
        try replica.didRefold(response, zone: zone)
        if try replica.refoldPosition(zone) == position { break }
      }
    }
    var sent = Set<UUID>()
    for (zone, through, transactions) in try replica.unsentInSnapshots() {
      sent.formUnion(try await client.known(transactions, zone: zone, through: through))
    }
    try await fetching(replica) { try replica.catchUp(sent: sent) }
  }
}
