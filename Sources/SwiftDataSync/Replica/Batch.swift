#if Sync
import Foundation
import SyncProtocol

/// A part of a log that a replica takes in, in one transaction.
struct Batch {
  var zone: String
  var entries: [LogEntry] = []
  /// What the log is from now on, where it was folded again.
  var refolded: Refolded?
  /// The number of the snapshot that the entries are parts of; nil for entries of the log.
  var snapshot: Int64?
  /// The unsent transactions that the snapshot has and the entries do not have.
  var sent: Set<UUID> = []

  /// The transactions that are not unsent any more.
  var taken: Set<UUID> { Set(entries.map(\.transaction.id)).union(sent) }

  /// The records and unique values that a fold with the rules of other models left otherwise.
  struct Refolded {
    var states: [RecordName: RecordState] = [:]
    /// The records that have unique values. A missing record is one that has the value no more.
    var holders: [String: RecordName?] = [:]
    /// How far it was read, for zones whose log the replica has not seen as far.
    var positions: [String: Int64] = [:]
  }

  /// An object that belonged to one record and belongs to another record now, because the two records were merged.
  struct Move {
    var from: RecordName
    var to: RecordName
    /// The object's identifier as text.
    var object: String
  }
}
#endif
