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
    var fetched: [String] = []
    while true {
      do {
        try replica.catchUp()
        break
      } catch let missing as MissingAsset {
        try await fetch(missing.sha256, missing.size, replica, try replica.zone(of: missing.record))
        fetched.append(missing.sha256)
      }
    }
    guard !fetched.isEmpty else { return }
    try replica.ledger.dropAssets(fetched)
    try replica.ledger.save()
  }
}
