#if Sync
import Foundation
import SyncProtocol

@testable import SwiftDataSync

// What an engine does with large values, over a network that loses them.

extension SimulatedNode {
  private func isLost() -> Bool { assetFaults.map { _ in Int.random(in: 0..<8, using: &assetFaults!) == 0 } ?? false }

  /// Sends the assets of a push. Each may be lost, or arrive without an answer.
  func upload(_ request: PushRequest, _ zone: String) throws {
    for (sha256, change) in replica.assetsToUpload(request) where !uploaded.contains(sha256, zone) {
      guard let bytes = try replica.bytes(of: sha256, in: change) else { continue }
      if isLost() {
        guard server.bug == .lostUploadsCount else { throw LostAsset() }
      } else {
        try server.put(sha256, bytes, zone: zone, account: account)
        if isLost() { throw LostAsset() }
      }
      uploaded.insert(sha256, zone)
    }
  }

  /// Takes in a part of a log. If an asset is lost on its way, the part is not taken in.
  func take(_ response: ChangesResponse, _ zone: String) throws -> Bool {
    let assets = replica.assetsToFetch(response)
    for asset in assets { try fetch(asset.sha256, zone) }
    let taken = server.taken(replica, response, account: account)
    let sent = server.known(
      replica.unsentInSnapshot(response, zone: zone), zone: zone, account: account, through: response.snapshot?.through)
    return try fetching(pulling: zone, fetched: assets.map(\.sha256)) {
      try replica.didPull(response, zone: zone, taken: taken, sent: sent)
    }
  }

  func catchUp() throws {
    var sent = Set<UUID>()
    for (zone, through, transactions) in try replica.unsentInSnapshots() {
      sent.formUnion(server.known(transactions, zone: zone, account: account, through: through))
    }
    try fetching { try replica.catchUp(sent: sent) }
  }

  func finishMoves() throws { try fetching { try replica.finishMoves() } }

  /// Asks which zones the account can read, as an engine does that cannot read a log.
  func seeZones() throws {
    var response = try server.changes(
      after: 0, limit: 1, zone: SyncWire.privateZone, account: account, replica: index)
    keepShares(&response)
    guard let zones = response.allZones else { return }
    let taken = server.taken(replica, response, account: account)
    try fetching { try replica.didSee(zones, taken: taken) }
  }

  func didPush(_ request: PushRequest, _ response: PushResponse, _ zone: String) throws {
    try fetching(pulling: zone) { try replica.didPush(request, response, zone: zone, account: account) }
  }

  func didFail(_ failure: SyncFailure, _ zone: String) throws -> Bool {
    let isDone = try replica.didFail(failure, zone: zone)
    try catchUp()
    return isDone
  }

  /// Does a step that shows values in the user's store, and brings the bytes that it lacks.
  private func fetching<T>(pulling zone: String? = nil, fetched: [String] = [], _ step: () throws -> T) throws -> T {
    var fetched = fetched
    while true {
      do {
        let result = try step()
        try replica.didShow(fetched)
        return result
      } catch let missing as MissingAsset {
        try fetch(missing, try replica.zones(with: missing, pulling: zone))
        fetched.append(missing.sha256)
      }
    }
  }

  private func fetch(_ missing: MissingAsset, _ zones: [String]) throws {
    for zone in zones {
      do {
        return try fetch(missing.sha256, zone)
      } catch let failure as SyncFailure where [.missingAsset, .notFound].contains(failure.code) {}
    }
    replica.unavailable.insert(missing.sha256)
  }

  private func fetch(_ sha256: String, _ zone: String) throws {
    guard try replica.ledger.asset(sha256) == nil else { return }
    if isLost() { throw LostAsset() }
    let bytes = try server.asset(sha256, zone: zone, account: account)
    try replica.keepFetched(sha256, bytes)
  }
}
#endif
