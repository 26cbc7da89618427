#if Sync
import Foundation
import SyncCore
import SyncProtocol
import UntrustedInput

@testable import SwiftDataSync

/// What a server keeps of the keys of shares. It can read none of them.
final class ZoneKeyServer {
  struct Zone {
    fileprivate var generation = 0
    /// Each key but the newest one, encrypted with the one that followed it.
    fileprivate var previous: [Data] = []
    fileprivate var wrapped: [String: (generation: Int, key: Data, isByOwner: Bool)] = [:]
    /// The participants when the newest key was made.
    fileprivate var members: Set<String> = []
  }

  /// The public keys that accounts published.
  var accounts: [String: Data] = [:]
  var zones: [ZoneName: Zone] = [:]

  func keys(of zone: ZoneName, _ share: ZoneServer.Share, for account: String) -> ZoneKeys {
    let known = zones[zone] ?? Zone()
    let own = known.wrapped[account]
    let isOwner = share.owner == account
    return ZoneKeys(
      generation: known.generation, ownerKey: accounts[share.owner], wrapped: own?.key,
      wrappedGeneration: own?.generation ?? 0, isWrappedByOwner: own?.isByOwner ?? false, previous: known.previous,
      isStale: isOwner && isStale(known, share), participants: isOwner ? participants(known, share) : [])
  }

  private func isStale(_ zone: Zone, _ share: ZoneServer.Share) -> Bool {
    zone.generation > 0 && !zone.members.isSubset(of: share.members.keys)
  }

  private func participants(_ zone: Zone, _ share: ZoneServer.Share) -> [AccountKey] {
    share.members.keys.sorted().compactMap { account in
      accounts[account].map {
        AccountKey(account: account, key: $0, generation: zone.wrapped[account]?.generation ?? 0)
      }
    }
  }

  func put(_ request: PutZoneKeysRequest, to zone: ZoneName, _ share: ZoneServer.Share, by account: String) throws {
    var known = zones[zone] ?? Zone()
    let generation = request.generation.clamped(to: SyncWire.generations)
    guard generation == known.generation || generation == known.generation + 1 && share.owner == account else {
      throw SyncFailure(.keyConflict, "another device made a key")
    }
    if generation > known.generation {
      if let previous = request.previous { known.previous.append(previous) }
      known.generation = generation
    }
    for (recipient, key) in request.wrapped where share.owner == account || recipient == account {
      known.wrapped[recipient] = (generation, key, share.owner == account)
    }
    known.members = Set(known.wrapped.filter { $0.value.generation == generation }.keys).subtracting([share.owner])
    zones[zone] = known
  }

  /// The newest generation that an account can unwrap; nil for none.
  func generation(of zone: ZoneName, _ share: ZoneServer.Share, for account: String) -> Int? {
    zones[zone]?.wrapped[account]?.generation
  }

  /// Whether the owner has to wrap the key for a participant, or to make a new one; nil for others.
  func isNeeded(_ zone: ZoneName, _ share: ZoneServer.Share, by account: String) -> Bool? {
    guard share.owner == account, let known = zones[zone], known.generation > 0 else { return nil }
    return isStale(known, share)
      || participants(known, share).contains { $0.generation < Untrusted(known.generation) } ? true : nil
  }
}
#endif
