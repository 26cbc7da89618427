#if Sync
import Foundation
import SyncProtocol

/// What a replica knows of itself.
struct ReplicaState: Codable {
  /// The format of the bookkeeping that this program writes.
  static let format = 2
  /// The format of the bookkeeping; nil for the first one.
  var format: Int? = ReplicaState.format
  /// What ``KnownPlaces`` has, where an earlier build wrote the bookkeeping.
  var positions: [String: Int64]?
  /// What ``KnownPlaces`` has, where an earlier build wrote the bookkeeping.
  var shares: [ZoneInfo]?
  /// Whether the account has shares or had some.
  var hasHadShares: Bool?
  var clock: HybridClock
  /// What to add to the wall clock to get the server's time, in milliseconds.
  var clockOffset: Int64 = 0
  /// The number of the newest transaction of the user's store that was looked at; nil before the first export.
  private(set) var seenTransaction: Int64?
  /// The transaction with this number and a date that it is not later than. The date tells whether the history is still the same one.
  private(set) var seenSave: SeenSave?

  struct SeenSave: Codable {
    let number: Int64
    let date: Date
  }
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
  /// Whether unsent changes got other moments and the user's store may not show the outcome.
  var isRestamped = false
  /// Whether the user's store was restored from an older copy and does not show everything yet.
  var isStoreRestored: Bool?
  /// The account that the replica syncs as; nil before the server named it.
  var account: String?
  /// The keys of shares by zone, of all generations, the oldest first.
  var keys: [String: [Data]]?
  /// The public keys of other accounts, as the replica saw them first.
  var trustedKeys: [String: Data]?
  /// The accounts that this replica removed from shares, by zone. They get no key any more.
  var revoked: [String: Set<String>]?
  /// The zones that need a new key, because this replica removed an account.
  var staleZones: Set<String>?
  /// The zones that the account could not read and whose objects are on their way out of the user's store.
  var zonesToForget: Set<String>?
  /// The zones whose keys arrived and whose values the user's store may not show yet.
  var zonesToShow: Set<String>?
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
  /// What is being written to the user's store.
  var intent: Intent?

  /// A batch of the log that is on its way into the user's store. After a crash the history of the user's store tells whether
  /// it arrived.
  struct Intent {
    var zone: String
    var entries: [LogEntry]
    /// The number of the newest transaction of the user's store before the batch; the batch has the next one.
    var expected: Int64
    /// The records that became objects, in the order of insertion.
    var inserted: [RecordName]
    /// The objects that go from one record to another, because the two records were merged.
    var moved: [Move]?
    /// The values that the user's store cannot hold, by record and property.
    var held: [RecordName: [String: FieldValue]]?
    /// What the log is from now on, where it was folded again.
    var refolded: Refolded?
    /// The number of the snapshot that the entries are parts of; nil for entries of the log.
    var snapshot: Int64?
    /// The unsent transactions that the snapshot has, beside those of the entries.
    var sent: Set<UUID> = []

    /// The transactions that are not unsent any more.
    var taken: Set<UUID> { Set(entries.map(\.transaction.id)).union(sent) }

    init(zone: String, entries: [LogEntry] = [], expected: Int64 = 0) {
      (self.zone, self.entries, self.expected, inserted) = (zone, entries, expected, [])
    }
  }

  /// The records and unique values that a fold with the rules of other models left otherwise.
  struct Refolded {
    var states: [RecordName: RecordState] = [:]
    /// The records that have unique values. A missing record is one that has the value no more.
    var holders: [String: RecordName?] = [:]
    /// How far it was read, for zones whose log the replica has not seen as far.
    var positions: [String: Int64] = [:]
  }

  /// An object that belonged to one record and belongs to another record now.
  struct Move {
    var from: RecordName
    var to: RecordName
    /// The object's identifier as text.
    var object: String
  }

  init(replica: UInt64) { clock = HybridClock(replica: replica) }

  /// Notes the newest transaction of the user's store that was looked at.
  /// - Parameter date: when it was made, or a later moment before the next transaction.
  mutating func noteSeen(_ number: Int64?, at date: Date = Date()) {
    seenTransaction = number
    seenSave = number.map { SeenSave(number: $0, date: date) }
  }

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
