#if Sync
import Foundation
import SyncProtocol

/// What a replica knows of itself.
struct ReplicaState: Codable {
  /// The format of the bookkeeping that this program writes.
  static let format = 3
  /// The format of the bookkeeping; nil for the first one.
  var format: Int? = ReplicaState.format
  /// What ``KnownPlaces`` has, where an earlier build wrote the bookkeeping.
  var positions: [String: Int64]?
  /// What ``KnownPlaces`` has, where an earlier build wrote the bookkeeping.
  var shares: [ZoneInfo]?
  /// Whether the account has shares or had some.
  var hasHadShares: Bool?
  var clock: HybridClock
  /// The numbers that the replica had before its store was restored from a copy.
  var formerNumbers: [UInt64]?
  /// What to add to the wall clock to get the server's time, in milliseconds.
  var clockOffset: Int64 = 0
  /// The number of the newest transaction of the user's store that was looked at; nil before the first export.
  var seenTransaction: Int64?
  /// What tells the store from copies of it. See ``Secrets``.
  var instance: UUID?
  /// How far the first scan of the store came; nil if it is over.
  var firstScan: FirstScan?
  /// The number of the next transaction to send.
  var nextPending = 1
  /// The properties that the user's store had, by entity.
  var knownProperties: [String: [String]] = [:]
  /// The rules of the models that the log was folded with, by class; nil before the first start.
  var foldRules: [String: [String]]?
  /// Whether the log had classes or properties that the models did not have.
  var sawUnknown: Bool?
  /// Not nil while the logs are folded again, because the models changed. It has the zones that the replica had read before.
  var refolding: [String]?
  /// The account that the replica syncs as; nil before the server named it.
  var account: String?
  /// The generations of the keys of shares with which the user's store shows values, by zone. ``Secrets`` has the keys.
  var keyGenerations: [String: Int]?
  /// The public keys of other accounts, as the replica saw them first.
  var trustedKeys: [String: Data]?
  /// The accounts that this replica removed from shares, by zone. They get no key any more.
  var revoked: [String: Set<String>]?
  /// The generation of the key that an account which this replica removed from a share knows, by zone. The share needs a newer one.
  var revokedGenerations: [String: Int]?
  /// The records that the user's store may not show yet, since changes were undone or a zone is gone, each with the
  /// properties whose changes were undone.
  var recordsToShow: [RecordName: Set<String>]?
  /// The unsent transactions whose contents changed after they may have been sent.
  var replaced: Set<UUID>?
  /// The records that may have to move to the zones of their owners, each with the owners that count though they are in another
  /// zone. Without these claims, anybody who can write to a share could name a private record as its own.
  var claimsToFollow: [RecordName: Set<RecordName>]?
  /// The records that the replica moved before it was restored from an older copy. Their new zones may not have them.
  var movesToFinish: Set<RecordName>?
  /// Whether a number is this replica's.
  func isOwn(_ number: UInt64) -> Bool { number == clock.replica || formerNumbers?.contains(number) == true }

  init(replica: UInt64) { clock = HybridClock(replica: replica) }

  /// Notes a record that may have to move to the zone of its owner.
  /// - Parameter claims: the owners that count though they are in another zone.
  mutating func noteToFollow(_ record: RecordName, _ claims: Set<RecordName>) {
    if claimsToFollow == nil { claimsToFollow = [:] }
    claimsToFollow![record, default: []].formUnion(claims)
  }

  /// Notes a record that the user's store may not show as it is.
  /// - Parameter properties: those whose changes were undone, or that the store shows and the record does not have.
  mutating func noteToShow(_ record: RecordName, without properties: some Sequence<String> = [String]()) {
    // Changed in place: a copy for each of many records would take quadratic time.
    if recordsToShow == nil { recordsToShow = [:] }
    recordsToShow![record, default: []].formUnion(properties)
  }
}
#endif
