#if Sync
import Foundation
import SyncProtocol
import UntrustedInput

// What a replica asks a server, and what it does with the answers. Nothing here waits or sends.

extension Replica {
  /// The next transactions of a zone to send; nil if the log has all of them.
  func nextPush(zone: String) -> PushRequest? {
    let transactions = outgoing(zone: zone)
    return transactions.isEmpty ? nil : PushRequest(base: position(zone), transactions: transactions)
  }

  /// Whether there is something to send. The next part of a store that had objects before it synced is made when the last one was
  /// sent.
  func hasUnsent(zone: String) throws -> Bool {
    while ledger.pending.isEmpty, isScanning { try scanPart() }
    return nextPush(zone: zone) != nil
  }

  /// Whether there may be something to send. It makes nothing.
  func mayHaveUnsent(zone: String) -> Bool { isScanning || ledger.pending.contains { $0.zone == zone } }

  /// Takes in the transactions that were sent, if no other replica's transaction came before them in the log and the log has what
  /// this replica has. Otherwise the next pull brings all transactions in order.
  func didPush(_ request: PushRequest, _ response: PushResponse, zone: String, account: String) throws {
    try adjustClock(toServer: response.time, field: "push.time")
    let first = position(zone) + 1
    let expected = Array(first..<first + Int64(request.transactions.count))
    guard response.sequences == expected.map(Untrusted.init(_:)),
      ledger.replica.replaced?.isDisjoint(with: request.transactions.map(\.id)) ?? true
    else { return }
    let entries = zip(expected, request.transactions).map {
      LogEntry(sequence: $0, account: account, transaction: $1)
    }
    try integrate(entries, zone: zone)
  }

  /// The zones of shares that the account can read.
  var shares: [ZoneInfo] { ledger.places.shares ?? [] }

  /// How far the replica has seen each zone.
  var allPositions: [String: Int64] { positions { _, _ in true } }

  /// How far the replica has seen some of the zones.
  func positions(where isChosen: (String, Int64) -> Bool) -> [String: Int64] {
    var positions: [String: Int64] = [:]
    for zone in ledger.zones.all {
      let position = position(zone)
      if isChosen(zone, position) { positions[zone] = position }
    }
    return positions
  }

  /// Takes in a part of the log.
  /// - Parameters:
  ///   - taken: the transactions of ``unsentInLostShares(_:)`` that the server took.
  ///   - sent: the transactions of ``unsentInSnapshot(_:zone:)`` that the server has.
  /// - Returns: whether there is more.
  func didPull(
    _ response: ChangesResponse, zone: String, taken: Set<UUID> = [], sent: Set<UUID> = []
  ) throws -> Bool {
    try adjustClock(toServer: response.time, field: "changes.time")
    let (before, latest) = (position(zone), try response.newest)
    if let zones = response.allZones { try didSee(zones, taken: taken) }
    let snapshot = response.isSnapshot == true ? response.snapshot?.through : nil
    try integrate(response.entries, zone: zone, snapshot: snapshot, sent: sent)
    if let snapshot = response.snapshot { try compare(snapshot, zone: zone) }
    return position(zone) < latest && position(zone) > before
  }

  /// The unsent transactions that may be in a snapshot, if an answer has its end. Its parts do not say so.
  func unsentInSnapshot(_ response: ChangesResponse, zone: String) -> [UUID] {
    guard response.isSnapshot == true, response.entries.last?.sequence == response.snapshot?.through else { return [] }
    return ledger.pending.filter { $0.zone == zone }.map(\.transaction.id)
  }

  /// Does what a refusal asks for.
  /// - Returns: whether to try again at once.
  func didFail(_ failure: SyncFailure, zone: String) throws -> Bool {
    switch failure.code {
    case .clockAhead:
      guard let time = failure.time else { return false }
      try restamp(toServer: time)
      return true
    case .unknownSequence where position(zone) > 0:
      try startAnew(zone: zone)
      return true
    case .compacted where position(zone) > 0:
      // ``catchUp(sent:)`` takes the snapshot over.
      try refoldAll()
      return true
    case .missingAsset: return try dropLostAssets(zone: zone)
    default: return false
    }
  }
}

extension ChangesResponse {
  /// The newest number of the zone.
  var newest: Int64 {
    get throws(UntrustedInputError) { try latest.inRange(SyncWire.sequenceNumbers, field: "changes.latest") }
  }
}
#endif
