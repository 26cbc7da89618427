#if Sync
import SyncProtocol

/// The list of the account's zones, as the server gave it last. The engine names it in its requests, so that the server answers with what
/// changed since.
struct KnownZones {
  /// Names the list; nil before the replica took the first one over, and for a server that does not name lists.
  private(set) var version: String?
  /// The newest sequence number of each zone.
  private(set) var newest: [String: Int64] = [:]

  /// Notes the newest numbers of zones.
  mutating func note(_ zones: [ZoneInfo], isPartial: Bool?) {
    if isPartial != true { newest = [:] }
    for zone in zones { newest[zone.name] = zone.latest }
  }

  /// Notes that the replica took over a list.
  mutating func didTake(_ version: String?) { self.version = version }

  /// The next answer has all zones.
  mutating func forget() { version = nil }

  /// What the engine waits for: of zones that it has seen to the newest number of the list, the server need not be told.
  func request(_ replica: Replica, seconds: Double, invitations: Int) -> WaitRequest {
    guard let version else {
      return WaitRequest(
        positions: replica.allPositions, seconds: seconds, keys: replica.keyGenerations, invitations: invitations)
    }
    return WaitRequest(
      positions: replica.positions { $1 != newest[$0] }, seconds: seconds, invitations: invitations, version: version)
  }
}

extension ChangesResponse {
  /// All zones that the account may read; nil if the answer does not have all.
  var allZones: [ZoneInfo]? { isPartial == true ? nil : zones }
}

/// The shares, as the server listed them last.
struct KnownShares {
  var version: String?
  var shares: [SyncShare]
}
#endif
