#if Sync
import Foundation
import SyncProtocol

extension SyncEngine {
  /// Shows what the user's store does not show yet: what the program's models have since they changed, with the log folded again
  /// where that is necessary, and what is left after changes were undone.
  /// - Parameter attempts: how often it begins again at most. A faulty server would have it begin again without end.
  func catchUp(_ replica: Replica, attempts: Int = 10) async throws {
    var failures = 0
    for zone in replica.refoldingZones {
      while let position = try replica.refoldPosition(zone) {
        try Task.checkCancellation()
        let response: ChangesResponse
        do {
          response = try await client.changes(zone: zone, after: position, snapshot: replica.refoldSnapshot(zone))
        } catch let failure as SyncFailure where failure.code == .notFound && zone != SyncWire.privateZone {
          // The account lost the share. The exchange, which would hear of it, comes after this.
          try await seeZones(replica)
          guard !replica.shares.contains(where: { $0.name == zone }) else { throw failure }
          guard attempts > 0 else { throw failure }
          return try await catchUp(replica, attempts: attempts - 1)
        } catch let failure as SyncFailure {
          failures += 1
          // If the snapshot was replaced meanwhile, the second ledger begins again.
          guard attempts > 0, failures <= Self.mostFailures, try replica.didFail(failure, zone: zone) else {
            throw failure
          }
          if failure.code == .compacted { return try await catchUp(replica, attempts: attempts - 1) }
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

  /// Asks which zones the account can read, and removes what belongs to the shares that it lost.
  private func seeZones(_ replica: Replica) async throws {
    // From the beginning, which the server always answers: it may have deleted the log behind the replica's position.
    let response = try await client.changes(zone: SyncWire.privateZone, after: 0)
    guard let zones = response.allZones else { return }
    let taken = try await taken(replica, response)
    try await fetching(replica) { try replica.didSee(zones, taken: taken) }
  }
}
#endif
